"""A call as rows of the tables, and back again."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

from workbench.schema.call import Call, Label, Scenario, Span, StageTiming, StateRow, ToolCall, Turn, Word

Rows = dict[str, list[dict[str, Any]]]

_PLAIN = (
    "source_format source_uri source_sha256 origin started_at platform agent_id agent_version agent_config_sha256 "
    "language ended_by completed outcome expected_outcome cost_usd experiment_id parent_call_id fork_turn arm trial "
    "seed turn_clock"
).split()
_TURN = "role text heard truth start_s end_s intent expected_intent served_from barge_in".split()
_WORD = "word start_s end_s confidence source".split()
_TOOL = "name turn_ix error start_s end_s consequential authority".split()
_SPAN = "type parent_id name start_s end_s time_s redacted".split()
_STAGE = "stage value_ms measured_at turn_ix reason_missing".split()
_LABEL = "kind onset_s end_s expect author authority".split()
_KINDS = "turns tool_calls spans stage_timings state labels audio".split()


def json_text(value: Any) -> str | None:
    """Return a value as canonical JSON text (sorted keys); None stays None."""
    return None if value is None else msgspec.json.encode(value, order="deterministic").decode()


def digest(value: Any, length: int = 16) -> str:
    """Return the first hex digits of the SHA-256 of a value's canonical JSON."""
    import hashlib

    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:length]


def _picker(names: list[str]) -> Callable[[msgspec.Struct], dict[str, Any]]:
    """Return what takes the named fields of a struct as a dict; many times faster than one by one."""
    values = attrgetter(*names)
    return lambda struct: dict(zip(names, values(struct), strict=True))


_plain, _turn, _word, _tool, _span, _stage, _label = map(_picker, (_PLAIN, _TURN, _WORD, _TOOL, _SPAN, _STAGE, _LABEL))


def rows_of(call: Call, *, run_id: str) -> Rows:
    """Flatten a call into rows by table name; recordings are added by the media store.

    Parameters
    ----------
    call : Call
        A checked call. `id`, `source_format`, `source_uri` and `source_sha256` are set.
    run_id : str
        The importing run.

    Returns
    -------
    dict of str to list of dict
        Rows of `calls`, `turns`, `words`, `tool_calls`, `spans`, `stage_timings`, `state_rows`, `labels`
        and `scenarios`; lists are empty where the call has none.
    """
    key = {"call_id": call.id}
    turns = call.turns or []
    supplied = [kind for kind in _KINDS if getattr(call, kind) is not None]
    if any(turn.words is not None for turn in turns):
        supplied.append("words")
    ends = [turn.end_s for turn in turns if turn.end_s is not None]
    head = _plain(call) | key
    head |= {
        "evidence_tier": 2 if turns else 3,
        "supplied": sorted(supplied),
        "duration_s": call.duration_s if call.duration_s is not None else max(ends, default=None),
        "policy": json_text(call.policy),
        "tags": None if call.tags is None else [{"key": k, "value": v} for k, v in sorted(call.tags.items())],
        "scenario_id": call.scenario.scenario_id if call.scenario else None,
        "scenario_sha256": digest(call.scenario, 64) if call.scenario else None,
        "run_id": run_id,
    }
    rows: Rows = {"calls": [head], "turns": [], "words": [], "scenarios": []}
    for turn_ix, turn in enumerate(turns):
        at = key | {"turn_ix": turn_ix}
        rows["turns"].append(
            at
            | _turn(turn)
            | {"entities": json_text(turn.entities), "expected_entities": json_text(turn.expected_entities)}
        )
        rows["words"] += [at | {"word_ix": ix} | _word(word) for ix, word in enumerate(turn.words or [])]
    rows["tool_calls"] = [
        key | {"call_ix": ix, "arguments": json_text(tool.arguments), "result": json_text(tool.result)} | _tool(tool)
        for ix, tool in enumerate(call.tool_calls or [])
    ]
    rows["spans"] = [
        key | {"span_id": span.span_id or f"span-{ix}", "attributes": json_text(span.attributes)} | _span(span)
        for ix, span in enumerate(call.spans or [])
    ]
    rows["stage_timings"] = [
        key | {"timing_ix": ix} | _stage(timing) for ix, timing in enumerate(call.stage_timings or [])
    ]
    rows["state_rows"] = [
        key
        | {
            "state_ix": ix,
            "snapshot": s.snapshot,
            "resource": s.resource,
            "record": json_text(s.record) or "null",
        }
        for ix, s in enumerate(call.state or [])
    ]
    rows["labels"] = [
        key
        | {"label_id": f"{ix}-{digest(label)}", "value": json_text(label.value), "recorded_at": None}
        | _label(label)
        for ix, label in enumerate(call.labels or [])
    ]
    if call.scenario is not None:
        rows["scenarios"].append(_scenario_row(call.scenario, run_id))
    return rows


