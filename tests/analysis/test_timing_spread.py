"""Histograms keep the censored apart; a share of talk-over is a ratio of sums."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from workbench.analysis.timing_held import columns
from workbench.analysis.timing_slices import PARTS
from workbench.analysis.timing_spread import GAPS, gap_bins, spread, talk_over_shares
from workbench.archive.archive import Archive


def events(*times: tuple[float, bool]) -> pl.DataFrame:
    rows = [
        dict.fromkeys(columns())
        | {"awaits_yield": True, "yield_observed_s": time, "yield_censored": censored, "talk_over_s": time / 2}
        for time, censored in times
    ]
    return pl.DataFrame(rows, schema=columns())


def test_every_moment_falls_into_one_bin_and_the_censored_stay_apart() -> None:
    found = spread(
        events((0.29, False), (0.3, False), (3.0, True)), gap_bins(pl.DataFrame({"gap_s": [0.0, 0.3, 0.3, 99.0]}))
    )
    gaps, yields, over = (found.filter(pl.col("measure") == name).drop("measure", "group").rows() for name in NAMES)
    assert gaps == [(0.0, 1.0, SEEN, 3), (39.0, 40.0, SEEN, 1)]  # the last bin holds all longer gaps
    assert yields == [
        (pytest.approx(0.2), pytest.approx(0.3), SEEN, 1),
        (pytest.approx(0.3), pytest.approx(0.4), SEEN, 1),
        (pytest.approx(3.0), pytest.approx(3.1), CENSORED, 1),
    ]
    assert [row[2:] for row in over] == [(SEEN, 1), (SEEN, 1), (CENSORED, 1)]
    assert spread(events(), gap_bins(pl.DataFrame({"gap_s": []}, schema={"gap_s": pl.Float64}))).is_empty()


def test_talk_over_of_an_agent_that_stopped_is_seen_to_its_end() -> None:
    """Without a caller near that is no yield, and the agent would not have talked on."""
    found = spread(
        events((1.2, True)).with_columns(agent_quiet_s=pl.lit(1.2)), gap_bins(pl.DataFrame({"gap_s": [0.5]}))
    )
    ended = dict(found.select("measure", "ended").iter_rows())
    assert (ended["time to yield"], ended["talk-over"]) == (CENSORED, SEEN)


def test_slices_share_their_bins_and_what_was_not_described_is_a_group_of_its_own() -> None:
    found = events((0.29, False), (0.3, False), (3.0, True)).with_columns(caller_noisy=pl.Series([True, False, None]))
    gaps = pl.DataFrame({"gap_s": [0.3, 0.4], "caller_noisy": [True, None]})
    yields = (
        spread(found, gap_bins(gaps, by="caller_noisy"), by="caller_noisy")
        .filter(pl.col("measure") == "time to yield")
        .sort("bin_start_s")
    )
    assert yields["group"].to_list() == ["noisy caller", "caller not noisy", "not described"]
    assert (yields["bin_end_s"] - yields["bin_start_s"]).to_list() == pytest.approx([0.1] * 3)
    gap = spread(found, gap_bins(gaps, by="caller_noisy"), by="caller_noisy").filter(
        pl.col("measure") == "response gap"
    )
    assert sorted(gap["group"]) == ["noisy caller", "not described"]
    alone = spread(found, gap_bins(gaps.drop("caller_noisy"), by="caller_noisy"), by="caller_noisy").filter(
        pl.col("measure") == "response gap"
    )
    assert set(alone["group"]) == {"all"}


def test_gaps_are_parted_by_all_that_parts_moments_but_labels(demo_archive: Path) -> None:
    with Archive(demo_archive) as archive:
        gaps = archive.sql(GAPS)
    assert set(PARTS) - set(gaps.columns) == {"expect", "author"}
    by_source = gap_bins(gaps, by="source_format").group_by("group").agg(pl.col("moment_count").sum())
    assert dict(by_source.iter_rows()) == dict(gaps.group_by("source_format").len().iter_rows())
    assert len(by_source) > 1


NAMES = ("response gap", "time to yield", "talk-over")
SEEN, CENSORED = "seen to its end", "longer than this (censored)"


def calls(numerators: list[float], denominators: list[float]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "call_id": [f"c{ix}" for ix in range(len(numerators))],
            "clock": "audio",
            "agent_version": ["1" if ix % 2 else None for ix in range(len(numerators))],
            "talk_over_s": [float(value) for value in numerators],
            "caller_s": [float(value) for value in denominators],
        }
    )


def test_the_limits_of_a_share_are_cut_to_what_a_share_can_be() -> None:
    row = talk_over_shares(calls([0, 0, 9], [10, 10, 10])).row(0, named=True)
    assert (row["share_low"], row["share"]) == (0.0, 0.3)
    assert row["share_high"] <= 1.0


def test_a_share_is_a_ratio_of_sums_and_no_mean_of_shares() -> None:
    """Limits of R survey 4.1.1 (svyratio), as in golden/stats/ratio_of_sums.json; the mean of shares is 0.0708."""
    row = talk_over_shares(calls([3, 0, 7, 2, 5, 1], [40, 25, 61, 33, 48, 20])).row(0, named=True)
    assert row["share"] == pytest.approx(18 / 227)
    assert (row["share_low"], row["share_high"]) == (
        pytest.approx(0.038553175609444),
        pytest.approx(0.1200371327606),
    )
    # all 6^6 resamples give 0.0339 and 0.1282 (golden/stats/ratio_bootstrap.json); 2,000 draws come near
    assert row["boot_low"] == pytest.approx(0.0339283536550901, abs=0.009)
    assert row["boot_high"] == pytest.approx(0.128186030570309, abs=0.011)


def test_groups_and_too_few_calls_say_so() -> None:
    rows = talk_over_shares(calls([1, 0, 2, 0, 3], [10, 0, 20, 0, 10]), by="agent_version").to_dicts()
    assert [(row["group"], row["call_count"], row["share"]) for row in rows] == [
        ("1", 2, None),
        ("not supplied", 3, 0.15),
    ]
    assert rows[0]["reason"] == "no caller spoke"
    noisy = calls([1, 2, 3], [10, 10, 10]).with_columns(caller_noisy=pl.Series([True, None, True]))
    assert {row["group"]: row["talk_over_s"] for row in talk_over_shares(noisy, by="caller_noisy").to_dicts()} == {
        "noisy caller": 4.0,
        "not described": 2.0,
    }
    assert talk_over_shares(calls([1, 2], [10, 10])).row(0, named=True)["reason"] == "fewer than 3 calls: no interval"
    assert talk_over_shares(calls([1, 1, 1], [9, 9, 9])).row(0, named=True)["reason"] == "no spread: no interval"
    assert talk_over_shares(calls([], [])).is_empty()


def test_limits_from_few_calls_are_said_to_be_too_narrow_as_those_of_gaps_are() -> None:
    """As the view `response_gap_by_agent`: from 40 calls on nothing is said against them."""
    both, spoken = [3, 0, 7, 2, 5, 1, 4, 2] * 5, [40, 25, 61, 33, 48, 20, 30, 50] * 5
    reasons = [
        talk_over_shares(calls(both[:count], spoken[:count])).row(0, named=True)["reason"] for count in (8, 39, 40)
    ]
    assert reasons == ["fewer than 40 calls: the bounds are too narrow"] * 2 + [None]
