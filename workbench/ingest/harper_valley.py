"""Harper Valley bank folders: `transcript/`, `metadata/` and `audio/` with one file a call, named by its sid.

People play bank agent and caller on telephone lines. Channel 0 of the FLAC is the caller, channel 1 the
agent. Where only the two mono tracks are there (`tracks/<sid>.caller.wav`, `.agent.wav`), each is placed
on the call's timeline by the difference of `offset_ms` and `start_ms`; where the FLAC is there the tracks
are the same sound and left alone.

A form that the agent submitted is a tool call named by its task. It is consequential where the task
changes something for the caller (transfer, replace, order, reset, schedule) and not where it looks
something up (check, get), by the verb of the task. Names in the metadata are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct, field

from workbench.errors import ImportFailed
from workbench.ingest.harper_form import SUCCESS, TASK_TYPE, compare
from workbench.ingest.harper_segments import Segment, heard_in_noise, split, track_offset_s
from workbench.ingest.intake.references import is_there
from workbench.ingest.intake.roles import changes_something
from workbench.ingest.intake.shape import load, note, refusal, sha256_of_json, sha256_of_named, since_1970
from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import Options, TimeUnit
from workbench.schema.call import Audio, Call, Label, Refusal, Role, Scenario, ToolCall, Turn

FORMAT = "harper_valley"
ABOUT = "HarperValleyBank folders: `transcript/`, `metadata/` and `audio/` (or `tracks/`) by call."
CLAIMS: Literal["folder"] = "folder"
OWNS = frozenset({"audio", "transcript", "metadata", "tracks"})

SIDES: Final[tuple[Role, ...]] = ("caller", "agent")


class _Response(Struct):
    submit_time_ms: float
    data: dict[str, Any] | None = None


class _Survey(Struct):
    data: dict[str, Any] = field(default_factory=dict)


class _Party(Struct):
    hangup_time_ms: float | None = None
    responses: list[_Response] = field(default_factory=list)
    speaker_id: int | None = None
    survey_response: _Survey = field(default_factory=_Survey)


class _Metadata(Struct):
    sid: str
    start_time_ms: float
    agent: _Party
    caller: _Party
    end_time_ms: float | None = None
    labels: dict[str, float] = field(default_factory=dict)
    session: str | None = None
    tasks: list[dict[str, Any]] = field(default_factory=list)


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a folder holds transcripts and metadata of the same calls."""
    transcripts = {file.name for file in (path / "transcript").glob("*.json")}
    return any(file.name in transcripts for file in (path / "metadata").glob("*.json"))


