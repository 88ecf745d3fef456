"""voice-evals rows: a recorded call a row, as whole transcripts with stage timings and interruptions.

The rows have no turns and no clock of turns. What the caller said in the whole call becomes turn 0 (`text`
and `truth` from the ground truth, `heard` from the recogniser), all the agent said becomes turn 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from workbench.ingest.intake import digest
from workbench.ingest.intake.jsonl import Record, records
from workbench.ingest.intake.peek import JSON_SUFFIXES, first_object
from workbench.ingest.intake.refusing import Scope, shown
from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import Options, TimeUnit
from workbench.schema.call import Call, Refusal, Scenario, Span, StageTiming, Turn

FORMAT = "voice-evals"
ABOUT = "voice-evals replay rows (JSONL or an array): transcripts, outcome, times in ms."
CLAIMS: Literal["file", "folder"] = "file"

STAGES: Final = ("stt", "llm_ttft", "tts_ttfa", "e2e")
TEXTS: Final = ("asr_transcript", "ground_truth_transcript", "agent_transcript", "outcome")
KNOWN: Final = frozenset({"id", "scenario", "stage_timings_ms", "interruptions", *TEXTS})


def sniff(path: Path, head: bytes) -> bool:
    """Return whether the first object has a scenario and a ground-truth transcript."""
    first = first_object(head) if path.suffix.lower() in JSON_SUFFIXES else None
    return first is not None and {"id", "scenario", "ground_truth_transcript"} <= first.keys()


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the calls of a file, with a refusal for each value that has another type than the format says."""
    for record in records(path):
        if isinstance(record, Refusal):
            yield record
        else:
            yield from _Row(path, record, options.time_unit or "ms", prefix=options.id_prefix).read()


