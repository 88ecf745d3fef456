"""hotato run envelopes: the JSON that a scoring run prints, with one event a labelled moment.

An envelope holds results of another scorer and no conversation. Each event still says which moment of which
recording was expected to be a yield or a hold, so it becomes a call with that label and one span of type
``hotato_event`` whose attributes are the whole event. Its numbers are not measurements of this archive: no
view of timing reads them. The call's id is the file's name and the event's, so an event does not take the
id of the recording it was measured on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from workbench.errors import ImportFailed
from workbench.ingest.intake.peek import peek
from workbench.ingest.intake.shape import convert, load_json, note, refusal, sha256_of_json
from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import Options, TimeUnit
from workbench.schema.call import Call, Label, Refusal, Scenario, Span

FORMAT = "hotato_envelope"
ABOUT = "hotato run envelopes (`schema_version` 1): each event as a label and a span, without audio."
CLAIMS: Literal["file"] = "file"


class _Measurements(Struct):
    caller_onset_sec: float | None = None


class _Event(Struct):
    event_id: str
    expected_yield: bool
    verdict: dict[str, Any]
    measurements: _Measurements
    scenario_id: str | None = None
    title: str | None = None
    category: str | None = None


class _Envelope(Struct):
    tool: str
    schema_version: str
    events: list[Any]
    mode: str | None = None
    stack: str | None = None
    suite: str | None = None
    engine: dict[str, Any] = field(default_factory=dict)


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a file is an envelope: `tool` is hotato, and it has a mode or events."""
    value = peek(head)
    return (
        isinstance(value, dict)
        and value.get("tool") == "hotato"
        and "schema_version" in value
        and bool({"mode", "events"} & value.keys())
    )


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield one call an event, after one note that these are another scorer's results.

    Raises
    ------
    ImportFailed
        When the file is not an envelope, its version is not 1, or it holds no event.
    """
    envelope = convert(load_json(path), _Envelope, where=str(path))
    if envelope.tool != "hotato" or envelope.schema_version != "1":
        raise ImportFailed(
            f"tool {envelope.tool!r}, schema_version {envelope.schema_version!r}",
            where=str(path),
            hint="this reads envelopes of hotato, schema_version 1",
            rule="format_too_new",
        )
    if not envelope.events:
        raise ImportFailed(
            "the envelope has no event", where=str(path), hint="score a recording first", rule="no_events"
        )
    yield note(
        path,
        "results_not_measurements",
        f"{len(envelope.events)} results of another scorer kept as labels and spans, without their audio",
        hint="import the recordings themselves to measure them",
    )
    unit = options.time_unit or "s"
    for number, event in enumerate(envelope.events, start=1):
        try:
            yield _call(path, envelope, event, unit=unit)
        except ImportFailed as error:
            yield refusal(path, error, location=f"event {number}", scope="call")


def _call(path: Path, envelope: _Envelope, document: Any, *, unit: TimeUnit) -> Call:
    event = convert(document, _Event, where=str(path))
    onset = event.measurements.caller_onset_sec
    onset_s = None if onset is None else scale(onset, unit)
    tags = {"category": event.category, "suite": envelope.suite, "engine": envelope.engine.get("version")}
    return Call(
        id=f"{path.stem}-{event.event_id}",
        source_sha256=sha256_of_json(document),
        platform=envelope.stack,
        tags={key: str(value) for key, value in tags.items() if value},
        scenario=Scenario(scenario_id=event.scenario_id, name=event.title) if event.scenario_id else None,
        labels=[
            Label(
                kind="expectation",
                onset_s=onset_s,
                expect="yield" if event.expected_yield else "hold",
                value={"category": event.category},
                authority="hotato envelope",
            )
        ],
        spans=[Span(type="hotato_event", name=event.event_id, time_s=onset_s, attributes=document)],
    )
