"""Survival, ratios and cluster bootstraps reproduce numbers made by other programs; see golden/stats/SOURCE.md."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.errors import UsageError
from workbench.stats import beta_product, distributions, log_rank, ratios, resampling, survival

GOLDEN = Path(__file__).parents[1] / "golden" / "stats"


def entries(name: str) -> list[Any]:
    found = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    assert found
    return [pytest.param(entry, id=entry["id"]) for entry in found]


def nulls(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def same(found: list[float | None], wanted: list[float | None], tolerance: float) -> None:
    assert [value is None for value in found] == [value is None for value in wanted]
    pairs = zip(found, wanted, strict=True)
    for value, golden in pairs:
        assert value == (None if golden is None else pytest.approx(golden, abs=max(tolerance, 1e-12)))


@pytest.mark.parametrize("entry", entries("kaplan_meier"))
def test_kaplan_meier(entry: dict[str, Any]) -> None:
    given, wanted = entry["input"], entry["expected"]
    curve = survival.kaplan_meier(given["durations"], given["observed"], confidence=given["confidence"])
    assert curve.time_s.tolist() == wanted["time"]
    same(nulls(curve.survival), wanted["survival"], entry["tolerance"])
    median = survival.quantile(curve, 0.5)
    assert list(median) == [wanted["median"], wanted["median_low"], wanted["median_high"]]
    if wanted["time"]:
        assert curve.at_risk.tolist() == wanted["at_risk"]
        assert curve.events.tolist() == wanted["events"]
        same(nulls(curve.se), wanted["se"], entry["tolerance"])
        same(nulls(curve.low), wanted["loglog_low"], entry["tolerance"])
        same(nulls(curve.high), wanted["loglog_high"], entry["tolerance"])
    else:
        assert curve.event_count == wanted["events_total"] == 0


@pytest.mark.parametrize("entry", entries("beta_product"))
def test_beta_product(entry: dict[str, Any]) -> None:
    given, wanted = entry["input"], entry["expected"]
    found = beta_product.beta_product(given["durations"], given["observed"], times=given["times"])
    assert [limits.low for limits in found] == pytest.approx(wanted["low"], abs=entry["tolerance"])
    assert [limits.high for limits in found] == pytest.approx(wanted["high"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", entries("restricted_mean"))
def test_restricted_mean(entry: dict[str, Any]) -> None:
    given, wanted = entry["input"], entry["expected"]
    found = survival.restricted_mean(given["durations"], given["observed"], tau_s=given["tau"])
    assert found.mean == pytest.approx(wanted["rmst"], abs=1e-9)
    assert found.se == pytest.approx(wanted["se"], abs=1e-9)
    if wanted.get("zero_width_refused"):
        assert found.low is found.high is None
    else:
        assert [found.low, found.high] == pytest.approx([wanted["low"], wanted["high"]], abs=1e-9)


@pytest.mark.parametrize("entry", entries("log_rank"))
def test_log_rank(entry: dict[str, Any]) -> None:
    given, wanted = entry["input"], entry["expected"]
    groups = ["1"] * len(given["durations_1"]) + ["2"] * len(given["durations_2"])
    found = log_rank.log_rank(
        given["durations_1"] + given["durations_2"], given["observed_1"] + given["observed_2"], groups=groups
    )
    if wanted.get("refused"):
        assert found is None
        return
    assert found is not None
    assert (found.groups, found.df, found.observed[0]) == (("1", "2"), 1, wanted["observed_1"])
    assert [found.chi2, found.p, found.expected[0]] == pytest.approx(
        [wanted["chi2"], wanted["p"], wanted["expected_1"]], abs=entry["tolerance"]
    )


@pytest.mark.parametrize("entry", entries("ratio_of_sums"))
def test_ratio_of_sums(entry: dict[str, Any]) -> None:
    wanted = entry["expected"]
    found = ratios.ratio_of_sums(**entry["input"])
    if wanted.get("refused"):
        assert found is None
    elif wanted.get("zero_width_refused"):
        assert found is not None
        assert (found.ratio, found.se, found.low, found.high) == (wanted["ratio"], wanted["se"], None, None)
    else:
        assert found is not None
        assert found._asdict() == pytest.approx(wanted, abs=1e-10)


def every_draw(clusters: int) -> np.ndarray:
    """All resamples of so many clusters, as how often each is drawn."""
    drawn = np.array(list(itertools.product(range(clusters), repeat=clusters)))
    return np.stack([(drawn == cluster).sum(axis=1) for cluster in range(clusters)], axis=1)


@pytest.mark.parametrize("entry", entries("ratio_bootstrap"))
def test_ratio_bootstrap_over_all_resamples(entry: dict[str, Any]) -> None:
    given, wanted = entry["input"], entry["expected"]
    x, w = np.array(given["numerators"]), np.array(given["denominators"])
    if len(x) == 8:  # 8^8 ordered draws are the 6,435 multisets, each as often as it can be ordered
        picks = list(itertools.combinations_with_replacement(range(8), 8))
        sets = np.stack([np.bincount(pick, minlength=8) for pick in picks])
        factorial = np.cumprod([1, *range(1, 9)])
        ways = factorial[8] // np.prod(factorial[sets], axis=1)
        level = (sets @ x) / (sets @ w)
        order = np.argsort(level)
        share = np.cumsum(ways[order]) / ways.sum()
        found = [float(level[order][np.searchsorted(share, p - 1e-12)]) for p in (0.025, 0.975)]
        assert found == pytest.approx([wanted["percentile_low"], wanted["percentile_high"]], abs=1e-9)
        return
    counts = every_draw(len(x))
    level = (counts @ x) / (counts @ w)
    assert list(resampling.ends(level)) == pytest.approx(
        [wanted["percentile_low"], wanted["percentile_high"]], abs=1e-9
    )
    studentised = ratios.bootstrap_t(given["numerators"], given["denominators"], counts=counts)
    assert studentised is not None
    assert list(studentised) == pytest.approx([wanted["bootstrap_t_low"], wanted["bootstrap_t_high"]], abs=1e-9)


@pytest.mark.parametrize("entry", entries("quantile_cluster_bootstrap"))
def test_quantile_over_all_resamples_of_calls(entry: dict[str, Any]) -> None:
    given, wanted = entry["input"], entry["expected"]
    names, which = resampling.numbered([str(cluster) for cluster in given["clusters"]])
    values = np.array(given["values"], float)
    found = resampling.quantiles(values, which, p=given["probability"], counts=every_draw(len(names)))
    assert found.mean() == pytest.approx(wanted["bootstrap_mean"], abs=1e-9)
    assert list(resampling.ends(found)) == pytest.approx(
        [wanted["percentile_low"], wanted["percentile_high"]], abs=1e-9
    )


@pytest.fixture
def times() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Times with ties and censoring in three groups."""
    rng = np.random.default_rng(1)
    group = rng.integers(3, size=90)
    durations = np.round(rng.exponential(1.0 + group / 2), 1)
    return np.minimum(durations, 2.5), durations < 2.5, [f"v{n}" for n in group]


