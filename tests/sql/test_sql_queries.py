"""Every ready-made query runs with its defaults on a tiny archive and says what a person reads off it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from workbench.archive import views
from workbench.errors import UsageError

if TYPE_CHECKING:
    import duckdb

TINY = yaml.safe_load((Path(__file__).parent / "tiny.yaml").read_text(encoding="utf-8"))
QUERIES = {item.name: item for item in views.queries()}

# Read off tiny.yaml by hand. `given` are parameters without a default, or other than it.
EXPECT: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "slowest_responses": (
        {},
        [{"call_id": "c1", "gap_s": 2.0, "caller_text": "Refund fifty dollars", "agent_text": "Done."}],
    ),
    "talk_over_by_call": (
        {},
        [
            {
                "call_id": "c2",
                "agent_over_caller_count": 1,
                "agent_over_caller_s": 0.5,
                "caller_over_agent_count": 0,
            },
            {
                "call_id": "c1",
                "agent_over_caller_count": 0,
                "agent_over_caller_s": 0.0,
                "caller_over_agent_s": 0.5,
            },
        ],
    ),
    "dead_air": (
        {},
        [{"call_id": "c1", "start_s": 9.0, "end_s": 13.0, "silence_s": 4.0, "who_before": "agent"}],
    ),
    "labelled_moments": (
        {},
        [
            {"author": "two", "label_id": "l2", "onset_s": 3.5, "expect": "hold", "status": None},
            {"author": "one", "label_id": "l1", "onset_s": 2.5, "status": "FAIL", "reason": "talked_over"},
        ],
    ),
    "misheard_turns": ({}, [{"call_id": "c1", "turn_ix": 1, "had": "Refund fifty dollars"}]),
    "calls_by_source": (
        {},
        [
            {
                "source_format": "hotato",
                "call_count": 1,
                "with_audio_count": 1,
                "healthy_count": 1,
                "duration_s": 10.0,
            },
            {"source_format": "voiceeval", "call_count": 1, "with_audio_count": 0, "with_clock_count": 1},
        ],
    ),
    "calls_by_evidence": (
        {},
        [
            {"source_format": "hotato", "health": "eligible for scan", "clock": "audio", "audio_s": 0.04},
            {"source_format": "voiceeval", "health": "no audio", "clock": "transcript", "audio_s": 0.0},
        ],
    ),
    "call_levels": (
        {"call": "c2", "buckets": 2},
        [
            {"role": "agent", "start_s": 1.0, "end_s": 1.02, "level_dbfs": -60.0},
            {"role": "agent", "start_s": 1.02, "end_s": 1.04, "level_dbfs": -30.0},
            {"role": "caller", "start_s": 1.0, "end_s": 1.02, "level_dbfs": -15.0},
            {"role": "caller", "start_s": 1.02, "end_s": 1.04, "level_dbfs": -70.0},
        ],
    ),
    "gap_histogram": (
        {},
        [
            {
                "agent_id": "not supplied",
                "clock": "transcript",
                "bin_start_s": 2.0,
                "bin_end_s": 2.1,
                "gap_count": 1,
            }
        ],
    ),
    "talk_over_share": (
        {},
        [
            {"call_id": "c1", "clock": "transcript", "talk_over_s": 0.5, "caller_s": 4.5},
            {"call_id": "c2", "clock": "audio", "talk_over_s": 0.5, "caller_s": 2.0},
        ],
    ),
    "tool_calls_without_confirmation": (
        {},
        [{"call_id": "c1", "call_ix": 0, "turn_ix": 2, "name": "refund"}],
    ),
    "failures_by_code": (
        {},
        [{"failure_code": "slow_response", "finding_count": 1, "call_count": 1, "example_call_id": "c1"}],
    ),
}


def _typed(default: str | None) -> Any:
    return json.loads(default) if default and re.fullmatch(r"[0-9.]+", default) else default


def _run(con: duckdb.DuckDBPyConnection, name: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    defaults = {key: default for key, (_, default) in QUERIES[name].parameters.items()}
    parameters = {key: _typed(default) for key, default in defaults.items()} | given
    assert None not in parameters.values()
    result = con.execute(views.query(name), parameters or None)
    columns = [column[0] for column in result.description]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def test_every_query_has_an_expectation() -> None:
    assert set(QUERIES) == set(EXPECT)


@pytest.mark.parametrize("name", QUERIES)
def test_query_says_what_is_in_the_archive(
    name: str, archive_with: Callable[[dict[str, Any]], duckdb.DuckDBPyConnection]
) -> None:
    given, wanted = EXPECT[name]
    rows = _run(archive_with(TINY), name, given)
    assert len(rows) == len(wanted), rows
    for row, want in zip(rows, wanted, strict=True):
        assert {key: row[key] for key in want} == pytest.approx(want), row


def test_a_confirmation_before_the_action_counts(
    archive_with: Callable[[dict[str, Any]], duckdb.DuckDBPyConnection],
) -> None:
    con = archive_with(TINY)
    con.execute("update lake.turns set text = 'Fifteen, is that right?' where turn_ix = 0")
    assert _run(con, "tool_calls_without_confirmation", {}) == []


def test_an_unknown_query_is_refused_with_the_list() -> None:
    with pytest.raises(UsageError, match="slowest_responses"):
        views.query("fastest_responses")


def test_parameters_are_described_with_their_defaults() -> None:
    assert QUERIES["dead_air"].parameters == {
        "min_silence_s": ("silences up to this length are not shown, in seconds.", "3.0")
    }
    assert QUERIES["call_levels"].parameters["call"] == ("the call.", None)


def test_a_slow_answer_heard_in_audio_has_the_words_of_the_turns_nearest_to_it(
    archive_with: Callable[[dict[str, Any]], duckdb.DuckDBPyConnection],
) -> None:
    """Call c2 is heard: the caller ends at 3.0 s, the agent answers at 7.0 s; a turn two seconds off is another."""
    given = TINY | {"segments": [dict(row) for row in TINY["segments"]]}
    given["segments"][1] |= {"start_s": 7.0, "end_s": 8.0}
    turns = [("agent", 0.0, 0.9, "Hello."), ("caller", 1.1, 3.4, "What is open?"), ("agent", 6.8, 8.1, "We are.")]
    given["turns"] = [
        *TINY["turns"],
        *(
            {"call_id": "c2", "turn_ix": ix, "role": role, "start_s": start, "end_s": end, "text": text}
            for ix, (role, start, end, text) in enumerate(turns)
        ),
    ]
    (row,) = [row for row in _run(archive_with(given), "slowest_responses", {}) if row["call_id"] == "c2"]
    assert (row["clock"], row["gap_s"]) == ("audio", 4.0)
    assert (row["caller_text"], row["agent_text"]) == ("What is open?", "We are.")
    given["turns"][-1]["start_s"] = 4.9
    (row,) = [row for row in _run(archive_with(given), "slowest_responses", {}) if row["call_id"] == "c2"]
    assert row["agent_text"] is None
