"""The median of slopes against SciPy, and against a count by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import theilslopes

from workbench.errors import UsageError
from workbench.stats.theil_sen import theil_sen


@pytest.mark.parametrize("seed", range(12))
def test_slope_intercept_and_limits_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(9, 60))
    x = rng.uniform(0, 100, n) if seed % 2 else rng.integers(0, 12, n).astype(float)  # with ties
    y = 3.0 - 0.7 * x + rng.normal(0, 5, n) + np.where(rng.random(n) < 0.1, 500, 0)
    line, theirs = theil_sen(x, y), theilslopes(y, x, method="joint")
    assert line.slope == pytest.approx(theirs.slope)
    assert line.intercept == pytest.approx(theirs.intercept)
    assert line.slope_low == pytest.approx(theirs.low_slope)
    assert line.slope_high == pytest.approx(theirs.high_slope)
    assert line.n == n


def test_by_hand() -> None:
    # slopes of the three pairs: 2, 2, 2 without the outlier; with it 2, 2, 2, 98, 48, 32 and 2 is the lower half
    line = theil_sen([0, 1, 2, 3], [1, 3, 5, 101])
    assert line.slope == (2 + 33.333333333333336) / 2  # 2, 2, 2, 33.3, 49, 96: between the third and the fourth
    assert theil_sen([0, 1, 2, 3, 4], [1, 3, 5, 7, 1000]).slope == 2.0
    assert theil_sen([0, 1], [5, 6]) == (1.0, 5.0, None, None, 2)


def test_what_has_no_line_is_refused() -> None:
    for x, y in (([1.0], [2.0]), ([1.0, 1.0], [2.0, 3.0]), ([1.0, 2.0], [2.0]), ([1.0, np.nan], [2.0, 3.0])):
        with pytest.raises(UsageError):
            theil_sen(x, y)
