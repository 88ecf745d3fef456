"""Limits stay within the range of what they bound."""

from __future__ import annotations

from math import exp, log

import pytest
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from workbench.analysis.timing_counts import interval_over_calls
from workbench.errors import UsageError
from workbench.stats.bounded import wilson_over_calls, within
from workbench.stats.rates import wilson
from workbench.stats.ratios import ratio_of_sums
from workbench.stats.survival import restricted_mean


def test_a_restricted_mean_of_two_moments_stays_within_its_horizon() -> None:
    mean = restricted_mean([0.01, 1.01], [True, True], tau_s=1.01)
    assert mean.low is not None
    assert mean.low < 0
    assert mean.high is not None
    assert mean.high > 1.01
    found = within(mean.mean, mean.se, most=1.01)
    assert found is not None
    assert 0 < found.low < mean.mean < found.high < 1.01
    share = mean.mean / 1.01
    off = norm.ppf(0.975) * mean.se / 1.01 / (share * (1 - share))
    assert found.low == pytest.approx(1.01 / (1 + exp(-(log(share / (1 - share)) - off))))
    assert within(1.01, 0.0, most=1.01) is None
    extreme = within(1e-12, 5.0, most=1.01)
    assert extreme is not None
    assert 0 <= extreme.low < extreme.high <= 1.01


def test_three_failures_seen_never_reach_all() -> None:
    passed, trials = [1, 1, 0, 4], [1, 2, 2, 4]  # 6 of 9 in four calls: the plain limits leave 0..1
    plain = ratio_of_sums(passed, trials)
    assert plain is not None
    assert plain.high is not None
    assert plain.high > 1
    found = wilson_over_calls(passed, trials)
    assert found is not None
    assert 0 < found.low < 6 / 9 < found.high < 1
    other = wilson_over_calls([1 - 1, 1, 2, 0], trials)
    assert other is not None
    assert 0 < other.low < 3 / 9 < other.high < 1


def test_the_interval_is_statsmodels_wilson_at_the_effective_number() -> None:
    """Standard error of R survey's svyratio (golden/stats/ratio_of_sums.json), Wilson of statsmodels, t of scipy."""
    passed, trials = [3, 0, 7, 2, 5, 1], [40, 25, 61, 33, 48, 20]
    plain = ratio_of_sums(passed, trials)
    assert plain is not None
    share = 18 / 227
    effective = share * (1 - share) / max(plain.se**2, share * (1 - share) / 227)
    effective *= (norm.ppf(0.975) / t.ppf(0.975, 5)) ** 2
    wanted = proportion_confint(share * effective, effective, method="wilson")
    assert wilson_over_calls(passed, trials) == pytest.approx(wanted)


def test_calls_alike_and_few_calls() -> None:
    assert wilson_over_calls([5] * 8, [5] * 8) == pytest.approx(proportion_confint(8, 8, method="wilson"))
    halves = wilson_over_calls([1] * 4, [2] * 4)
    assert halves is not None
    assert halves.low < 0.2
    assert halves.high > 0.8
    assert wilson_over_calls([1, 2], [2, 2]) is None
    with pytest.raises(UsageError, match="more successes"):
        wilson_over_calls([3, 1, 1], [2, 2, 2])


def test_a_call_without_a_trial_is_no_evidence() -> None:
    assert wilson_over_calls([5, 0, 5, 5], [5, 0, 5, 5]) == wilson_over_calls([5] * 3, [5] * 3)
    assert wilson_over_calls([1, 0, 2, 1, 0], [2, 0, 2, 3, 0]) == wilson_over_calls([1, 2, 1], [2, 2, 3])
    assert wilson_over_calls([1, 0, 2], [1, 0, 2]) is None
    assert wilson_over_calls([0, 0, 0], [0, 0, 0]) is None
    assert interval_over_calls([1, 0, 0], [1, 0, 1]) == (wilson(1, 2), "moment, one a call")
    assert interval_over_calls([0, 0], [0, 0]) == ((None, None), "no moment was judged")
