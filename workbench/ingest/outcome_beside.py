"""The stated outcome of a transcript, in ``<stem>.outcome.json`` beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from workbench.ingest.intake.references import is_there
from workbench.ingest.intake.shape import load, load_json, sha256_of_json, sha256_of_named
from workbench.schema.call import Call, Scenario, StateRow

SUFFIX: Final = ".outcome.json"


class Stated(Struct):
    """What a sidecar may state about a call. Any other key becomes a tag."""

    outcome: str | None = None
    expected_outcome: str | None = None
    ended_by: str | None = None
    completed: bool | None = None
    language: str | None = None
    agent_id: str | None = None
    scenario_id: str | None = None
    booked: dict[str, Any] | list[dict[str, Any]] | None = None
    expected: Any | None = None


def sha256_of_call(call: Call, *files: Path) -> str:
    """Return the SHA-256 of a call made of some files and its recordings."""
    audio = [Path(audio.path) for audio in call.audio or ()]
    return sha256_of_named({file.name: file for file in (*files, *audio)})


def beside(call: Call, path: Path) -> Call:
    """Return the call with what its sidecar states, and with the digest of its files.

    Parameters
    ----------
    call : Call
        Call of the transcript; it is not changed.
    path : Path
        The transcript. Its sidecar has the same name with ``.outcome.json`` for its ending.

    Raises
    ------
    ImportFailed
        When the sidecar is not JSON or a field has another type.
    """
    sidecar = path.with_name(path.stem + SUFFIX)
    if not is_there(sidecar):
        return msgspec.structs.replace(call, source_sha256=sha256_of_call(call, path))
    stated = load(sidecar, Stated)
    known = {field.name for field in msgspec.structs.fields(Stated)}
    tags = {
        key: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for key, value in load_json(sidecar).items()
        if key not in known and value is not None
    }
    booked = [stated.booked] if isinstance(stated.booked, dict) else stated.booked
    scenario = None
    if stated.scenario_id is not None or stated.expected is not None:
        scenario = Scenario(
            scenario_id=stated.scenario_id or f"expected-{sha256_of_json(stated.expected)[:12]}",
            expected_outcome=stated.expected_outcome,
            document=None if stated.expected is None else {"expected": stated.expected},
        )
    return msgspec.structs.replace(
        call,
        source_sha256=sha256_of_call(call, path, sidecar),
        outcome=stated.outcome,
        expected_outcome=stated.expected_outcome,
        ended_by=stated.ended_by,
        completed=stated.completed,
        language=stated.language,
        agent_id=stated.agent_id,
        scenario=scenario,
        state=None
        if booked is None
        else [StateRow(snapshot="after", resource="bookings", record=row) for row in booked],
        tags=tags or None,
    )
