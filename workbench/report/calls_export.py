"""Calls as files: one native JSON a call, and its audio beside it."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.archive.deleted_meanwhile import require
from workbench.archive.rows import Rows, call_of
from workbench.schema import tables
from workbench.schema.call import FORMAT, Call

if TYPE_CHECKING:
    from workbench.archive.lake import Reader
    from workbench.archive.layout import Layout

BATCH_CALLS = 100
_OF_A_CALL = "turns words tool_calls spans stage_timings state_rows labels recordings".split()
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_DIGIT = re.compile("[0-9]")
_DEVICES = {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}
_WORDS = ("notice", "readme", "license", "licence", "copying", "changelog")
"""Such files are not read as calls. Nor may a name be a word without a digit: `results` means something."""

_LONGEST = 80


def safe_name(call_id: str) -> str:
    """Return a file name for a call: its id where every file system takes it, else with a digest of it.

    Parameters
    ----------
    call_id : str
        Any text.

    Returns
    -------
    str
        ASCII letters, digits, ``_`` and ``-`` only; different for different ids, also where case is ignored.
    """
    name = _UNSAFE.sub("-", call_id)
    plain = name == call_id == name.lower() and len(name) <= _LONGEST and _DIGIT.search(name) is not None
    if plain and not name.startswith(("-", *_WORDS)) and name not in _DEVICES:
        return name
    digest = hashlib.sha256(call_id.encode()).hexdigest()[:12]
    return f"call-{name[:_LONGEST].lower().strip('-')}-{digest}".replace("--", "-")


def write(reader: Reader, layout: Layout, *, folder: Path) -> dict[str, int]:
    """Write every call of an archive.

    Parameters
    ----------
    reader : Reader
        The archive at one snapshot.
    layout : Layout
        Where its audio lies.
    folder : pathlib.Path
        Existing folder.

    Returns
    -------
    dict of str to int
        Calls, and audio files under ``audio/``.

    Raises
    ------
    ArchiveFailed
        When audio is missing or is not what was imported.
    """
    from workbench.archive.runs import workbench_version

    ids = [row[0] for row in reader.rows("select call_id from calls order by call_id")[1]]
    audio = 0
    for start in range(0, len(ids), BATCH_CALLS):
        part = ids[start : start + BATCH_CALLS]
        for rows in _rows(reader, part):
            audio += _write_call(rows, layout, folder)
    page = (
        f"# Calls\n\nSnapshot {reader.snapshot} of the archive; workbench {workbench_version()}. "
        "One call a file in the native format, audio in `audio/`.\n\n"
        "`workbench import` of this folder makes the same calls again.\n"
    )
    (folder / "README.md").write_text(page, encoding="utf-8", newline="")
    return {"calls": len(ids), "audio": audio}


def left_out(reader: Reader) -> dict[str, int]:
    """Count what people said of the calls in the archive, which is not written: labels recorded after the import.

    Parameters
    ----------
    reader : Reader
        The archive at one snapshot.

    Returns
    -------
    dict of str to int
        Rows of `labels`; empty where there are none.
    """
    ((count,),) = reader.rows("select count(*) from labels where recorded_at is not null")[1]
    return {"labels": int(count)} if count else {}


def _rows(reader: Reader, ids: list[str]) -> list[Rows]:
    """Return the rows of some calls, in the order of the ids."""
    bounds = {"low": ids[0], "high": ids[-1]}
    by_call: dict[str, Rows] = {one: defaultdict(list) for one in ids}
    for table in ("calls", *_OF_A_CALL):
        order = ", ".join(tables()[table].primary_key())
        query = f"from {table} where call_id between $low and $high order by {order}"
        names, found = reader.rows(query, bounds)
        for values in found:
            row = dict(zip(names, values, strict=True))
            by_call[row["call_id"]][table].append(row)
    names, found = reader.rows("from scenarios order by scenario_id, definition_sha256")
    scenarios = [dict(zip(names, values, strict=True)) for values in found]
    known = {(row["scenario_id"], row["definition_sha256"]): row for row in scenarios}
    for rows in by_call.values():
        head = rows["calls"][0]
        scenario = known.get((head["scenario_id"], head["scenario_sha256"]))
        rows["scenarios"] = [scenario] if scenario is not None else []
    return list(by_call.values())


def _write_call(rows: Rows, layout: Layout, folder: Path) -> int:
    """Write a call and its audio; return the number of audio files."""
    name = safe_name(rows["calls"][0]["call_id"])
    recordings = rows["recordings"]
    for ix, recording in enumerate(recordings):
        source = require(layout, recording)
        copy = folder / "audio" / f"{name}-{ix}{source.suffix.lower()}"
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, copy)
        recording["path"] = copy.relative_to(folder).as_posix()
    call = call_of(rows)
    for audio, recording in zip(call.audio or [], recordings, strict=True):
        if recording["container"] == "raw":  # a headerless file does not say what it is
            audio.encoding, audio.sample_rate_hz = recording["codec"], recording["sample_rate_hz"]
    (folder / f"{name}.json").write_bytes(dump(call))
    return len(recordings)


def dump(call: Call) -> bytes:
    """Return a call as a file of the native format: what was never supplied is left out.

    Parameters
    ----------
    call : Call
        Any call.

    Returns
    -------
    bytes
        Indented JSON that says its format first, and ends with a line break.
    """
    value: dict[str, Any] = {"format": FORMAT} | msgspec.to_builtins(call)
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
