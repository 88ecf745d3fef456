"""Intervals and tests reproduce numbers made by other programs; see tests/golden/stats/SOURCE.md."""

import json
from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.stats.paired import mcnemar, newcombe_paired, tango
from workbench.stats.rates import newcombe, wilson

GOLDEN = Path(__file__).parents[1] / "golden" / "stats"
FUNCTIONS = {
    "wilson": lambda i: wilson(i["successes"], i["trials"], confidence=i["confidence"]),
    "newcombe_independent": lambda i: newcombe(
        i["successes_1"],
        i["trials_1"],
        successes_2=i["successes_2"],
        trials_2=i["trials_2"],
        confidence=i["confidence"],
    ),
    "newcombe_paired": lambda i: newcombe_paired(**i),
    "tango_paired": lambda i: tango(**i),
    "mcnemar": lambda i: mcnemar(i["first_only"], i["second_only"]),
}
ENTRIES = [entry for name in FUNCTIONS for entry in json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))]


def test_every_golden_function_has_entries():
    assert {entry["function"] for entry in ENTRIES} == set(FUNCTIONS)
    assert len(ENTRIES) == 68


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["id"] for entry in ENTRIES])
def test_golden_entry(entry):
    got = FUNCTIONS[entry["function"]](entry["input"])
    if entry["expected"].get("refused"):
        assert got is None
        return
    assert got is not None
    assert got._asdict() == pytest.approx(entry["expected"], abs=max(entry["tolerance"], 1e-12))


def test_wilson_agrees_with_scipy_for_all_small_counts():
    from scipy.stats import binomtest

    for trials in range(1, 201):
        for successes in range(0, trials + 1, max(1, trials // 10)):
            wanted = binomtest(successes, trials).proportion_ci(0.95, method="wilson")
            assert wilson(successes, trials) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
        assert wilson(0, trials).low == 0.0
        assert wilson(trials, trials).high == 1.0


def test_newcombe_agrees_with_statsmodels():
    from statsmodels.stats.proportion import confint_proportions_2indep

    for k1, n1, k2, n2 in [(1, 9, 4, 11), (40, 47, 28, 47), (3, 3, 3, 3), (2, 3, 1, 3)]:
        low, high = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb", compare="diff")
        got = newcombe(k1, n1, successes_2=k2, trials_2=n2)
        assert (got.low, got.high) == pytest.approx((low, high), abs=1e-9)


def test_mcnemar_agrees_with_statsmodels():
    from statsmodels.stats.contingency_tables import mcnemar as theirs

    for b in range(13):
        for c in range(13):
            wanted = theirs([[5, b], [c, 5]], exact=True).pvalue if b + c else 1.0
            assert mcnemar(b, c).p_exact == pytest.approx(wanted, abs=1e-12)


def test_fewest_discordant_pairs_with_exact_p_below_five_percent_is_six():
    assert mcnemar(5, 0).p_exact > 0.05 > mcnemar(6, 0).p_exact


def test_paired_interval_without_discordant_pairs_has_a_width():
    z2 = 1.959963984540054**2
    got = tango(both=20, first_only=0, second_only=0, neither=0)
    assert (got.low, got.high) == pytest.approx((-z2 / (20 + z2), z2 / (20 + z2)), abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3), (0, -1)])
def test_contradicting_counts_are_refused(successes, trials):
    with pytest.raises(UsageError, match="successes"):
        wilson(successes, trials)


def test_negative_pairs_and_confidence_outside_0_to_1_are_refused():
    with pytest.raises(UsageError, match="counts of pairs"):
        mcnemar(-1, 2)
    with pytest.raises(UsageError, match="confidence"):
        wilson(1, 2, confidence=95)
