"""Scored moments as hotato result envelopes (`schema_version` 1), a file a scoring config; imported ones as they came.

The shape is hotato's, so `tool` names it; `engine` names the workbench. A moment without a verdict has `scorable`
false and its reason, and is in the total of events only. The shape demands a number of seconds of talk-over, so a
moment where none was measured is no event; `summary.left_out` counts such moments, by why.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.archive.health_steps import health_steps
from workbench.archive.measured_with import configs_of
from workbench.archive.runs import workbench_version
from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError
from workbench.timing.next_steps import meaning

if TYPE_CHECKING:
    from workbench.archive.lake import Reader

EVENTS = "from scored_events semi join standing_labels using (call_id, label_id) order by config_id, call_id, label_id"
IMPORTED = (
    "select call_id, source_uri, platform, attributes from spans join calls using (call_id) where type = 'hotato_event'"
)
LIMITS = {
    "accuracy_claim": None,
    "ceiling": "timing is not intent: whether anybody meant to interrupt is not in it",
    "best_input": "a recording with a channel for each party",
    "does_not_do": ["words", "intent", "verdicts without a label"],
    "scope": "labelled moments of an archive",
    "offline": True,
}


def write(reader: Reader, *, folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Write the envelopes of an archive.

    Parameters
    ----------
    reader : Reader
        Of the archive.
    folder : Path
        An empty folder.

    Returns
    -------
    tuple of dict of str to int
        Events by file name; and what was left out, by why.

    Raises
    ------
    UsageError
        When no moment was scored and none imported.
    """
    steps = health_steps(reader)
    rows = [
        row | {"meaning": meaning(row["reason"], steps.get((row["call_id"], row["reason"])))}
        for row in reader.frame(EVENTS).to_dicts()
    ]
    measured = defaultdict(MeasureConfig, configs_of(reader, among={row["measure_config_id"] for row in rows}))
    scenarios = dict(reader.rows("select call_id, scenario_id from calls")[1])
    rates = dict(reader.rows("select recording_id, sample_rate_hz from recordings")[1])
    envelopes: dict[str, dict[str, Any]] = {}
    left_out: Counter[str] = Counter()
    for config_id in dict.fromkeys(row["config_id"] for row in rows):
        mine = [(row, _why_not(row)) for row in rows if row["config_id"] == config_id]
        without = Counter(why for _, why in mine if why is not None)
        left_out += without
        events = [
            _event(
                row,
                scenario_id=scenarios[row["call_id"]],
                hop_s=measured[row["measure_config_id"]].hop_s(rates[row["recording_id"]]),
            )
            for row, why in mine
            if why is None
        ]
        if events:
            engine = {"name": "callbench", "version": workbench_version(), "upstream": "", "config_id": config_id}
            told = _envelope(
                events,
                engine=engine,
                stack="generic",
                method=_method([measured[row["measure_config_id"]] for row, why in mine if why is None]),
            )
            if without:
                told["summary"]["left_out"] = {"events": without.total(), "reasons": dict(without)}
            envelopes[f"envelope-{config_id}.json"] = told
    envelopes |= _imported(reader)
    if not envelopes:
        raise _nothing(left_out)
    for name, envelope in envelopes.items():
        text = json.dumps(envelope, indent=2, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return {name: len(envelope["events"]) for name, envelope in envelopes.items()}, dict(left_out)


def _why_not(row: Mapping[str, Any]) -> str | None:
    """Why a scored event, with the `meaning` of its reason, is none of an envelope; None for one that is."""
    if row["expect"] is None:
        return "labels that say neither yield nor hold"
    if row["talk_over_s"] is None:
        return f"nothing was measured, {row['reason']}: {row['meaning']}"
    return None


def _nothing(left_out: Mapping[str, int]) -> UsageError:
    if not left_out:
        return UsageError("no moment was scored", where="--format envelope", hint="label moments, then workbench score")
    counted = "; ".join(f"{why} ({count:,})" for why, count in left_out.items())
    hint = "workbench measure, then workbench score"
    return UsageError(f"no scored moment was measured: {counted}", where="--format envelope", hint=hint)


def _method(measured: Iterable[MeasureConfig]) -> str:
    windows = " or ".join(dict.fromkeys(measure.windows for measure in measured))
    return f"levels of each party's channel against its own noise floor; {windows}"


def _imported(reader: Reader) -> dict[str, dict[str, Any]]:
    """Events that were imported, word for word, by the file they came from."""
    names, rows = reader.rows(f"{IMPORTED} order by source_uri, call_id")
    by_source: dict[str, list[dict[str, Any]]] = {}
    for row in (dict(zip(names, values, strict=True)) for values in rows):
        by_source.setdefault(row["source_uri"] or "", []).append(row)
    found = {}
    for ix, own in enumerate(by_source.values(), start=1):
        documents = [_decoded(row["attributes"]) for row in own]
        engine = {"name": "hotato", "version": "not kept", "upstream": ""}
        stack = own[0]["platform"] or "generic"
        found[f"imported-{ix}.json"] = _envelope(documents, engine=engine, stack=stack, method="not kept")
    return found


def _decoded(value: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(value) if isinstance(value, str) else value
    return document


def _envelope(events: list[dict[str, Any]], *, engine: dict[str, Any], stack: str, method: str) -> dict[str, Any]:
    summary = _summary(events)
    return {
        "tool": "hotato",
        "schema_version": "1",
        "mode": "suite",
        "stack": stack,
        "offline": True,
        "engine": engine,
        "limits": {"method": method} | LIMITS,
        "summary": summary,
        "events": events,
        "fix_map": [],
        "funnel": None,
        "exit_code": int(summary["failed"] > 0),
    }


def _summary(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    listed = list(events)
    judged = [event for event in listed if event.get("scorable") is not False]
    passed = sum(bool(event["verdict"]["passed"]) for event in judged)
    unjudged = len(listed) - len(judged)
    counts = {"events": len(listed), "passed": passed, "failed": len(judged) - passed}
    return counts | {"regression": passed < len(judged)} | ({"not_scorable": unjudged} if unjudged else {})


def _event(row: Mapping[str, Any], *, scenario_id: str | None, hop_s: float) -> dict[str, Any]:
    judged = row["status"] in ("PASS", "FAIL")
    margin = row["decision_margin_s"]
    event = {
        "event_id": f"{row['call_id']} {row['label_id']}",
        "scenario_id": scenario_id,
        "title": None,
        "category": None,
        "expected_yield": row["expect"] == "yield",
        "verdict": {
            "passed": row["status"] == "PASS",
            "did_yield": row["did_yield"],
            "seconds_to_yield": row["time_to_yield_s"],
            "talk_over_sec": row["talk_over_s"],
            "reasons": row["reason"].split(", ") if row["reason"] else [],
        },
        "measurements": {
            "caller_onset_sec": row["onset_s"],
            "agent_talking_at_onset": row["agent_talking"],
            "hop_sec": hop_s,
            "notes": row["meaning"],
            "onset_effective_sec": row["onset_s"],
            "decision_margin_sec": margin,
            "decision_margin_hops": None if margin is None else round(margin / hop_s),
            "boundary_sensitive": bool(row["boundary_sensitive"]),
        },
        "signals": _signals(row),
    }
    if not judged:
        event |= {"scorable": False, "not_scorable_reason": f"{row['reason']}: {row['meaning']}"}
    return event


def _signals(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "barge_in": {
            "did_yield": row["did_yield"],
            "time_to_yield_sec": row["time_to_yield_s"],
            "talk_over_sec": row["talk_over_s"],
        },
        "latency": {"response_gap_sec": row["response_gap_s"], "premature_start_sec": row["premature_start_s"]},
    }
    if row["resumed"] is not None:
        found["resume"] = {
            "resumed": row["resumed"],
            "resume_gap_sec": row["resume_gap_s"],
            "restart_suspected": bool(row["restart_suspected"]),
        }
    return found
