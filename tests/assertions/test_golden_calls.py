"""voiceeval's own three calls and thresholds give voiceeval's findings (MIT, commit 23e1378c6300)."""

import pytest

GOLDEN = {
    "good_call": set(),
    "misheard_call": {("misheard_number", 1, "high"), ("no_confirmation", 2, "high")},
    "slow_call": {
        ("slow_response", 2, "high"),
        ("incomplete", None, "medium"),
        ("talked_over_caller", 0, "medium"),
        ("dead_air", 1, "medium"),
        ("dead_air", 2, "medium"),
    },
}


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_findings_of_a_golden_call(made, golden_calls, name):
    results = made.run(made.rows(golden_calls(name))).rows(named=True)
    failed = {(row["assertion_id"], row["turn_ix"], row["severity"]) for row in results if row["status"] == "FAIL"}
    assert failed == GOLDEN[name]
    assert {row["assertion_id"] for row in results} == {
        "misheard_number", "misheard", "no_confirmation", "policy_limit",
        "slow_response", "talked_over_caller", "dead_air", "incomplete",
    }  # fmt: skip


def test_the_slow_call_names_what_was_seen_and_when(made, golden_calls):
    rows = made.rows(golden_calls("slow_call"))
    slow = made.only(rows, "slow_response")
    assert (slow["observed"], slow["expected"]) == ({"gap_s": 4.5}, {"max_gap_s": 1.5})
    assert (slow["start_s"], slow["end_s"]) == (4.5, 9.0)
    assert slow["evidence"]["turns"] == [1, 2]
    over = made.only(rows, "talked_over_caller")
    assert (over["observed"], over["start_s"], over["end_s"]) == ({"overlap_s": 1.5, "who_first": "agent"}, 2.5, 4.0)
    assert over["message"] == "The caller began while the agent was speaking; both spoke for 1.50 s."


def test_one_long_gap_answers_two_questions_and_says_so(made, golden_calls):
    rows = made.rows(golden_calls("slow_call"))
    assert made.only(rows, "slow_response")["evidence"]["shares_stretch_with"] == ["dead_air"]
    first, second = made.results(rows, "dead_air")
    assert first["evidence"]["shares_stretch_with"] == ["slow_response"]
    assert first["evidence"]["between"] == ["caller", "agent"]
    assert "shares_stretch_with" not in second["evidence"]


def test_the_misheard_call_names_both_values(made, golden_calls):
    row = made.only(made.rows(golden_calls("misheard_call")), "misheard_number")
    assert row["observed"]["numbers"] == ["50"]
    assert row["expected"]["numbers"] == ["15"]
    assert row["failure_code"] == "misheard_number"
    assert row["message"] == "Heard 50 where the caller said 15."


@pytest.mark.parametrize(
    ("gap", "severity", "dead"),
    [(1.5, None, False), (1.501, "medium", False), (3.0, "medium", False), (3.01, "high", True)],
)
def test_gaps_at_the_thresholds(made, gap, severity, dead):
    rows = made.rows({"turns": [made.turn("caller", 0.0, 2.0), made.turn("agent", 2.0 + gap, 8.0)]})
    slow, silent = made.only(rows, "slow_response"), made.only(rows, "dead_air")
    assert slow["severity"] == severity
    assert slow["status"] == ("FAIL" if severity else "PASS")
    assert silent["status"] == ("FAIL" if dead else "PASS")
