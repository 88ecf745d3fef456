"""Four cells and pass rates: counted by hand, with calls as the unit where a call gives several moments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from workbench.analysis.timing_counts import four_cells, not_heard, rates, unit_said
from workbench.analysis.timing_held import HeldMoments, columns
from workbench.analysis.timing_tuned import axis, tuned
from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.ingest import read
from workbench.stats.bounded import wilson_over_calls

CLIPS = Path(__file__).parents[2] / "data" / "calls" / "vapi-defaults"


def frame(*rows: tuple[str, str | None, str, bool | None]) -> pl.DataFrame:
    events: list[dict[str, Any]] = [
        dict.fromkeys(columns()) | {"call_id": call, "expect": expect, "status": status, "did_yield": yielded}
        for call, expect, status, yielded in rows
    ]
    return pl.DataFrame(events, schema=columns())


def test_four_cells_keep_what_was_not_judged() -> None:
    events = frame(
        ("a", "yield", "PASS", True),
        ("b", "yield", "FAIL", False),
        ("c", "yield", "FAIL", True),  # too slow
        ("d", "yield", "NOT_SCORABLE", True),
        ("e", "hold", "PASS", False),
        ("f", "hold", "INCONCLUSIVE", None),
    )
    assert four_cells(events).rows() == [("yield", 2, 1, 1), ("hold", 0, 1, 1)]
    assert four_cells(events.clear()).rows() == [("yield", 0, 0, 0), ("hold", 0, 0, 0)]
    row = rates(events).row(0, named=True)
    assert (row["pass_count"], row["trial_count"], row["unit"]) == (1, 3, "moment, one a call")
    assert rates(events.clear())["pass_rate"].to_list() == [None, None]


def test_a_moment_whose_labels_disagree_stays_in_sight() -> None:
    """Every moment is in one row; no rate and no unit is said of those nobody can judge."""
    events = frame(
        ("a", "yield", "PASS", True), ("b", None, "INCONCLUSIVE", True), ("c", None, "INCONCLUSIVE", False)
    ).with_columns(
        label_count=pl.Series([1, 2, 1], dtype=pl.Int64),
        disagree=pl.Series([False, True, False], dtype=pl.Boolean),
        reason=pl.Series([None, "labels_disagree", "no_expectation"], dtype=pl.String),
    )
    rows = [("yield", 1, 0, 0), ("hold", 0, 0, 0), ("labels disagree", 0, 0, 1), ("not said", 0, 0, 1)]
    assert four_cells(events).rows() == rows
    found = rates(events)
    assert found["expect"].to_list() == [row[0] for row in rows]
    assert found["trial_count"].to_list() == [1, 0, 0, 0]
    assert "disagree" not in unit_said(found.to_dicts())


def test_what_is_left_out_of_times_is_counted_by_status() -> None:
    """The recording of c ended before a yield: its time is censored, and not left out."""
    events = frame(
        ("a", "yield", "PASS", True), ("b", None, "INCONCLUSIVE", None), ("c", "yield", "INCONCLUSIVE", False)
    ).with_columns(awaits_yield=pl.Series([True, False, True]))
    assert not_heard(events, "awaits_yield") == {"INCONCLUSIVE": 1}
    assert not_heard(events.head(1), "awaits_yield") == {}


def test_several_moments_of_a_call_do_not_count_as_so_many_calls() -> None:
    """Wilson's interval at the effective number of moments; its numbers are checked in tests/stats/test_bounded.py."""
    passed, trials = [3, 0, 7, 2, 5, 1], [40, 25, 61, 33, 48, 20]
    rows = [
        (f"c{ix}", "yield", "PASS" if n < good else "FAIL", True)
        for ix, (good, all_) in enumerate(zip(passed, trials, strict=True))
        for n in range(all_)
    ]
    row = rates(frame(*rows)).row(0, named=True)
    assert (row["unit"], row["call_count"], row["trial_count"]) == ("call", 6, 227)
    wanted = wilson_over_calls(passed, trials)
    assert (row["pass_rate_low"], row["pass_rate_high"]) == wanted
    alike = [(f"c{ix}", "yield", "PASS", True) for ix in range(8) for _ in range(5)]
    row = rates(frame(*alike)).row(0, named=True)
    assert row["unit"] == "call, as so many trials"
    assert (row["pass_rate_low"], row["pass_rate_high"]) == (pytest.approx(0.676, abs=5e-4), 1.0)  # Wilson 8/8
    row = rates(frame(*alike[:10])).row(0, named=True)
    assert (row["pass_rate"], row["pass_rate_low"], row["unit"]) == (1.0, None, "fewer than 3 calls: no interval")
    halves = [(f"c{ix}", "yield", status, True) for ix in range(4) for status in ("PASS", "FAIL")]
    row = rates(frame(*halves)).row(0, named=True)
    assert row["unit"] == "call"
    assert 0 < row["pass_rate_low"] < 0.5 < row["pass_rate_high"] < 1