def _scenario_row(scenario: Scenario, run_id: str) -> dict[str, Any]:
    return {
        "scenario_id": scenario.scenario_id,
        "definition_sha256": digest(scenario, 64),
        "name": scenario.name,
        "expected_outcome": scenario.expected_outcome,
        "required_facts": scenario.required_facts,
        "forbidden_facts": scenario.forbidden_facts,
        "document": json_text(scenario.document),
        "run_id": run_id,
    }


def _parsed(value: str | None) -> Any:
    return None if value is None else msgspec.json.decode(value)


def _given(call: dict[str, Any], kind: str, values: list[Any]) -> list[Any] | None:
    return values if kind in call["supplied"] else None


def call_of(rows: Rows) -> Call:
    """Put a call together again from its rows.

    Parameters
    ----------
    rows : dict of str to list of dict
        Rows of one call by table, each list in key order; `recordings` may carry `path` and `roles`.

    Returns
    -------
    Call
        Equal to what was imported, but for a `duration_s` that was not stated and follows from the clocks.
    """
    from workbench.schema.call import Audio

    head = rows["calls"][0]
    words: dict[int, list[Word]] = {}
    for row in rows["words"]:
        words.setdefault(row["turn_ix"], []).append(Word(**{name: row[name] for name in _WORD}))
    turns = [
        Turn(
            **{name: row[name] for name in _TURN},
            entities=_parsed(row["entities"]),
            expected_entities=_parsed(row["expected_entities"]),
            words=words.get(row["turn_ix"]),
        )
        for row in rows["turns"]
    ]
    tools = [
        ToolCall(
            **{name: row[name] for name in _TOOL},
            arguments=_parsed(row["arguments"]),
            result=_parsed(row["result"]),
        )
        for row in rows["tool_calls"]
    ]
    spans = [
        Span(
            **{name: row[name] for name in _SPAN},
            span_id=row["span_id"],
            attributes=_parsed(row["attributes"]),
        )
        for row in rows["spans"]
    ]
    state = [
        StateRow(snapshot=row["snapshot"], resource=row["resource"], record=_parsed(row["record"]))
        for row in rows["state_rows"]
    ]
    labels = [
        Label(**{name: row[name] for name in _LABEL}, value=_parsed(row["value"]))
        for row in rows["labels"]
        if row["recorded_at"] is None
    ]
    audio = [
        Audio(
            path=row["path"],
            channels=row["channel_roles"],
            channel_map_source=row["channel_map_source"],
            boundary=row["boundary"],
            offset_s=row["offset_s"],
        )
        for row in rows.get("recordings", [])
    ]
    scenario = rows["scenarios"][0] if rows["scenarios"] else None
    tags = head["tags"]
    return Call(
        id=head["call_id"],
        **{name: head[name] for name in _PLAIN},
        duration_s=head["duration_s"],
        policy=_parsed(head["policy"]),
        tags=None if tags is None else dict(tags) if isinstance(tags, dict) else {t["key"]: t["value"] for t in tags},
        scenario=None
        if scenario is None
        else Scenario(
            **{
                name: scenario[name]
                for name in "scenario_id name expected_outcome required_facts forbidden_facts".split()
            },
            document=_parsed(scenario["document"]),
        ),
        turns=_given(head, "turns", turns),
        tool_calls=_given(head, "tool_calls", tools),
        spans=_given(head, "spans", spans),
        stage_timings=_given(
            head,
            "stage_timings",
            [StageTiming(**{n: row[n] for n in _STAGE}) for row in rows["stage_timings"]],
        ),
        state=_given(head, "state", state),
        labels=_given(head, "labels", labels),
        audio=_given(head, "audio", audio),
    )
