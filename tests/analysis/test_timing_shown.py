"""What timing found, as a reader meets it."""

from __future__ import annotations

import polars as pl

from workbench.analysis import timing_shown
from workbench.analysis.timing_slices import CHOICES
from workbench.analysis.timing_words import HEADINGS, as_agreement, in_words
from workbench.stats.log_rank import LogRank


def test_numbers_at_risk_stand_at_round_times() -> None:
    assert timing_shown.ticks(pl.DataFrame({"duration_s": [0.4, 3.0]})) == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    assert timing_shown.ticks(pl.DataFrame({"duration_s": []}, schema={"duration_s": pl.Float64})) == [0.0]


def test_a_comparison_is_a_sentence_in_which_no_name_of_a_group_is_markup() -> None:
    found = LogRank(4.0, 1, 0.0455, ("<img src=x>", "`2`"), (3, 5), (4.2, 3.8))
    said = timing_shown.tested(found, ruler_count=1)
    assert "chi-square 4.00, df 1, p = 0.0455" in said
    assert not set("<>`") & set(said)
    assert timing_shown.tested(None, ruler_count=1) == ""
    refused = timing_shown.tested(found, ruler_count=2)
    assert "2 configs, which are different rulers: no groups are tested" in refused
    assert "p = " not in refused


def test_bounds_that_are_open_or_missing_say_so() -> None:
    row = {"group": "all", "call_count": 8, "moment_count": 8, "censored_count": 1}
    for name in ("median", "p90", "mean"):
        row |= {f"{name}_s": 0.5, f"{name}_low_s": 0.25, f"{name}_high_s": None}
    shown = timing_shown.with_intervals(pl.DataFrame([row | {"p90_s": None, "p90_low_s": None}])).row(0, named=True)
    assert (shown["calls"], shown["moments"], shown["censored"]) == (8, 8, 1)
    assert (shown["median (s)"], shown["median, 95 %"]) == (0.5, "above 0.25")
    assert (shown["p90 (s)"], shown["p90, 95 %"]) == (None, "none")


def test_a_lower_bound_is_not_shown_as_a_time_to_yield() -> None:
    events = pl.DataFrame(
        {
            "yield_observed_s": [0.51, 3.0, 1.2, None],
            "yield_censored": [False, True, True, None],
            "agent_quiet_s": [0.4, None, 1.2, 0.0],
            "flipped": [True, False, False, False],
            "boundary_sensitive": [True, None, None, None],
        }
    )
    found = timing_shown.as_moments(events)
    assert found["ended"].to_list() == ["yielded 0.51 s", "spoke on > 3.0 s", "stopped 1.2 s, no caller near", None]
    assert found["mark"].to_list() == ["flipped, next to a bound", None, None, None]


def test_columns_are_headed_by_words_and_widths_are_of_those() -> None:
    moments = ["call_id", "onset_s", "expect", "status", "reason", "ended", "talk_over_s", "response_gap_s"]
    moments += ["decision_margin_s", "mark", "parameter", "side", "kept_at", "flips_at", "status_then", "reason_then"]
    shown = in_words(pl.DataFrame(schema=dict.fromkeys(moments, pl.String)))
    assert list(timing_shown.MOMENTS) == shown.columns
    assert not [name for name in shown.columns if "_" in name]
    assert not [name for name in HEADINGS.values() if "_" in name]
    assert not [name for name in CHOICES if "_" in name]


def test_people_who_agree_are_told_in_words() -> None:
    row = {"author": "a", "other_author": "b", "call_count": 2, "trial_count": 4, "agreement_count": 3}
    row |= dict.fromkeys(("both_yield_count", "both_hold_count", "yield_hold_count"), 1) | {"hold_yield_count": 1}
    row |= {"agreement_rate": 0.75, "agreement_rate_low": 0.3006, "agreement_rate_high": 0.9544, "unclear_count": 0}
    none = row | dict.fromkeys(("agreement_rate", "agreement_rate_low", "agreement_rate_high"))
    told = as_agreement(pl.DataFrame([row, none])).to_dicts()
    assert (told[0]["the same"], told[0]["rate (%), 95 %"], told[1]["rate (%), 95 %"]) == (
        "3 of 4",
        "75, 30 to 95",
        "none",
    )
    assert not [name for name in told[0] if "_" in name]


def test_a_share_without_an_interval_says_none() -> None:
    row = {"group": "a", "clock": "audio", "call_count": 2, "talk_over_s": 1.0, "caller_s": 4.0, "share": 0.25}
    row |= dict.fromkeys(("share_low", "share_high", "boot_low", "boot_high")) | {"reason": "fewer than 3 calls"}
    shown = timing_shown.as_shares(pl.DataFrame([row])).row(0, named=True)
    assert (shown["share"], shown["95 %, linearised"], shown["reason"]) == ("25.0%", "none", "fewer than 3 calls")
