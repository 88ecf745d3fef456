"""Queries as a user names them: a ready-made query, a file of SQL, or SQL itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.small_file import read_bytes, read_stdin

_USED = re.compile(r"\$([A-Za-z_]\w*)")
_WORD = re.compile(r"[\w-]+")
_MOST = 16 << 20
"""Most bytes of a file that is taken for a query."""


@dataclass(frozen=True)
class Query:
    """A SELECT with its parameters, and the name of the file its rows go to."""

    name: str
    sql: str
    params: Mapping[str, Any] = field(default_factory=dict)


def queries(wanted: Sequence[str], params: Mapping[str, Any]) -> list[Query]:
    """Return the queries that a user named.

    Parameters
    ----------
    wanted : sequence of str
        Names of `sql/queries`, paths of files with one SELECT, or SELECTs.
    params : mapping
        Values by name. Each query gets those that it uses; a ready-made query has defaults of its own.

    Returns
    -------
    list of Query
        In the order they were named; a SELECT is called ``query_1``, ``query_2``, ...

    Raises
    ------
    UsageError
        When there is no such query or file, or a value is used by none of them.
    """
    found = [_one(text.strip(), position, params) for position, text in enumerate(wanted, start=1)]
    used = {name for query in found for name in query.params}
    if unused := sorted(set(params) - used):
        raise UsageError(f"no query uses ${unused[0]}", where="--param", hint="write it as $NAME in the SQL")
    return found


def _one(text: str, position: int, params: Mapping[str, Any]) -> Query:
    from workbench.archive import views

    if text.lower().endswith(".sql"):
        path = Path(text)
        name = re.sub(r"[^a-z0-9_]+", "_", path.stem.lower()).strip("_") or f"query_{position}"
        return _query(name, read_query(text), params)
    if _WORD.fullmatch(text):
        ready = {query.name: query for query in views.queries()}
        if text not in ready:
            hint = f"one of: {', '.join(ready)}; or a path that ends in .sql, or a SELECT"
            raise UsageError(f"there is no ready-made query {text!r}", where="query", hint=hint)
        defaults = {
            name: typed(default) for name, (_, default) in ready[text].parameters.items() if default is not None
        }
        return _query(text, ready[text].sql, defaults | dict(params))
    return _query(f"query_{position}", text, params)


def _query(name: str, sql: str, params: Mapping[str, Any]) -> Query:
    sql = sql.strip().removesuffix(";").rstrip()
    used = set(_USED.findall(sql))
    return Query(name, sql, {key: value for key, value in params.items() if key in used})


def read_query(file: str) -> str:
    """Return the text of a file with one SELECT.

    Parameters
    ----------
    file : str
        Its path, or ``-`` for stdin. UTF-8, with or without a byte order mark.

    Raises
    ------
    UsageError
        When there is no such file, it is a device or a pipe, cannot be read, has more than 16 MiB, or is not text.
    """
    hint = "give the path of a file with one SELECT"
    where = "stdin" if file == "-" else file
    if file != "-" and not Path(file).exists():
        raise UsageError("no such file", where=where, hint=hint)
    content = read_stdin() if file == "-" else read_bytes(file, max_bytes=_MOST)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"it is not UTF-8 text (byte {error.start})", where=where, hint=hint) from error
    if "\0" in text:
        raise UsageError("it is not text: it holds the character NUL", where=where, hint=hint)
    return text


def typed(text: str) -> Any:
    """Return a value as it is typed on a command line: true, false, null and numbers are not text."""
    words = {"true": True, "false": False, "null": None}
    if text in words:
        return words[text]
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def parameter(item: str) -> tuple[str, Any]:
    """Return name and value of ``NAME=VALUE``.

    Raises
    ------
    UsageError
        When there is no name or no ``=``.
    """
    name, equals, text = item.partition("=")
    if not equals or not name:
        raise UsageError(f"{item!r} is not NAME=VALUE", where="--param", hint="for instance --param s=1.5")
    return name, typed(text)
