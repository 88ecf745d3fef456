"""Reads the comment header of a file of `sql/`: what a row is, its key, what it reads, units, columns.

A view begins with exactly these lines, then its columns and any free lines; a line that begins with two
spaces more goes on with the line before::

    -- turn_gaps
    -- One row per answer of the agent.
    -- Key: call_id, gap_ix.
    -- Reads: speech_runs.
    -- Units: *_s seconds.
    -- gap_s: from the end of the caller to the start of the agent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import ArchiveFailed

_COLUMN = re.compile(r"^-- ([a-z][a-z0-9_]*): (.+)$")
_PARAMETER = re.compile(r"^-- \$([a-z][a-z0-9_]*)(?: = (\S+))?: (.+)$")


@dataclass(frozen=True, kw_only=True)
class ViewFile:
    """A view: name, grain sentence, key, what it reads, units, columns, free text, SELECT."""

    name: str
    grain: str
    key: tuple[str, ...]
    reads: tuple[str, ...]
    units: str
    columns: dict[str, str]
    notes: str
    sql: str


@dataclass(frozen=True, kw_only=True)
class MacroFile:
    """A file of macros: name, what it gives, other macro files it needs, its statements."""

    name: str
    about: str
    reads: tuple[str, ...]
    sql: str


@dataclass(frozen=True, kw_only=True)
class QueryFile:
    """A ready-made query: name, what it answers, parameters as ``{name: (description, default)}``, SELECT.

    A default of None means that the parameter must be given.
    """

    name: str
    about: str
    parameters: dict[str, tuple[str, str | None]]
    sql: str


@dataclass(frozen=True, kw_only=True)
class AuditFile:
    """An audit: name, what a row of it would be, SELECT."""

    name: str
    grain: str
    sql: str


def read_view(path: Path) -> ViewFile:
    """Read a view file.

    Parameters
    ----------
    path : pathlib.Path
        The file; its name is the view's name.

    Returns
    -------
    ViewFile
        All parts of the header, and the SELECT that follows it.

    Raises
    ------
    ArchiveFailed
        When a line of the header is missing or has another form.
    """
    lines, sql = _split(path)
    grain = _line(path, lines, position=1, start="One row per ", keep=True)
    key = _names(_line(path, lines, position=2, start="Key: "))
    reads = _names(_line(path, lines, position=3, start="Reads: "))
    units = _line(path, lines, position=4, start="Units: ")
    columns = {found[1]: found[2] for line in lines[5:] if (found := _COLUMN.match(line))}
    notes = " ".join(line[3:] for line in lines[5:] if not _COLUMN.match(line))
    if missing := [name for name in key if name not in columns]:
        raise _broken(path, f"the key names {', '.join(missing)}, which the header does not describe")
    return ViewFile(
        name=path.stem, grain=grain, key=key, reads=reads, units=units, columns=columns, notes=notes, sql=sql
    )


def read_macro(path: Path) -> MacroFile:
    """Read a macro file: name, what it gives, optionally ``-- Reads:``; raises as :func:`read_view`."""
    lines, sql = _split(path)
    about = _line(path, lines, position=1, start="", keep=True)
    reads = (
        _names(_line(path, lines, position=2, start="Reads: "))
        if len(lines) > 2 and lines[2].startswith("-- Reads: ")
        else ()
    )
    return MacroFile(name=path.stem, about=about, reads=reads, sql=sql)


def read_query(path: Path) -> QueryFile:
    """Read a query: name, what it answers, ``-- $name = default: text``; raises as :func:`read_view`."""
    lines, sql = _split(path)
    about = _line(path, lines, position=1, start="", keep=True)
    parameters = {m[1]: (m[3], m[2]) for line in lines[2:] if (m := _PARAMETER.match(line))}
    used = set(re.findall(r"\$([a-z][a-z0-9_]*)", sql))
    if used != set(parameters):
        raise _broken(path, f"the query uses {sorted(used)} and its header describes {sorted(parameters)}")
    return QueryFile(name=path.stem, about=about, parameters=parameters, sql=sql)


def read_audit(path: Path) -> AuditFile:
    """Read an audit: name, ``-- One row per ...``, SELECT; raises as :func:`read_view`."""
    lines, sql = _split(path)
    return AuditFile(name=path.stem, grain=_line(path, lines, position=1, start="One row per ", keep=True), sql=sql)


def _split(path: Path) -> tuple[list[str], str]:
    """Return the header, continued lines joined, and the SQL after it without a closing semicolon."""
    header: list[str] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    count = 0
    for line in lines:
        if not line.startswith("--"):
            break
        count += 1
        if line.startswith("--   ") and header:
            header[-1] += " " + line[2:].strip()
        else:
            header.append(line.rstrip())
    sql = "\n".join(lines[count:]).strip().removesuffix(";")
    if not header or header[0] != f"-- {path.stem}":
        raise _broken(path, f"the first line must be '-- {path.stem}'")
    if not sql:
        raise _broken(path, "there is no SQL after the header")
    return header, sql


def _line(path: Path, lines: list[str], *, position: int, start: str, keep: bool = False) -> str:
    found = lines[position] if position < len(lines) else ""
    if not found.startswith(f"-- {start}") or not found.endswith(".") or len(found) <= len(start) + 4:
        raise _broken(path, f"line {position + 1} of the header must be '-- {start}... .' and is {found!r}")
    return found[3:] if keep else found[3 + len(start) : -1]


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _broken(path: Path, what: str) -> ArchiveFailed:
    return ArchiveFailed(what, where=f"{path.parent.name}/{path.name}", hint="docs/sql.md shows the form of a header")