def test_a_rate_with_failures_never_reaches_all() -> None:
    """6 of 9 in four calls, of which one fails twice: the ratio of sums and its t would reach beyond 100 %."""
    passed, trials = [1, 1, 0, 4], [1, 2, 2, 4]
    rows = [
        (f"c{ix}", "yield", "PASS" if n < good else "FAIL", True)
        for ix, (good, all_) in enumerate(zip(passed, trials, strict=True))
        for n in range(all_)
    ]
    row = rates(frame(*rows)).row(0, named=True)
    assert (row["pass_count"], row["trial_count"]) == (6, 9)
    assert 0 < row["pass_rate_low"] < row["pass_rate_high"] < 1


def test_how_to_get_it_names_every_number_that_is_not_the_published_one(tmp_path: Path) -> None:
    """`workbench measure --rel-db 20` alone would take the hangover back to 0.15 s."""
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([CLIPS]))
        archive.measure(workers=1, config=MeasureConfig(hangover_s=0.3, faint_db=25.0))
        held = HeldMoments(archive)
        assert tuned(held, {}).how == "workbench score"
        other = tuned(held, {"rel_db": 20.0})
        assert other.how == "workbench measure --rel-db 20 --hangover-s 0.3 --set faint_db=25 then workbench score"
        archive.measure(workers=1, config=MeasureConfig(rel_db=20.0, hangover_s=0.3, faint_db=25.0))
        assert HeldMoments(archive).default["status"].to_list() == other.events["status"].to_list()


def test_a_slider_is_answered_with_what_flipped_and_how_to_get_it(demo_archive: Path) -> None:
    with Archive(demo_archive) as archive:
        held = HeldMoments(archive)
        start = {name: axis(held, name)[1] for name in ("rel_db", "yield_hangover_s", "max_talk_over_s")}
        same = tuned(held, start)
        assert (same.flip_count, same.how) == (0, "workbench score")
        assert same.events.drop("flipped").equals(held.default)
        other = tuned(held, start | {"yield_hangover_s": 0.104, "rel_db": 999.0})
        assert other.how == "workbench measure --rel-db 35 then workbench score --yield-hangover-s 0.1"
        assert other.flip_count == other.events["flipped"].sum() > 0
        assert other.config_id == other.events["config_id"].item(0) != same.config_id
        bound = tuned(held, start | {"max_talk_over_s": 0.1}, replaced=["max_talk_over_s"])
        assert "talked_over" in " ".join(bound.events["reason"].drop_nulls())
        assert tuned(held, start | {"max_talk_over_s": 0.1}).flip_count == 0  # labels keep their own bounds


def test_a_unit_is_said_once() -> None:
    rows = [{"expect": "yield", "unit": "moment, one a call"}, {"expect": "hold", "unit": "moment, one a call"}]
    assert unit_said(rows) == "Unit of the intervals: moment, one a call."
    rows[1] = rows[1] | {"unit": "call"}
    assert unit_said(rows) == "Unit of the intervals: moment, one a call (yield); call (hold)."