def test_survival_is_that_of_statsmodels(times: Any) -> None:
    from statsmodels.duration.survfunc import SurvfuncRight

    durations, observed, _ = times
    peer = SurvfuncRight(durations, observed.astype(int))
    curve = survival.kaplan_meier(durations, observed)
    events = np.isin(peer.surv_times, curve.time_s)
    assert curve.survival == pytest.approx(peer.surv_prob[events], abs=1e-12)
    assert curve.se == pytest.approx(peer.surv_prob_se[events], abs=1e-12)
    assert curve.at_risk.tolist() == peer.n_risk[events].tolist()
    assert survival.quantile(curve, 0.25).estimate == peer.quantile(0.25)


def test_three_groups_are_tested_as_statsmodels_does(times: Any) -> None:
    from statsmodels.duration.survfunc import survdiff

    durations, observed, groups = times
    chi2, p = survdiff(durations, observed.astype(int), groups)
    found = log_rank.log_rank(durations, observed, groups=groups)
    assert found is not None
    assert (found.chi2, found.p, found.df) == (pytest.approx(chi2, abs=1e-9), pytest.approx(p, abs=1e-9), 2)
    assert sum(found.observed) == pytest.approx(sum(found.expected)) == observed.sum()


def test_replicates_of_curves_are_curves_of_the_drawn_rows(times: Any) -> None:
    """Each replicate is what the plain estimators give for the rows written out as often as they were drawn."""
    durations, observed, _ = times
    calls = [f"c{ix % 7}" for ix in range(len(durations))]
    names, which = resampling.numbered(calls)
    counts = resampling.draws(names, replicates=20)
    at, curves = resampling.survivals(durations, observed, which=which, counts=counts)
    means = resampling.restricted_means(at, curves, tau_s=2.0)
    medians = resampling.survival_quantiles(at, curves, p=0.5)
    for row, mean, median in zip(counts, means, medians, strict=True):
        again = np.repeat(np.arange(len(durations)), row[which])
        curve = survival.kaplan_meier(durations[again], observed[again])
        assert mean == pytest.approx(survival.restricted_mean(durations[again], observed[again], tau_s=2.0).mean)
        assert median == (survival.quantile(curve, 0.5).estimate or np.inf)


def test_the_same_calls_give_the_same_draws_and_other_calls_others() -> None:
    first = resampling.draws(["a", "b", "c"], replicates=50)
    assert (first == resampling.draws(["a", "b", "c"], replicates=50)).all()
    assert (first != resampling.draws(["a", "b", "d"], replicates=50)).any()
    assert set(first.sum(axis=1)) == {3}


def test_quantiles_and_tails_are_those_of_scipy() -> None:
    from scipy import stats

    for df in (1, 2, 3, 7, 30, 400):
        for p in (0.025, 0.4, 0.6, 0.975, 0.999):
            assert distributions.t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9)
        for x in (0.0, 0.3, 3.84, 20.0):
            assert distributions.chi_square_above(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-9, abs=1e-15)
    for a, b in ((0.5, 0.5), (1.0, 7.5), (250.0, 3.0), (3e4, 2e4)):
        for p in (0.025, 0.5, 0.975):
            assert distributions.beta_quantile(p, a, b=b) == pytest.approx(stats.beta.ppf(p, a, b), rel=1e-8)


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match="2 durations and 1 flags"):
        survival.kaplan_meier([1.0, 2.0], [True])
    with pytest.raises(UsageError, match="negative or not finite"):
        survival.kaplan_meier([-1.0], [True])
    with pytest.raises(UsageError, match="mean up to 3 s"):
        survival.restricted_mean([1.0, 2.0], [True, False], tau_s=3.0)
    with pytest.raises(UsageError, match="mean up to 3 s"):  # one of the two that are 2 s long never ended
        survival.restricted_mean([1.0, 2.0, 2.0], [True, True, False], tau_s=3.0)
    assert survival.restricted_mean([1.0, 2.0], [True, True], tau_s=3.0).mean == 1.5
    with pytest.raises(UsageError, match="0 clusters"):
        resampling.draws([])
    two = ratios.ratio_of_sums([1, 2], [3, 4])
    assert two is not None
    assert two.low is None
