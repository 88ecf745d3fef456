"""Refuses single rows of a call that cannot be true, and keeps the rest of the call."""

from __future__ import annotations

import math
import sys
from typing import Any, Final

from workbench.errors import ImportFailed
from workbench.ingest.intake.refusing import of_call, shown
from workbench.ingest.intake.shape import utc
from workbench.schema.call import Call, Label, Refusal

ROLES: Final = ("caller", "agent")
TIMES: Final = ("start_s", "end_s", "time_s", "onset_s")
NUMBERS: Final = (*TIMES, "confidence", "value_ms")
WHOLE: Final = {"trial": (0, 2**63 - 1), "seed": (-(2**63), 2**63 - 1), "fork_turn": (0, 2**31 - 1)}
"""Whole numbers of a call, with the least and greatest that a table keeps."""

KEYS: Final = ("parent_call_id", "experiment_id", "arm", "agent_id", "agent_version", "agent_config_sha256")
"""What calls are joined and compared by, beside their id."""

SPAN_KEYS: Final = ("span_id", "parent_id")
NUL_HINT: Final = "take the NUL (\\u0000) out: it ends the text of every query that compares the key"

BOUNDS: Final = ("max_time_to_yield_s", "max_talk_over_s")
MAX_BOUND_S: Final = sys.float_info.max
"""The longest that a table keeps."""

MAX_TURNS: Final = 2**31
TIMED: Final = ("turns", "tool_calls", "spans", "stage_timings", "labels")


def drop_impossible(call: Call) -> list[Refusal]:
    """Drop what no table could keep or nobody could mean, and keep the rest.

    Rows go with an unknown speaker, a number that is none, a negative time, an end before its start, a turn index out
    of range, a span's key with a NUL or a label whose value nobody can read; of the call itself, a length, cost, trial,
    seed or fork that is out of range, a start that is no date, and a key with a NUL.

    Parameters
    ----------
    call : Call
        Changed in place. Where a turn goes, `turn_ix` of the other rows moves with the turns that stay, and
        becomes None where it pointed at the turn that went.

    Returns
    -------
    list of Refusal
        One of scope ``row`` for each row or value that was dropped; empty for a sound call.
    """
    refused: list[Refusal] = []
    for name in ("duration_s", "cost_usd"):
        value = getattr(call, name)
        if value is not None and not (math.isfinite(value) and value >= 0):
            rule = "negative_time" if value < 0 else "not_finite"
            refused.append(_refusal(call, rule, f"{name} is {value!r}", where=name))
            setattr(call, name, None)
    for name, (least, greatest) in WHOLE.items():
        value = getattr(call, name)
        if value is not None and not least <= value <= greatest:
            message = f"{name} is {shown(value)}, not from {least} to {greatest}; it is left out"
            refused.append(_refusal(call, "out_of_range", message, where=name))
            setattr(call, name, None)
    refused += _drop_head(call)
    for kind in TIMED:
        rows = getattr(call, kind)
        if rows:
            _drop(call, kind, rows, refused=refused)
    for ix, turn in enumerate(call.turns or ()):
        if turn.words:
            problems = [_problem(word) for word in turn.words]
            turn.words = [word for word, problem in zip(turn.words, problems, strict=True) if not problem]
            refused += [
                _refusal(call, *problem, where=f"turns[{ix}].words[{at}]")
                for at, problem in enumerate(problems)
                if problem
            ]
    for ix, audio in enumerate(call.audio or ()):
        if not math.isfinite(audio.offset_s):
            where = f"audio[{ix}].offset_s"
            message = f"offset_s is {audio.offset_s!r}; 0 is taken"
            refused.append(_refusal(call, "not_finite", message, where=where))
            audio.offset_s = 0.0
    return refused


def _drop_head(call: Call) -> list[Refusal]:
    """Drop a start that is no date in UTC, and keys with a NUL."""
    refused = []
    try:
        utc(call.started_at)
    except ImportFailed as error:
        message = f"{error.what}; it is left out"
        refused.append(_refusal(call, error.rule, message, where="started_at"))
        call.started_at = None
    for name in KEYS:
        value = getattr(call, name)
        if value is not None and "\0" in value:
            refused.append(_refusal(call, "nul_in_key", f"{name} is {shown(value)}; it is left out", where=name))
            setattr(call, name, None)
    if call.scenario is not None and "\0" in call.scenario.scenario_id:
        message = f"scenario_id is {shown(call.scenario.scenario_id)}; the scenario is left out"
        refused.append(_refusal(call, "nul_in_key", message, where="scenario.scenario_id"))
        call.scenario = None
    return refused


