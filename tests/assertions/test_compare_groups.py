"""New calls have new ids: a later run's added calls are compared as a group, by Newcombe's interval.

Expected intervals: statsmodels `confint_proportions_2indep(..., method="newcomb")`.
"""

from __future__ import annotations

import polars as pl
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from workbench.assertions import compare_runs


def run(run_id: str, statuses: dict[str, str]) -> pl.DataFrame:
    """Results of one assertion: status by call."""
    return pl.DataFrame(
        [{"run_id": run_id, "assertion_id": "slow_response", "call_id": c, "status": s} for c, s in statuses.items()]
    )


def calls(prefix: str, *, passed: int, failed: int) -> dict[str, str]:
    return {f"{prefix}{n}": "PASS" if n < passed else "FAIL" for n in range(passed + failed)}


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [((9, 1), (1, 9), "REGRESSION"), ((1, 9), (9, 1), "IMPROVED"), ((5, 5), (6, 4), "NO CHANGE")],
)
def test_added_calls_against_the_earlier_ones(old: tuple[int, int], new: tuple[int, int], verdict: str) -> None:
    earlier = calls("old", passed=old[0], failed=old[1])
    diff = compare_runs(run("a", earlier), run("b", earlier | calls("new", passed=new[0], failed=new[1])))
    (row,) = diff.groups.to_dicts()
    low, high = confint_proportions_2indep(new[0], 10, old[0], 10, method="newcomb", compare="diff", alpha=0.05)
    assert (row["low"], row["high"]) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
    assert (row["before_trials"], row["added_trials"]) == (10, 10)
    assert diff.verdict == verdict
    assert diff.count("unchanged") + diff.count("still_failing") == 10  # the shared calls did not change


def test_the_confidence_pays_for_each_assertion_looked_at() -> None:
    earlier, later = calls("old", passed=9, failed=1), calls("new", passed=9, failed=1)
    a = pl.concat([run("a", earlier), run("a", earlier).with_columns(assertion_id=pl.lit("dead_air"))])
    b = pl.concat([run("b", later), run("b", later).with_columns(assertion_id=pl.lit("dead_air"))])
    assert set(compare_runs(a, b).groups["confidence"]) == {0.975}


def test_calls_that_cannot_be_judged_are_no_trials() -> None:
    earlier = calls("old", passed=3, failed=1)
    diff = compare_runs(run("a", earlier), run("b", earlier | {"new": "INCONCLUSIVE"}))
    assert diff.groups.is_empty()
    assert diff.verdict == "NO CHANGE"
