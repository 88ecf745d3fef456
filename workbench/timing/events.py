"""Scored events: a row for each labelled moment, with what was measured, the verdict, and the reason for none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.errors import UsageError
from workbench.timing.same_moment import groups
from workbench.timing.score_config import MOST_S
from workbench.timing.scoring import NONE, first_onset, score

if TYPE_CHECKING:
    from workbench.timing.lines import Line
    from workbench.timing.score_config import ScoreConfig

CUT_SHORT_S = 0.02
"""A search that ends this much before its time was ended by the recording."""
PASS, FAIL, INCONCLUSIVE, NOT_SCORABLE = "PASS", "FAIL", "INCONCLUSIVE", "NOT_SCORABLE"

REASONS = {
    "no_audio": "the call has no recording that was measured: import its audio and run `workbench measure`",
    "measured_apart": "the two parties' recordings were measured with different settings, or not together: run "
    "`workbench measure`, and restore the file that it names",
    "outside_the_recording": "the label lies outside the recording: check its time and the recording's offset",
    "no_caller_speech": "the label has no onset and the caller never speaks: check which channel is whose",
    "agent_silent_at_onset": "nothing to yield or to hold: check the onset and which channel is whose",
    "no_caller_at_onset": "no caller is heard at the onset to yield to: check it, and which channel is whose",
    "recording_ended": "the recording ends before the search for a yield does (max_search_s), and until then the agent "
    "was not heard to stop with a caller near: record the whole call",
    "labels_disagree": "of the labels of this moment some say yield and some hold: agree, and take the others back",
    "no_expectation": "the label does not say yield or hold: label it",
    "echo": "the yield goes with an echo of the agent in the caller's channel: mend the audio path",
    "low_snr": "the noise is too near to the speech for a stop to be seen: record with less noise",
    "did_not_yield": "the agent should have yielded and kept talking",
    "stopped_without_caller": "the agent should have yielded and stopped only with no caller near, which is no yield",
    "did_not_go_on": "the agent stopped with no caller near, which is neither a yield nor a hold",
    "slow_to_yield": "the agent yielded later than the bound",
    "talked_over": "both spoke longer than the bound",
    "false_yield": "the agent should have held the floor and yielded",
}
"""Stable names of what `reason` can hold, besides those of input health."""


def scored(
    labels: Sequence[Mapping[str, Any]],
    line: Line,
    *,
    health: Mapping[str, Mapping[str, Any]],
    config: ScoreConfig,
    run_id: str,
) -> list[dict[str, Any]]:
    """Score labels of kind `expectation`.

    Parameters
    ----------
    labels : sequence of mapping
        `call_id`, `label_id`, `onset_s`, `expect`, and `value` with the bounds `max_time_to_yield_s` and
        `max_talk_over_s`, all but the ids may be None.
    line : Line
        Speech of the calls.
    health : mapping of str to mapping
        By call: `recording_id`, `scorable`, `verdict_eligible`, `reason`, `echo_coherence`, `separation_db`
        (the smaller one of both parties). A measured call that is not on the line, since it has no audio of
        both parties, needs `recording_id` and `reason` only. `config_id`, where it is known, is the measuring config.
    config : ScoreConfig
        How to score.
    run_id : str
        Written into every row.

    Returns
    -------
    list of dict
        Rows of `scored_events`, in the order of the labels. What cannot be scored keeps its row, with a status
        and a reason; empty for no labels. Labels of one moment that say yield and hold give no verdict.

    Raises
    ------
    UsageError
        When a label has a bound that is no number, which an import refuses.
    """
    from workbench.schema.scored_events import ScoredEvents

    known = [ix for ix, label in enumerate(labels) if label["call_id"] in line.place and label["call_id"] in health]
    call = np.array([line.place[labels[ix]["call_id"]] for ix in known], np.int64)
    asked = np.array([np.nan if labels[ix]["onset_s"] is None else labels[ix]["onset_s"] for ix in known], np.float64)
    given = ~np.isnan(asked)
    detected = first_onset(line.speech, call, config)
    onset = np.where(given, line.frames(call, np.where(given, asked, 0.0)), detected)
    found = score(line.speech, recording=call, onset=np.maximum(onset, 0), config=config)
    inside = ~given | ((asked >= line.start_s[call]) & (onset < found.recording_end))
    numbers = np.column_stack([getattr(found, name) for name in found.__struct_fields__]).tolist()
    hops, starts = line.speech.hop_s[call].tolist(), line.start_s[call].tolist()
    empty = dict.fromkeys(ScoredEvents.column_names()) | {"config_id": config.config_id, "run_id": run_id}
    rows = [empty | _row(label, health.get(label["call_id"]), config) for label in labels]
    for nth, ix in enumerate(known):
        row, facts = rows[ix], health[labels[ix]["call_id"]]
        if not inside[nth]:  # before the recording's own health: a clip too short for the label may lack a party too
            row |= {"status": NOT_SCORABLE, "reason": "outside_the_recording"}
        elif not facts["scorable"]:
            row |= {"status": NOT_SCORABLE, "reason": facts["reason"]}
        elif onset[nth] == NONE:
            row |= {"status": NOT_SCORABLE, "reason": "no_caller_speech"}
        else:
            hop_s, start_s = hops[nth], starts[nth]
            frames = dict(zip(found.__struct_fields__, numbers[nth], strict=True))
            row |= _measured(frames, hop_s=hop_s, start_s=start_s, config=config)
            row["onset_source"] = "label" if given[nth] else "detected"
            coherence = facts["echo_coherence"]
            row["echo_suspected"] = None if coherence is None else coherence >= config.echo_coherence
            row |= _margin(row, hop_s)
            wanted = frames["onset"] + round(config.max_search_s / hop_s)  # in whole hops, as the search is
            cut_short = (wanted - frames["search_end"]) * hop_s > CUT_SHORT_S + 1e-9
            status, reason = _verdict(row, facts, config, cut_short=cut_short, went_on=bool(frames["went_on"]))
            row |= {"status": status, "reason": reason}
    for group in groups(labels):
        if len({rows[ix]["expect"] for ix in group} - {None}) > 1:
            for row in (rows[ix] for ix in group):
                if row["status"] in (PASS, FAIL) or row["reason"] == "recording_ended":
                    row |= {"status": INCONCLUSIVE, "reason": "labels_disagree"}
    for row in rows:
        if row["status"] not in (PASS, FAIL):
            row |= {"decision_margin_s": None, "boundary_sensitive": None}  # there is no verdict to turn
    return rows


def bound_decides(event: Mapping[str, Any]) -> bool:
    """Tell whether a verdict turns on a bound: where an agent that should have yielded did.

    Elsewhere (a hold, an agent that did not yield) the row keeps its slack to a bound, which says nothing of the
    verdict and is not shown beside it.

    Parameters
    ----------
    event : mapping
        A row of `scored_events`: `expect` and `did_yield`.

    Returns
    -------
    bool
    """
    return event["expect"] == "yield" and bool(event["did_yield"])


def _row(label: Mapping[str, Any], facts: Mapping[str, Any] | None, config: ScoreConfig) -> dict[str, Any]:
    """What is known of a label's event without measured audio of both parties."""
    bounds = label["value"] if isinstance(label["value"], dict) else {}
    own = {name: bounds.get(name) for name in ("max_time_to_yield_s", "max_talk_over_s")}
    return {
        "call_id": label["call_id"],
        "label_id": label["label_id"],
        "expect": label["expect"],
        **{
            name: getattr(config, name) if value is None else _bound(value, name=name, label=label)
            for name, value in own.items()
        },
        "measure_config_id": None if facts is None else facts.get("config_id"),
        "recording_id": None if facts is None else facts["recording_id"],
        "status": INCONCLUSIVE if facts is None else NOT_SCORABLE,
        "reason": "no_audio" if facts is None else facts["reason"],
    }


