import pytest

from workbench.assertions import compare_runs
from workbench.errors import UsageError
from workbench.schema.assertion_results import AssertionResults
from workbench.stats.paired import mcnemar, tango


def frame(run_id, **by_call):
    rows = []
    for call_id, status in by_call.items():
        assertion, _, call = call_id.rpartition("__")
        for ix, one in enumerate(status.split()):
            code = "slow" if one == "FAIL" else None
            rows.append(
                {
                    "run_id": run_id,
                    "assertion_id": assertion or "slow",
                    "call_id": call,
                    "result_ix": ix,
                    "dimension": "conversation",
                    "status": one,
                    "failure_code": code,
                    "message": "",
                    "deterministic": True,
                }
            )
    return AssertionResults.validate(AssertionResults.frame(rows))


@pytest.mark.parametrize(
    ("before", "after", "change", "verdict"),
    [
        ("PASS", "FAIL", "broke", "REGRESSION"),
        ("PASS", "FAIL FAIL", "broke", "REGRESSION"),
        ("SKIPPED", "FAIL", "broke", "REGRESSION"),
        ("FAIL", "PASS", "fixed", "IMPROVED"),
        ("FAIL FAIL", "FAIL", "still_failing", "NO CHANGE"),
        ("INCONCLUSIVE", "FAIL", "newly_seen_failing", "NO CHANGE"),
        ("PASS", "INCONCLUSIVE", "became_inconclusive", "NO CHANGE"),
        ("FAIL", "INCONCLUSIVE", "became_inconclusive", "NO CHANGE"),
        ("FAIL", "NOT_SCORABLE", "became_inconclusive", "NO CHANGE"),
        ("FAIL", "ERROR", "became_inconclusive", "NO CHANGE"),
        ("FAIL", "SKIPPED", "no_longer_failing", "NO CHANGE"),
        ("PASS", "PASS", "unchanged", "NO CHANGE"),
        ("INCONCLUSIVE", "PASS", "unchanged", "NO CHANGE"),
    ],
)
def test_what_a_change_is_called(before, after, change, verdict):
    diff = compare_runs(frame("one", a=before), frame("two", a=after))
    assert diff.changes["change"].to_list() == [change]
    assert diff.count(change) == 1
    assert diff.verdict == verdict


def test_a_fix_does_not_outweigh_a_break():
    diff = compare_runs(frame("one", a="FAIL", b="PASS"), frame("two", a="PASS", b="FAIL"))
    assert diff.verdict == "REGRESSION"


def test_failures_on_added_calls_are_reported_and_are_no_regression():
    diff = compare_runs(frame("one", a="PASS", gone="FAIL"), frame("two", a="PASS", new="FAIL"))
    assert diff.verdict == "NO CHANGE"
    assert (diff.added_calls, diff.removed_calls) == (["new"], ["gone"])
    assert diff.added_failures["call_id"].to_list() == ["new"]
    assert diff.by_assertion["calls_shared"].to_list() == [1]


def test_an_added_assertion_is_named_and_its_failure_is_no_regression():
    diff = compare_runs(frame("one", a="PASS"), frame("two", a="PASS", other__a="FAIL"))
    assert (diff.added_assertions, diff.removed_assertions) == (["other"], [])
    assert diff.verdict == "NO CHANGE"
    assert diff.added_failures["assertion_id"].to_list() == ["other"]


def test_counts_and_interval_use_only_pairs_with_a_verdict_on_both_sides():
    statuses = {
        "a": "PASS",
        "b": "PASS",
        "c": "PASS",
        "d": "FAIL",
        "e": "FAIL",
        "f": "INCONCLUSIVE",
        "g": "PASS",
    }
    later = {
        "a": "PASS",
        "b": "FAIL",
        "c": "FAIL",
        "d": "PASS",
        "e": "FAIL",
        "f": "PASS",
        "g": "INCONCLUSIVE",
    }
    (row,) = compare_runs(frame("one", **statuses), frame("two", **later)).by_assertion.rows(named=True)
    assert (row["calls_shared"], row["pairs"], row["b"], row["c"]) == (7, 5, 2, 1)
    assert (row["before_pass"], row["before_fail"], row["before_inconclusive"]) == (4, 2, 1)
    assert (row["after_pass"], row["after_fail"], row["after_inconclusive"]) == (3, 3, 1)
    assert row["p_exact"] == mcnemar(2, 1).p_exact == 1.0
    wanted = tango(both=1, first_only=1, second_only=2, neither=1)
    assert wanted.difference == pytest.approx(-0.2)
    assert (row["difference"], row["difference_low"], row["difference_high"]) == tuple(wanted)


def test_without_pairs_there_is_no_p_and_no_interval():
    (row,) = compare_runs(frame("one", a="SKIPPED"), frame("two", a="SKIPPED")).by_assertion.rows(named=True)
    assert (row["pairs"], row["p_exact"], row["difference"]) == (0, None, None)


def test_runs_that_share_nothing_are_refused_not_unchanged():
    with pytest.raises(UsageError, match="in common"):
        compare_runs(frame("one", a="PASS"), frame("two", other__b="PASS"))


def test_a_frame_of_several_runs_is_refused():
    both = frame("one", a="PASS").vstack(frame("two", b="PASS"))
    with pytest.raises(UsageError, match="several runs"):
        compare_runs(both, both)


def test_an_unknown_change_is_refused():
    with pytest.raises(UsageError, match="broke"):
        compare_runs(frame("one", a="PASS"), frame("two", a="PASS")).count("broken")