def turns_out_of_order(call: Call) -> Refusal | None:
    """Return a note when a turn starts before the one it follows; the order of the source is kept."""
    latest = -math.inf
    for ix, turn in enumerate(call.turns or ()):
        if turn.start_s is None:
            continue
        if turn.start_s < latest:
            return of_call(
                call,
                "turns_out_of_order",
                message=f"it starts at {turn.start_s:.15g} s, before one listed earlier ({latest:.15g} s)",
                hint="the order of the source is kept; sort the turns by start_s if it has no meaning",
                where=f"turns[{ix}]",
                scope="note",
            )
        latest = turn.start_s
    return None


def _drop(call: Call, kind: str, rows: list[Any], *, refused: list[Refusal]) -> None:
    moved: dict[int, int] = {}
    kept: list[Any] = []
    for ix, row in enumerate(rows):
        problem = _problem(row)
        if problem:
            refused.append(_refusal(call, *problem, where=f"{kind}[{ix}]"))
        else:
            moved[ix] = len(kept)
            kept.append(row)
    if len(kept) == len(rows):
        return
    setattr(call, kind, kept)
    if kind == "turns":
        for row in (*(call.tool_calls or ()), *(call.stage_timings or ())):
            if row.turn_ix is not None and row.turn_ix < len(rows):
                row.turn_ix = moved.get(row.turn_ix)


def _problem(row: Any) -> tuple[str, str] | None:
    for name in SPAN_KEYS:
        if "\0" in (getattr(row, name, None) or ""):
            return "nul_in_key", f"{name} is {shown(getattr(row, name))}"
    role = getattr(row, "role", "caller")
    if role not in ROLES:
        return "unknown_speaker", f"the speaker is {shown(role)}, neither caller nor agent"
    for name in NUMBERS:
        value = getattr(row, name, None)
        if value is None:
            continue
        if not math.isfinite(value):
            return "not_finite", f"{name} is {value!r}"
        if value < 0 and not _reported_latency(row):
            return "negative_time", f"{name} is {value:.15g}"
    turn_ix = getattr(row, "turn_ix", None)
    if turn_ix is not None and not 0 <= turn_ix < MAX_TURNS:
        return "out_of_range", f"turn_ix is {shown(turn_ix)}, which is no turn"
    start, end = getattr(row, "start_s", None), getattr(row, "end_s", None)
    if start is not None and end is not None and end < start:
        return "end_before_start", f"end_s {end:.15g} is before start_s {start:.15g}"
    return _label_problem(row) if isinstance(row, Label) else None


def _label_problem(label: Label) -> tuple[str, str] | None:
    """What of a label's value cannot be read, where scores and views of the whole archive read it."""
    value = label.value if isinstance(label.value, dict) else {}
    for name in BOUNDS if label.kind == "expectation" else ():
        bound = value.get(name)
        number = isinstance(bound, int | float) and not isinstance(bound, bool)
        if bound is not None and not (number and 0 <= bound <= MAX_BOUND_S):
            return "label_value", f"{name} is {shown(bound)}, which is no length in seconds"
    roles = value.get("roles") if label.kind == "channel_map" else None
    if roles is not None and not (isinstance(roles, list) and all(isinstance(role, str) for role in roles)):
        return "label_value", f"roles is {shown(roles)}, which is no list of roles"
    return None


def _reported_latency(row: Any) -> bool:
    """Whether it says how soon an answer came: one below 0 is kept as reported, and named where clocks are compared."""
    return getattr(row, "stage", None) == "e2e"


HINTS: Final = {
    "unknown_speaker": "name the speakers caller and agent; user, customer, assistant and bot are understood",
    "impossible_date": "mend the date, or write null where it is not known",
    "nul_in_key": NUL_HINT,
    "not_finite": "write null for a value that was not measured",
    "out_of_range": "write the number that was meant, or leave it out",
    "negative_time": "times are seconds from the start of the call; write null for one that is not known",
    "label_value": "bounds are seconds, 0 or more; roles is a list with one role a channel",
    "end_before_start": "end_s is a time, not a length; write null if the end is not known",
}


def _refusal(call: Call, rule: str, message: str, *, where: str) -> Refusal:
    return of_call(call, rule, message=message, hint=HINTS[rule], where=where, scope="row")