def parts(path: Path) -> Iterator[Path]:
    """Yield the files that are read: those of each transcript, and the tracks only where no FLAC joins them."""
    for transcript in sorted((path / "transcript").glob("*.json")):
        yield from (transcript, path / "metadata" / transcript.name)
        both = path / "audio" / f"{transcript.stem}.flac"
        yield from [both] if is_there(both) else [track for _, track in _tracks(path, transcript.stem)]


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield a call for each sid, after a note on words that only the machine heard; a refusal where one is broken."""
    unit = options.time_unit or "ms"
    for transcript in sorted((path / "transcript").glob("*.json")):
        try:
            call = _call(path, transcript, unit)
        except ImportFailed as error:
            yield refusal(transcript, error, scope="call")
            continue
        heard = heard_in_noise(call.spans or ())
        if heard:
            yield note(
                transcript,
                "heard_in_noise",
                f"people wrote no words there, the machine did: {'; '.join(heard)}; kept as noise and not as turns",
                hint="listen to them; workbench sql \"from spans where type = 'noise'\" lists them",
                location=f"call {call.id}",
            )
        yield call


def _call(root: Path, transcript: Path, unit: TimeUnit) -> Call:
    sid = transcript.stem
    about = root / "metadata" / transcript.name
    metadata = load(about, _Metadata)
    segments = load(transcript, list[Segment])
    turns, spans = split(segments, unit)
    audio = _audio(root, sid, segments=segments, unit=unit)
    files = {f"metadata/{about.name}": about, f"transcript/{transcript.name}": transcript}
    files.update({f"audio/{Path(one.path).name}": Path(one.path) for one in audio})
    forms = [response for response in metadata.agent.responses if response.data]
    verdict = compare(forms[-1].data if forms else None, metadata.tasks)
    tags = {
        "agent_speaker_id": metadata.agent.speaker_id,
        "caller_speaker_id": metadata.caller.speaker_id,
        "session": metadata.session,
        "form_differs": ", ".join(verdict.differing) if verdict and verdict.differing else None,
    }
    end = metadata.end_time_ms
    zero = scale(metadata.start_time_ms, unit)
    return Call(
        id=metadata.sid,
        source_uri=str(transcript),
        source_sha256=sha256_of_named(files),
        origin="role_played",
        started_at=_started(zero, about),
        duration_s=None if end is None else scale(end - metadata.start_time_ms, unit),
        platform="telephone",
        agent_id=None if metadata.agent.speaker_id is None else f"speaker-{metadata.agent.speaker_id}",
        language="en",
        ended_by=_ended_by(metadata),
        outcome=verdict.outcome if verdict else None,
        expected_outcome=SUCCESS if metadata.tasks else None,
        turn_clock="reported",
        tags={key: str(value) for key, value in tags.items() if value is not None},
        scenario=_scenario(metadata.tasks),
        turns=turns,
        tool_calls=[_form(form, metadata.start_time_ms, turns, unit=unit) for form in forms],
        spans=spans,
        labels=_ratings(metadata),
        audio=audio or None,
    )


def _started(seconds: float, path: Path) -> datetime:
    try:
        return since_1970(seconds)
    except ImportFailed as error:
        hint = "the format counts milliseconds; leave --time-unit away"
        raise ImportFailed(f"start_time_ms: {error.what}", where=str(path), hint=hint, rule=error.rule) from error


def _audio(root: Path, sid: str, *, segments: list[Segment], unit: TimeUnit) -> list[Audio]:
    both = root / "audio" / f"{sid}.flac"
    if is_there(both):
        return [Audio(path=str(both), channels=["caller", "agent"], channel_map_source="format")]
    return [
        Audio(
            path=str(track),
            channels=[role],
            channel_map_source="format",
            offset_s=track_offset_s(segments, role, unit),
        )
        for role, track in _tracks(root, sid)
    ]


def _tracks(root: Path, sid: str) -> list[tuple[Role, Path]]:
    places: list[tuple[Role, Path]] = [(role, root / "tracks" / f"{sid}.{role}.wav") for role in SIDES]
    return [(role, track) for role, track in places if is_there(track)]


def _form(form: _Response, start: float, turns: list[Turn], *, unit: TimeUnit) -> ToolCall:
    """Return a submitted form as a tool call, in the agent's turn that began last before it."""
    data = form.data or {}
    task = str(data.get(TASK_TYPE, "form"))
    at = scale(form.submit_time_ms - start, unit)
    begun = [
        ix for ix, turn in enumerate(turns) if turn.role == "agent" and turn.start_s is not None and turn.start_s <= at
    ]
    return ToolCall(
        name=task.strip().replace(" ", "_"),
        turn_ix=begun[-1] if begun else None,
        arguments={key: value for key, value in data.items() if key != TASK_TYPE},
        start_s=at,
        consequential=changes_something(task),
        authority="submitted",
    )


def _ended_by(metadata: _Metadata) -> str | None:
    caller, agent = metadata.caller.hangup_time_ms, metadata.agent.hangup_time_ms
    if caller is None or agent is None or caller == agent:
        return None
    return "caller" if caller < agent else "agent"


def _scenario(tasks: list[dict[str, Any]]) -> Scenario | None:
    if not tasks:
        return None
    name = str(tasks[0].get(TASK_TYPE, "task"))
    return Scenario(
        scenario_id=f"harper-valley-{name.replace(' ', '-')}-{sha256_of_json(tasks)[:8]}",
        name=name,
        expected_outcome=SUCCESS,
        document={"tasks": tasks},
    )


def _ratings(metadata: _Metadata) -> list[Label]:
    labels = [
        Label(kind="rating", value={"name": name, "value": value}, authority="annotator")
        for name, value in sorted(metadata.labels.items())
    ]
    for author, party in (("caller", metadata.caller), ("agent", metadata.agent)):
        labels.extend(
            Label(kind="rating", value={"name": name, "value": value}, author=author, authority="survey")
            for name, value in sorted(party.survey_response.data.items())
        )
    return labels