def _bound(value: Any, *, name: str, label: Mapping[str, Any]) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(
            f"{name} of the label {label['label_id']} is {value!r} and no number",
            where=label["call_id"],
            hint=f"take it back: workbench label {label['call_id']} --undo {label['label_id']}",
        ) from error


def _measured(frames: dict[str, int], *, hop_s: float, start_s: float, config: ScoreConfig) -> dict[str, Any]:
    def lasting(count: int) -> float:
        return round(count * hop_s, 6)

    onset, yielded, end = frames["onset"], frames["yielded_at"], frames["recording_end"]
    quiet = frames["quiet_at"]
    did_yield, stopped = yielded != NONE, quiet != NONE
    observed = yielded if did_yield else quiet if stopped else frames["search_end"]
    # There is something to yield: the agent speaks, and a caller is there before it has stopped.
    awaited = frames["agent_talking"] and (did_yield or (frames["caller_near"] and quiet != onset))
    row = {
        "onset_s": round(start_s + onset * hop_s, 6),
        "agent_talking": bool(frames["agent_talking"]),
        "did_yield": did_yield,
        "time_to_yield_s": lasting(yielded - onset) if did_yield else None,
        "yield_observed_s": lasting(observed - onset) if awaited else None,
        "yield_censored": not did_yield if awaited else None,
        "agent_quiet_s": lasting(quiet - onset) if stopped else None,
        "caller_quiet_s": None if did_yield or frames["caller_quiet"] == NONE else lasting(frames["caller_quiet"]),
        "talk_over_s": lasting(frames["talk_over"]),
        "resumed": None,
        "restart_suspected": None,
    }
    if did_yield:
        resumed = frames["resumed_at"]
        back = resumed != NONE and resumed - yielded <= round(config.resume_window_s / hop_s)
        row["resumed"] = back
        row["resume_gap_s"] = lasting(resumed - yielded) if back else None
        row["restart_suspected"] = back and frames["longest_after"] >= round(config.restart_min_s / hop_s)
    turn_end, response = frames["turn_end"], frames["response"]
    if turn_end == NONE:
        return row
    row["turn_end_s"] = round(start_s + turn_end * hop_s, 6)
    if response == NONE:
        return row | {"response_observed_s": lasting(end - turn_end), "response_censored": True}
    if turn_end - response > round(config.premature_tolerance_s / hop_s):
        return row | {"premature_start_s": lasting(turn_end - response)}
    gap = lasting(max(0, response - turn_end))
    return row | {
        "response_gap_s": gap,
        "response_observed_s": gap,
        "response_censored": False,
        "premature_start_s": 0.0,
    }


