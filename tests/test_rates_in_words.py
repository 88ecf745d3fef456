"""No rate and no bound of one is written as 0 or as all where it is neither, wherever rates are written."""

from __future__ import annotations

import polars as pl
import pytest

from workbench.analysis import timing_shown, timing_words
from workbench.cli import assert_, diff, robustness
from workbench.decimals import percent, points, proportion
from workbench.report import wording
from workbench.report.render import _environment
from workbench.stats.rates import wilson

ALL = (5000, 5000, 1.0, 5000 / (5000 + 1.959963984540054**2), 1.0)
"""Count, trials, rate and Wilson bounds: where all pass, the lower one is n / (n + z^2), by the formula."""


def test_the_bounds_are_those_of_the_statistic() -> None:
    found = wilson(5000, 5000)
    assert (found.low, found.high) == pytest.approx(ALL[3:])


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (ALL[3], "99.9"),
        (0.99998, "99.998"),
        (0.0004, "0.04"),
        (0.004, "0.4"),
        (0.995, "99.5"),
        (0.994, "99"),
        (1.0, "100"),
        (0.0, "0"),
        (-0.0, "0"),
        (1 - 1e-16, "100"),
        (1e-17, "0"),
        (0.8, "80"),
        (0.006, "1"),
    ],
)
def test_a_percentage(rate: float, text: str) -> None:
    assert percent(rate) == text


def test_a_percentage_with_a_decimal() -> None:
    assert [percent(rate, places=1) for rate in (0.0, 0.0004, 0.5, 0.9996, 1.0)] == [
        "0.0",
        "0.04",
        "50.0",
        "99.96",
        "100.0",
    ]


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-1e-17, "0"),
        (0.25, "+25"),
        (-0.25, "-25"),
        (-0.003, "-0.3"),
        (0.9999, "+99.99"),
        (1.0, "+100"),
        (-1.0, "-100"),
    ],
)
def test_points_have_no_minus_zero(difference: float, text: str) -> None:
    assert points(difference) == text


def test_a_proportion() -> None:
    assert [proportion(rate) for rate in (0.0, 0.001, 0.5, 0.9992, 1.0)] == ["0.00", "0.001", "0.50", "0.999", "1.00"]


def test_every_place_that_writes_a_rate() -> None:
    count, trials, rate, low, high = ALL
    assert assert_.interval(count, trials, rate, low, high) == "5000/5000 (100 %, 99.9-100)"
    assert wording.rate_words(count, trials, low=low, high=high) == "5000/5000 (100 %, 99.9-100)"
    assert robustness._interval({"holds_share": rate, "holds_low": low, "holds_high": high}) == "100% (99.9% to 100%)"
    row = {"pass_rate": rate, "pass_rate_low": low, "pass_rate_high": high}
    assert timing_shown.interval(row) == " (100%, 95 % interval 99.9% to 100%)"
    agreed = {"author": "a", "other_author": "b", "call_count": 1, "agreement_count": count, "trial_count": trials}
    agreed |= {"agreement_rate": rate, "agreement_rate_low": low, "agreement_rate_high": high}
    agreed |= dict.fromkeys(
        ("both_yield_count", "both_hold_count", "yield_hold_count", "hold_yield_count", "unclear_count"), 0
    )
    assert timing_words.as_agreement(pl.DataFrame([agreed]))["rate (%), 95 %"].to_list() == ["100, 99.9 to 100"]
    template = _environment().from_string("{{ low|percent }} {{ low|proportion }} {{ low|percent(places=1) }}")
    assert template.render(low=low) == "99.9 0.999 99.9"


def test_a_difference_of_nothing() -> None:
    row = {"pairs": 9, "difference": 0.0, "difference_low": -0.0, "difference_high": 0.0, "p_exact": 1.0}
    assert diff._difference(row) == "0 points (0 to 0, p 1)"
