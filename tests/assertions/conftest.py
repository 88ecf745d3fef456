"""Small calls made by hand, as rows."""

import json
from pathlib import Path

import pytest

from workbench.assertions import Rows, load_pack, run_pack
from workbench.schema.assertion_results import AssertionResults
from workbench.schema.assertions import Assertions
from workbench.schema.calls import Calls
from workbench.schema.input_health import InputHealth
from workbench.schema.segments import Segments
from workbench.schema.tool_calls import ToolCalls
from workbench.schema.turns import Turns

FIXTURES = Path(__file__).parents[2] / "data" / "calls" / "voiceeval-fixtures"


def make_rows(*calls, measured=False):
    """Rows of calls given as dicts: id, turns, tool_calls, segments, health and columns of `calls`."""
    tables = {"calls": [], "turns": [], "tool_calls": [], "segments": [], "input_health": []}
    for ix, given in enumerate(calls):
        call = {"turn_clock": "reported", "completed": True, **given}
        call_id = call.pop("id", f"call-{ix}")
        turns, tools = call.pop("turns", None), call.pop("tool_calls", None)
        if isinstance(call.get("policy"), dict | list):
            call["policy"] = json.dumps(call["policy"])
        supplied = [name for name, rows in (("turns", turns), ("tool_calls", tools)) if rows is not None]
        for n, (role, start, end) in enumerate(call.pop("segments", [])):
            tables["segments"].append(
                {
                    "recording_id": f"r-{call_id}",
                    "call_id": call_id,
                    "role": role,
                    "channel_ix": 0 if role == "caller" else 1,
                    "backend": "energy",
                    "config_id": "k",
                    "segment_ix": n,
                    "start_s": start,
                    "end_s": end,
                    "voiced_end_s": end,
                    "peak_dbfs": -20.0,
                    "faint": False,
                }
            )
        health = call.pop("health", None)
        if health is not None:
            known = {"recording_id": f"r-{call_id}", "call_id": call_id, "config_id": "k"}
            tables["input_health"].append(known | health)
        tables["calls"].append({"call_id": call_id, "supplied": supplied, **call})
        for n, turn in enumerate(turns or []):
            tables["turns"].append({"call_id": call_id, "turn_ix": n, **turn})
        for n, known in enumerate(tools or []):
            tool = {"consequential": True, **known}
            if "arguments" in tool and not isinstance(tool["arguments"], str | None):
                tool["arguments"] = json.dumps(tool["arguments"])
            tables["tool_calls"].append({"call_id": call_id, "call_ix": n, **tool})
    return Rows(
        calls=Calls.frame(tables["calls"]),
        turns=Turns.frame(tables["turns"]),
        tool_calls=ToolCalls.frame(tables["tool_calls"]),
        segments=Segments.frame(tables["segments"]) if tables["segments"] or measured else None,
        input_health=InputHealth.frame(tables["input_health"]) if tables["input_health"] else None,
    )


def run(rows, pack=None):
    """Results of the bundled pack, checked against the schema."""
    definitions, results = run_pack(pack or load_pack("caller-experience"), rows, run_id="run-1")
    Assertions.validate(definitions)
    return AssertionResults.validate(results)


def results_of(rows, assertion, pack=None):
    """Rows of one assertion as dicts, JSON decoded."""
    rows = run(rows, pack).rows(named=True)
    return [
        row | {name: json.loads(row[name]) if row[name] else None for name in ("observed", "expected", "evidence")}
        for row in rows
        if row["assertion_id"] == assertion
    ]


def only(rows, assertion, pack=None):
    """The one row of an assertion on one call."""
    (row,) = results_of(rows, assertion, pack)
    return row


def turn(role, start=None, end=None, text="hello", **more):
    return {"role": role, "start_s": start, "end_s": end, "text": text, **more}


@pytest.fixture
def made():
    """The functions above, by name."""

    class Made:
        rows = staticmethod(make_rows)
        run = staticmethod(run)
        results = staticmethod(results_of)
        only = staticmethod(only)
        turn = staticmethod(turn)

    return Made


@pytest.fixture
def golden_calls():
    """The three fixtures of voiceeval as rows, by file name."""

    def read(name):
        document = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
        turns, tools = [], []
        for ix, given in enumerate(document["turns"]):
            role = {"user": "caller", "agent": "agent"}[given["speaker"]]
            kept = {key: given[key] for key in ("text", "truth", "start_s", "end_s") if key in given}
            turns.append({"role": role, **kept})
            tools += [
                {
                    "turn_ix": ix,
                    "name": action["name"],
                    "arguments": action["args"],
                    "consequential": action["consequential"],
                }
                for action in given.get("actions", [])
            ]
        call = {"id": document["id"], "policy": document["policy"], "completed": document["completed"]}
        return call | {"turns": turns, "tool_calls": tools}

    return read