class _Row:
    """One row: its parsed parts, and the refusals met on the way."""

    def __init__(self, path: Path, record: Record, unit: TimeUnit, *, prefix: str) -> None:
        self.path = path
        self.record = record
        self.unit = unit
        identifier = record.value.get("id") if isinstance(record.value, dict) else None
        known = isinstance(identifier, (str, int)) and not isinstance(identifier, bool)
        self.call_id = f"{prefix}{identifier}" if known else None
        self.refused: list[Refusal] = []

    def read(self) -> Iterator[Call | Refusal]:
        value = self.record.value
        missing = self._missing(value)
        if missing:
            self._refuse("", "missing_field", message=missing, hint="see the voice-evals data format", scope="call")
            yield from self.refused
            return
        call = self._call(value)
        unknown = sorted(value.keys() - KNOWN)
        if unknown:
            message = f"not part of the format, ignored: {', '.join(unknown)}"
            self._refuse("", "unknown_field", message=message, hint="put free labels into native tags", scope="note")
        yield from self.refused
        yield call

    def _missing(self, value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"a row cannot be a {type(value).__name__}"
        identifier = value.get("id")
        if isinstance(identifier, bool) or not isinstance(identifier, (str, int)):
            return f"id is {shown(identifier)}, not a text"
        if not isinstance(value.get("scenario"), dict) or not isinstance(value["scenario"].get("name"), str):
            return "scenario.name is missing"
        if not isinstance(value.get("ground_truth_transcript"), str):
            return "ground_truth_transcript is missing"
        return None

    def _call(self, value: dict[str, Any]) -> Call:
        texts = {name: self._text(value.get(name), name) for name in TEXTS}
        scenario = value["scenario"]
        expected = self._text(scenario.get("expected_outcome"), "scenario.expected_outcome")
        truth = texts["ground_truth_transcript"]
        turns = [Turn(role="caller", text=truth, heard=texts["asr_transcript"], truth=truth)]
        if texts["agent_transcript"] is not None:
            turns.append(Turn(role="agent", text=texts["agent_transcript"]))
        return Call(
            id=str(value["id"]),
            source_format=FORMAT,
            source_uri=str(self.path),
            source_sha256=digest.of_bytes(self.record.raw),
            outcome=texts["outcome"],
            expected_outcome=expected,
            scenario=Scenario(
                scenario_id=scenario["name"],
                name=scenario["name"],
                expected_outcome=expected,
                required_facts=self._facts(scenario.get("required_facts"), "scenario.required_facts"),
                forbidden_facts=self._facts(scenario.get("forbidden_facts"), "scenario.forbidden_facts"),
                document=scenario,
            ),
            turns=turns,
            stage_timings=self._timings(value.get("stage_timings_ms")),
            spans=self._interruptions(value.get("interruptions")),
        )

    def _text(self, value: Any, name: str) -> str | None:
        if value is None or isinstance(value, str):
            return value
        self._refuse(name, "wrong_type", message=f"{name} is {shown(value)}, not a text", hint="write a text or null")
        return None

    def _facts(self, value: Any, name: str) -> list[str] | None:
        if value is None:
            return None
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        self._refuse(
            name,
            "wrong_type",
            message=f"{name} is {shown(value)}, not a list of texts",
            hint='write ["fact", ...]',
        )
        return None

    def _timings(self, value: Any) -> list[StageTiming] | None:
        name = "stage_timings_ms"
        if value is None:
            return None
        if not isinstance(value, dict):
            self._refuse(
                name,
                "wrong_type",
                message=f"{name} is {shown(value)}, not an object",
                hint='write {"e2e_ms": 950}',
            )
            return None
        unknown = sorted(value.keys() - {f"{stage}_ms" for stage in STAGES})
        if unknown:
            known = ", ".join(f"{stage}_ms" for stage in STAGES)
            message = f"ignored: {', '.join(unknown)}"
            self._refuse(name, "unknown_field", message=message, hint=f"stages are {known}", scope="note")
        found = []
        for stage in STAGES if value else ():
            where = f"{name}.{stage}_ms"
            before = len(self.refused)
            value_ms = self._time(value.get(f"{stage}_ms"), where)
            if len(self.refused) > before:
                reason = "not a usable number in the source"
            else:
                reason = "null in the source" if f"{stage}_ms" in value else "not in the source"
            if value_ms is None:
                found.append(StageTiming(stage=stage, reason_missing=reason))
            else:
                found.append(StageTiming(stage=stage, value_ms=value_ms))
        return found

    def _interruptions(self, value: Any) -> list[Span] | None:
        if value is None:
            return None
        if not isinstance(value, list):
            message = f"interruptions is {shown(value)}, not a list"
            self._refuse("interruptions", "wrong_type", message=message, hint='write [{"at_ms": 4200}]')
            return None
        spans = []
        for ix, item in enumerate(value):
            where = f"interruptions[{ix}]"
            at = self._time(item.get("at_ms"), f"{where}.at_ms") if isinstance(item, dict) else None
            if at is None:
                if not isinstance(item, dict) or item.get("at_ms") is None:
                    self._refuse(where, "missing_field", message=f"{where} has no at_ms", hint='write {"at_ms": 4200}')
                continue
            stopped = self._time(item.get("agent_stopped_ms"), f"{where}.agent_stopped_ms")
            attributes = {"agent_stopped_ms": stopped}
            spans.append(Span(type="interruption", time_s=at / 1_000, attributes=attributes))
        return spans

    def _time(self, value: Any, where: str) -> float | None:
        """Return a time in milliseconds, or None for null and, with a refusal, for what is no time."""
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._refuse(
                where,
                "wrong_type",
                message=f"{where} is {shown(value)}, not a number",
                hint="write a number or null",
            )
            return None
        if value < 0:
            self._refuse(
                where,
                "negative_time",
                message=f"{where} is {shown(value)}",
                hint="write null if it was not measured",
            )
            return None
        return float(value) if self.unit == "ms" else scale(value, self.unit) * 1_000

    def _refuse(self, where: str, rule: str, *, message: str, hint: str, scope: Scope = "row") -> None:
        location = f"{self.record.location}, {where}" if where else self.record.location
        self.refused.append(
            Refusal(
                source_uri=str(self.path),
                location=location,
                rule=rule,
                message=message,
                hint=hint,
                scope=scope,
                call_id=self.call_id,
            )
        )
