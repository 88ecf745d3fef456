"""hotato batteries: a folder of `scenarios/*.json` and `audio/<id>.example.wav`, one labelled moment each.

Each scenario with its audio is a call. The words that a scenario quotes have no clock and no order between
the two sides, so they are not turns: they stay in the scenario's document. Segments under
`reference_render` become labels of kind ``speech``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct, field

from workbench.errors import ImportFailed
from workbench.ingest.intake.peek import peek
from workbench.ingest.intake.references import is_there
from workbench.ingest.intake.refusing import shown
from workbench.ingest.intake.shape import convert, load_json, refusal, sha256_of_named
from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import HEAD_BYTES, Options, TimeUnit
from workbench.schema.call import Audio, Call, ChannelRole, Label, Origin, Refusal, Scenario

FORMAT = "hotato_scenario"
ABOUT = "hotato batteries: a folder of `scenarios/*.json` with `audio/<id>.example.wav`."
CLAIMS: Literal["folder"] = "folder"
OWNS = frozenset({"audio", "scenarios"})

ORIGINS: Final[dict[str, Origin]] = {
    "real": "real",
    "role-played": "role_played",
    "role_played": "role_played",
    "simulated": "simulated",
    "synthetic": "synthetic",
}
STACKS: Final = ("livekit", "pipecat", "retell", "twilio", "vapi")
DEFAULT_CHANNELS: Final[tuple[ChannelRole, ...]] = ("caller", "agent")


class _Channels(Struct):
    caller_channel: int
    agent_channel: int


class _Expected(Struct, rename={"yields": "yield"}):
    yields: bool
    max_time_to_yield_sec: float | None = None
    max_talk_over_sec: float | None = None


class _Render(Struct):
    caller_segments_sec: list[tuple[float, float]] = field(default_factory=list)
    agent_segments_sec: list[tuple[float, float]] = field(default_factory=list)


class _Scenario(Struct):
    id: str
    title: str | None = None
    category: str | None = None
    source_type: str | None = None
    tags: list[str] = field(default_factory=list)
    audio: str | None = None
    channels: _Channels | None = None
    duration_sec: float | None = None
    caller_onset_sec: float | None = None
    expected: _Expected | None = None
    reference_render: _Render | None = None
    license: str | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
    attestation: dict[str, Any] = field(default_factory=dict)


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a folder holds scenarios with expectations."""
    first = next(iter(_documents(path)), None)
    if first is None:
        return False
    try:
        with first.open("rb") as file:
            value = peek(file.read(HEAD_BYTES))
    except OSError:
        return False
    return (
        isinstance(value, dict)
        and "id" in value
        and bool({"caller_onset_sec", "category"} & value.keys())
        and ("expected" in value or "audio" in value)
    )


def parts(path: Path) -> Iterator[Path]:
    """Yield the files that are read: the scenarios, and the audio that each of them names."""
    for document in _documents(path):
        yield document
        try:
            yield _place(path, convert(load_json(document), _Scenario, where=str(document)))
        except ImportFailed:
            continue  # told when it is read


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield a call for each scenario, or a refusal where its audio is missing or its channels are unclear."""
    for document in _documents(path):
        try:
            yield _call(path, document, options)
        except ImportFailed as error:
            yield refusal(document, error, scope="call")


def _documents(path: Path) -> list[Path]:
    folder = path / "scenarios"
    return sorted(folder.glob("*.json")) if folder.is_dir() else []


def _call(folder: Path, path: Path, options: Options) -> Call:
    document = load_json(path)
    scenario = convert(document, _Scenario, where=str(path))
    unit = options.time_unit or "s"
    audio = _audio(folder, path, scenario=scenario, options=options)
    recorded = scenario.provenance.get("recorded")
    tags = {"category": scenario.category, "license": scenario.license, "tags": ", ".join(scenario.tags)}
    if isinstance(recorded, str):
        tags["recorded"] = recorded
    assistant = scenario.provenance.get("assistant")
    return Call(
        id=scenario.id,
        source_uri=str(path),
        source_sha256=sha256_of_named({path.name: path, Path(audio.path).name: Path(audio.path)}),
        origin=ORIGINS.get(scenario.source_type or "", "unknown"),
        duration_s=None if scenario.duration_sec is None else scale(scenario.duration_sec, unit),
        platform=next((stack for stack in STACKS if stack in scenario.tags), None),
        agent_id=assistant if isinstance(assistant, str) else None,
        tags={key: value for key, value in tags.items() if value},
        scenario=Scenario(scenario_id=scenario.id, name=scenario.title, document=document),
        labels=_labels(scenario, unit),
        audio=[audio],
    )


def _place(folder: Path, scenario: _Scenario) -> Path:
    name = scenario.audio or f"{scenario.id}.example.wav"
    return folder / "audio" / Path(name).name


def _audio(folder: Path, path: Path, *, scenario: _Scenario, options: Options) -> Audio:
    place = _place(folder, scenario)
    if not is_there(place):
        raise ImportFailed(
            f"its audio {shown(place.name)} is not in the folder `audio`",
            where=str(path),
            hint="put the recording there, or import the folder's other scenarios only",
            rule="audio_missing",
        )
    stated = scenario.channels
    if stated is None:
        channels = options.channels or DEFAULT_CHANNELS
        source: Literal["option", "format"] = "option" if options.channels else "format"
        return Audio(path=str(place), channels=list(channels), channel_map_source=source)
    if sorted((stated.caller_channel, stated.agent_channel)) != [0, 1]:
        raise ImportFailed(
            f"caller on channel {stated.caller_channel}, agent on channel {stated.agent_channel}: "
            "not two channels of one file",
            where=str(path),
            hint="`channels` must be 0 and 1",
            rule="bad_channel_map",
        )
    roles: list[ChannelRole] = ["caller", "agent"] if stated.caller_channel == 0 else ["agent", "caller"]
    return Audio(path=str(place), channels=roles, channel_map_source="format")


def _labels(scenario: _Scenario, unit: TimeUnit) -> list[Label]:
    author = scenario.attestation.get("contributor")
    authority = scenario.provenance.get("label_provenance")
    author = author if isinstance(author, str) else None
    authority = authority if isinstance(authority, str) else None
    labels: list[Label] = []
    if scenario.expected is not None:
        bounds = scenario.expected
        onset = scenario.caller_onset_sec
        labels.append(
            Label(
                kind="expectation",
                onset_s=None if onset is None else scale(onset, unit),
                expect="yield" if bounds.yields else "hold",
                value={
                    "category": scenario.category,
                    "max_time_to_yield_s": _scaled(bounds.max_time_to_yield_sec, unit),
                    "max_talk_over_s": _scaled(bounds.max_talk_over_sec, unit),
                },
                author=author,
                authority=authority,
            )
        )
    render = scenario.reference_render or _Render()
    for role, segments in (("caller", render.caller_segments_sec), ("agent", render.agent_segments_sec)):
        labels.extend(
            Label(
                kind="speech",
                onset_s=scale(start, unit),
                end_s=scale(end, unit),
                value={"role": role},
                author=author,
                authority=authority,
            )
            for start, end in segments
        )
    return labels


def _scaled(value: float | None, unit: TimeUnit) -> float | None:
    return None if value is None else scale(value, unit)