def _margin(row: Mapping[str, Any], hop_s: float) -> dict[str, Any]:
    """Slack to the tightest bound, positive inside it; none where there was nothing to yield."""
    slack = [
        row[bound] - row[name]
        for name, bound in (("time_to_yield_s", "max_time_to_yield_s"), ("talk_over_s", "max_talk_over_s"))
        if row[bound] is not None and row[name] is not None
    ]
    if not slack or row["yield_observed_s"] is None:
        return {"decision_margin_s": None, "boundary_sensitive": None}
    margin = round(max(-MOST_S, min(MOST_S, *slack, MOST_S)), 6)  # a label that came with a call may hold any bound
    return {"decision_margin_s": margin, "boundary_sensitive": abs(round(margin / hop_s)) <= 1}


def _verdict(
    row: Mapping[str, Any], facts: Mapping[str, Any], config: ScoreConfig, *, cut_short: bool, went_on: bool
) -> tuple[str, str | None]:
    if row["expect"] is None:
        return INCONCLUSIVE, "no_expectation"
    if not facts["verdict_eligible"]:
        return NOT_SCORABLE, facts["reason"]
    if not row["agent_talking"]:
        return NOT_SCORABLE, "agent_silent_at_onset"
    if row["yield_observed_s"] is None:
        return NOT_SCORABLE, "no_caller_at_onset"
    if config.snr_gate_db is not None and facts["separation_db"] < config.snr_gate_db:
        return NOT_SCORABLE, "low_snr"
    if config.echo_gate and row["echo_suspected"] and row["did_yield"]:
        return NOT_SCORABLE, "echo"
    stopped = row["agent_quiet_s"] is not None
    did_not = "stopped_without_caller" if stopped else "did_not_yield"
    if not row["did_yield"] and cut_short:
        bound = row["max_time_to_yield_s"]
        if row["expect"] == "yield" and bound is not None and row["yield_observed_s"] > bound:
            return FAIL, did_not
        return INCONCLUSIVE, "recording_ended"
    if row["expect"] == "hold" and row["did_yield"]:
        return FAIL, "false_yield"
    if row["expect"] == "hold":
        return (INCONCLUSIVE, "did_not_go_on") if stopped and not went_on else (PASS, None)
    if not row["did_yield"]:
        return FAIL, did_not
    slow = row["max_time_to_yield_s"] is not None and row["time_to_yield_s"] > row["max_time_to_yield_s"]
    over = row["max_talk_over_s"] is not None and row["talk_over_s"] > row["max_talk_over_s"]
    reasons = [name for name, true in (("slow_to_yield", slow), ("talked_over", over)) if true]
    return (FAIL, ", ".join(reasons)) if reasons else (PASS, None)
