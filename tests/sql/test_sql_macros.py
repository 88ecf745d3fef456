"""The interval macros agree with scipy, statsmodels and the golden values of R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import confint_proportions_2indep

GOLDEN = Path(__file__).parents[1] / "golden"


def _golden(path: str) -> list[dict[str, Any]]:
    entries = json.loads((GOLDEN / path).read_text(encoding="utf-8"))
    found = [entry for entry in entries if entry["input"].get("confidence", 0.95) == 0.95]
    assert len(found) >= 5
    return found


def _one(con: duckdb.DuckDBPyConnection, sql: str, *values: Any) -> tuple[Any, ...]:
    (row,) = con.execute(sql, list(values)).fetchall()
    return row


def test_wilson_agrees_for_every_count_up_to_200(empty: duckdb.DuckDBPyConnection) -> None:
    rows = empty.execute(
        "select k, n, wilson_low(k, n), wilson_high(k, n)"
        " from (select unnest(range(1, 201)) as n), lateral (select unnest(range(n + 1)) as k)"
    ).fetchall()
    k, n, low, high = (np.array(column) for column in zip(*rows, strict=True))
    assert len(k) == sum(trials + 1 for trials in range(1, 201))
    assert low.min() == 0.0
    assert high.max() == 1.0
    scipy = [binomtest(i, j).proportion_ci(method="wilson") for i, j in zip(k.tolist(), n.tolist(), strict=True)]
    np.testing.assert_allclose(low, [interval.low for interval in scipy], rtol=0, atol=1e-9)
    np.testing.assert_allclose(high, [interval.high for interval in scipy], rtol=0, atol=1e-9)


@pytest.mark.parametrize("entry", _golden("stats/wilson.json"), ids=lambda entry: entry["id"])
def test_wilson_golden(entry: dict[str, Any], empty: duckdb.DuckDBPyConnection) -> None:
    given, wanted = entry["input"], entry["expected"]
    found = _one(empty, "select wilson_low($1, $2), wilson_high($1, $2)", given["successes"], given["trials"])
    if wanted.get("refused"):
        assert found == (None, None)
    else:
        assert found == pytest.approx((wanted["low"], wanted["high"]), abs=entry["tolerance"])


@pytest.mark.parametrize("entry", _golden("stats/newcombe_independent.json"), ids=lambda entry: entry["id"])
def test_newcombe_golden(entry: dict[str, Any], empty: duckdb.DuckDBPyConnection) -> None:
    given, wanted = entry["input"], entry["expected"]
    counts = [given[name] for name in ("successes_1", "trials_1", "successes_2", "trials_2")]
    found = _one(empty, "select newcombe_low($1, $2, $3, $4), newcombe_high($1, $2, $3, $4)", *counts)
    if wanted.get("refused"):
        assert found == (None, None)
    else:
        assert found == pytest.approx((wanted["low"], wanted["high"]), abs=entry["tolerance"])


def test_newcombe_agrees_with_statsmodels_on_a_grid(empty: duckdb.DuckDBPyConnection) -> None:
    sizes = [(k, n) for n in (1, 4, 17) for k in range(n + 1)]
    pairs = [(*first, *second) for first in sizes for second in sizes]
    for counts in pairs:
        found = _one(empty, "select newcombe_low($1, $2, $3, $4), newcombe_high($1, $2, $3, $4)", *counts)
        wanted = confint_proportions_2indep(*counts, method="newcomb", compare="diff")
        assert found == pytest.approx(np.clip(wanted, -1, 1), abs=1e-9), counts


@pytest.mark.parametrize("macro", ["wilson_low", "wilson_high"])
def test_wilson_edges(macro: str, empty: duckdb.DuckDBPyConnection) -> None:
    assert _one(empty, f"select {macro}(0, 0), {macro}(null, 5), {macro}(3, null)") == (None, None, None)
    for successes, trials in ((4, 3), (-1, 3)):
        with pytest.raises(duckdb.InvalidInputException, match=f"{macro}: successes must lie in 0..trials"):
            empty.execute(f"select {macro}($1, $2)", [successes, trials]).fetchall()


def test_share_is_a_double_or_nothing(empty: duckdb.DuckDBPyConnection) -> None:
    assert _one(empty, "select share(1, 4), typeof(share(1, 4)), share(0, 0), share(null, 4), share(1, null)") == (
        0.25,
        "DOUBLE",
        None,
        None,
        None,
    )


@pytest.mark.parametrize("entry", _golden("sql/percentiles.json"), ids=lambda entry: entry["id"])
def test_quantile_cont_is_the_linear_percentile(entry: dict[str, Any], empty: duckdb.DuckDBPyConnection) -> None:
    given, wanted = entry["input"], entry["expected"]
    (found,) = _one(
        empty,
        f"select quantile_cont(x, {given['probabilities']}) from (select unnest($1::double[]) as x)",
        given["values"],
    )
    assert found == pytest.approx(wanted["linear"], abs=entry["tolerance"])
