"""hotato conversations: a folder with `voice_trace.jsonl`, `transcript.json`, `sandbox.json` and `test.json`.

Any of the first two makes a call; all times are seconds on one clock, the call's. The state in
`sandbox.json` is the one after the call, and `test.json` is what the conversation was tested against.
A trace or transcript alone is read by `hotato_trace_file`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from workbench.ingest.hotato_rows import ROW_KEYS, Trace, tools_of, trace_of, turns_of
from workbench.ingest.intake.peek import first_object
from workbench.ingest.intake.shape import load, sha256_of_named
from workbench.ingest.protocol import HEAD_BYTES, Options
from workbench.schema.call import Call, Refusal, Scenario, StateRow, Turn

FORMAT = "hotato_trace"
ABOUT = "hotato conversations: a folder of `voice_trace.jsonl`, `transcript.json`, `sandbox.json`, `test.json`."
CLAIMS: Literal["folder"] = "folder"

TRACE: Final = "voice_trace.jsonl"
TRANSCRIPT: Final = "transcript.json"
STATE: Final = "sandbox.json"
TEST: Final = "test.json"


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a folder holds a voice trace, or a transcript with starts and ends."""
    if (path / TRACE).is_file():
        return True
    try:
        with (path / TRANSCRIPT).open("rb") as file:
            return (first_object(file.read(HEAD_BYTES)) or {}).keys() >= ROW_KEYS
    except OSError:
        return False


def parts(path: Path) -> Iterator[Path]:
    """Yield the files that are read."""
    yield from (path / name for name in (TRACE, TRANSCRIPT, STATE, TEST))


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the one call of the folder.

    Raises
    ------
    ImportFailed
        When one of the folder's files is not what its name says.
    """
    yield from conversation(path, options, call_id=path.resolve().name)


def conversation(folder: Path, options: Options, *, call_id: str) -> Iterator[Call | Refusal]:
    """Yield the call that a folder's known files make, after the refusals of single rows."""
    files = {name: folder / name for name in (TRACE, TRANSCRIPT, STATE, TEST)}
    files = {name: file for name, file in files.items() if file.is_file()}
    yield from assemble(
        options,
        trace=files.get(TRACE),
        transcript=files.get(TRANSCRIPT),
        state=files.get(STATE),
        test=files.get(TEST),
        call_id=call_id,
        sha256=sha256_of_named(files),
    )


def assemble(
    options: Options,
    *,
    trace: Path | None,
    transcript: Path | None,
    state: Path | None = None,
    test: Path | None = None,
    call_id: str,
    sha256: str,
) -> Iterator[Call | Refusal]:
    """Yield the refused rows of the files and then the call that they make together."""
    unit = options.time_unit or "s"
    turns: list[Turn] = []
    for item in turns_of(transcript, unit) if transcript else ():
        if isinstance(item, Refusal):
            yield item
        else:
            turns.append(item)
    found = trace_of(trace, unit) if trace else None
    if found:
        yield from found.refused
    tools, timings = tools_of(found.spans, turns) if found else ([], [])
    clocked = any(turn.start_s is not None for turn in turns)
    yield Call(
        id=(found.meta.call_id if found else None) or call_id,
        source_sha256=sha256,
        origin="synthetic" if _handwritten(found) else "unknown",
        duration_s=_last_moment(turns, found),
        platform=_deployed(found, "stack"),
        agent_id=_deployed(found, "agent_id"),
        agent_version=_deployed(found, "git_sha"),
        agent_config_sha256=_deployed(found, "config_hash"),
        turn_clock="reported" if clocked else "none",
        tags={"trace_created_at": found.meta.created_at} if found and found.meta.created_at else None,
        scenario=_scenario(test),
        turns=turns if transcript else None,
        tool_calls=tools if found else None,
        stage_timings=timings or None,
        spans=found.spans if found else None,
        state=_state(state) if state else None,
    )


def _handwritten(trace: Trace | None) -> bool:
    return trace is not None and "handwritten" in str(trace.meta.source.get("format", ""))


def _deployed(trace: Trace | None, name: str) -> str | None:
    value = trace.meta.deployment.get(name) if trace else None
    return value if isinstance(value, str) else None


def _last_moment(turns: list[Turn], trace: Trace | None) -> float | None:
    """Return the end of the last turn or span: the files state no length of the call."""
    ends = [turn.end_s for turn in turns]
    for span in trace.spans if trace else ():
        ends += [span.end_s, span.time_s]
    return max((end for end in ends if end is not None), default=None)


def _scenario(test: Path | None) -> Scenario | None:
    if test is None:
        return None
    document = load(test, dict[str, Any])
    name = document.get("id")
    return Scenario(scenario_id=name if isinstance(name, str) else test.parent.name, document=document)


def _state(state: Path) -> list[StateRow]:
    found = load(state, dict[str, Any])
    return [
        StateRow(snapshot="after", resource=resource, record=record)
        for resource, records in found.items()
        for record in (records if isinstance(records, list) else [records])
    ]
