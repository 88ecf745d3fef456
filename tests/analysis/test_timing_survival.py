"""Times to yield and to respond keep the moments whose end was not seen."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from workbench.analysis import timing_survival
from workbench.analysis.timing_held import columns
from workbench.analysis.timing_shown import with_intervals
from workbench.errors import UsageError

Events = list[dict[str, Any]]


def event(call_id: str, yielded_s: float | None, *, version: str = "1", **more: Any) -> dict[str, Any]:
    """A scored moment labelled yield; None: the agent spoke on for the 3 s that were looked at."""
    row = dict.fromkeys(columns()) | {"call_id": call_id, "label_id": "x", "agent_version": version, "status": "PASS"}
    row |= {"expect": "yield", "agent_talking": True, "did_yield": yielded_s is not None, "awaits_yield": True}
    row |= {"yield_observed_s": 3.0 if yielded_s is None else yielded_s, "yield_censored": yielded_s is None}
    return row | {"awaits_response": False} | more


def frame(events: Events) -> pl.DataFrame:
    return pl.DataFrame(events, schema=columns())


def test_dropping_the_censored_would_have_flattered_the_agent() -> None:
    """Of ten agents four never stopped: those that did took 0.5 s, and that is no time of the agent."""
    events = [event(f"c{ix}", 0.5) for ix in range(6)] + [event(f"d{ix}", None) for ix in range(4)]
    row = timing_survival.summaries(timing_survival.times_to("yield", frame(events))).row(0, named=True)
    assert (row["moment_count"], row["event_count"], row["censored_count"]) == (10, 6, 4)
    assert row["finished_mean_s"] == 0.5
    assert row["mean_s"] == pytest.approx(0.5 + 0.4 * 2.5)  # 1.5 s: the area under the curve up to 3 s
    assert row["mean_low_s"] > row["finished_mean_s"]
    assert row["p90_s"] is None  # longer than was looked at, and not 0.5 s
    dropped = timing_survival.summaries(timing_survival.times_to("yield", frame(events[:6]))).row(0, named=True)
    assert (dropped["mean_s"], dropped["p90_s"]) == (0.5, 0.5)


def test_only_moments_that_await_a_yield_are_counted() -> None:
    events = [event("a", 0.5), event("b", 0.2, awaits_yield=False), event("c", None, awaits_yield=False)]
    events.append(event("d", None, awaits_response=True, response_observed_s=1.5, response_censored=True))
    assert timing_survival.times_to("yield", frame(events))["call_id"].to_list() == ["a", "d"]
    respond = timing_survival.times_to("respond", frame(events))
    assert respond.rows() == [("d", "x", "all", 1.5, False)]


def test_a_slice_of_the_sound_parts_times_and_not_described_is_never_false() -> None:
    events = [event("a", 0.5, caller_noisy=True), event("b", 0.2, caller_noisy=False), event("c", None)]
    times = timing_survival.times_to("yield", frame(events), by="caller_noisy")
    assert times.select("call_id", "group").rows() == [
        ("a", "noisy caller"),
        ("b", "caller not noisy"),
        ("c", "not described"),
    ]


def test_versions_are_told_apart_and_compared() -> None:
    events = [event(f"a{ix}", 0.3 + ix / 100, version="1") for ix in range(12)]
    events += [event(f"b{ix}", None if ix % 3 == 0 else 1.5 + ix / 100, version="2") for ix in range(12)]
    times = timing_survival.times_to("yield", frame(events), by="agent_version")
    rows = timing_survival.summaries(times, tau_s=0.41).to_dicts()
    assert [(row["group"], row["censored_count"]) for row in rows] == [("1", 0), ("2", 4)]
    assert (rows[0]["median_s"], rows[1]["median_s"]) == (0.35, 1.58)
    found = timing_survival.compared(times)
    assert found is not None
    assert found.p < 0.001
    assert found.observed == (12, 8)
    assert timing_survival.compared(timing_survival.times_to("yield", frame(events))) is None
    ticks = timing_survival.at_risk(times, ticks_s=[0.0, 1.0, 3.0])
    assert ticks["at_risk"].to_list() == [12, 0, 0, 12, 12, 4]


@pytest.mark.parametrize(
    ("first", "second", "tau_s", "means"),
    [
        ([(0.4, 1)] * 4, [(3.0, 0)] * 4, 3.0, (0.4, 3.0)),
        ([(0.2, 1), (0.4, 1)], [(0.3, 1), (2.0, 0)], 2.0, (0.3, 0.3 + 0.5 * 1.7)),
        ([(0.2, 1), (0.4, 0)], [(0.3, 1), (2.0, 1)], 0.4, (0.2 + 0.5 * 0.2, 0.3 + 0.5 * 0.1)),
        ([(0.2, 1), (0.4, 0)], [(0.3, 1), (2.0, 0)], 0.4, (0.2 + 0.5 * 0.2, 0.3 + 0.5 * 0.1)),
        ([(0.2, 1), (0.4, 1)], [(0.3, 1), (2.0, 1)], 2.0, (0.3, 1.15)),
        ([(0.2, 1), (0.4, 1), (0.4, 0)], [(2.0, 1)], 0.4, (0.2 + 2 / 3 * 0.2, 0.4)),
    ],
    ids=["never-stops", "censored-longer", "censored-shorter", "both-censored", "both-ended", "tie-of-both"],
)
def test_means_go_as_far_as_every_curve_is_known(
    first: list[tuple[float, int]], second: list[tuple[float, int]], tau_s: float, means: tuple[float, float]
) -> None:
    """The four cases of rmst2 in survRM2 1.0-4, where a tie of event and censored counts as censored.

    The means are the areas under curves of two to four moments, by hand.
    """
    times = pl.DataFrame(
        [
            {"call_id": f"{group}{ix}", "label_id": "x", "group": group, "duration_s": at, "observed": bool(came)}
            for group, own in (("1", first), ("2", second))
            for ix, (at, came) in enumerate(own)
        ]
    )
    rows = timing_survival.summaries(times).to_dicts()
    assert [row["tau_s"] for row in rows] == [tau_s, tau_s]
    assert [row["mean_s"] for row in rows] == pytest.approx(means)


def test_a_draw_of_calls_holds_nothing_beyond_the_last_event_of_its_group() -> None:
    """Three calls that stopped by 1 s beside one that never does: the mean up to 3 s cannot reach beyond 1 s."""
    events = [event(f"a{ix}", 0.2, label_id="1") for ix in range(3)] + [event("a0", 1.0, label_id="2")]
    events += [event("a1", None, label_id="2", yield_observed_s=0.5), event("b", None, version="2")]
    times = timing_survival.times_to("yield", frame(events), by="agent_version")
    row = timing_survival.summaries(times).row(0, named=True)
    assert (row["tau_s"], row["unit"]) == (3.0, "call")
    assert row["mean_s"] < row["mean_high_s"] <= 1.0


def test_the_mean_of_two_moments_stays_between_nothing_and_its_horizon() -> None:
    """Plain limits would be -0.19 to 1.20 s: a negative time, and one beyond the 1.01 s that were looked at."""
    times = timing_survival.times_to("yield", frame([event("a", 0.01), event("b", 1.01)]))
    row = timing_survival.summaries(times).row(0, named=True)
    assert (row["mean_s"], row["tau_s"]) == (pytest.approx(0.51), 1.01)
    assert 0 < row["mean_low_s"] < 0.51 < row["mean_high_s"] < 1.01
    assert row["reason"] == "fewer than 10 moments: the bounds are rough"


def test_calls_are_drawn_where_a_call_gives_several_moments() -> None:
    """Ten moments of each call alike: as sure as four calls are, not as forty moments would be."""
    many = [event(f"c{ix % 4}", 0.2 + (ix % 4) / 10, label_id=str(ix)) for ix in range(40)]
    alone = [event(f"c{ix}", 0.2 + (ix % 4) / 10) for ix in range(40)]
    by_call, by_moment = (
        timing_survival.summaries(timing_survival.times_to("yield", frame(events))).row(0, named=True)
        for events in (many, alone)
    )
    assert (by_call["unit"], by_moment["unit"]) == ("call", "moment, one a call")
    assert by_call["mean_s"] == pytest.approx(by_moment["mean_s"])
    widths = [row["mean_high_s"] - row["mean_low_s"] for row in (by_call, by_moment)]
    assert widths[0] > 2 * widths[1]
    assert by_call["reason"] == "fewer than 40 calls: the bounds are too narrow"
    few = timing_survival.summaries(timing_survival.times_to("yield", frame(many[:2] * 3))).row(0, named=True)
    assert (few["mean_low_s"], few["reason"]) == (None, "fewer than 3 calls: no interval")


def test_where_nobody_yielded_the_limits_are_those_that_exist() -> None:
    times = timing_survival.times_to("yield", frame([event(f"c{ix}", None) for ix in range(4)]))
    row = timing_survival.summaries(times).row(0, named=True)
    assert (row["median_s"], row["mean_s"], row["mean_low_s"]) == (None, 3.0, None)
    assert row["reason"] == "no end was seen: longer than 3 s in all 4"
    last = timing_survival.curves(times).row(-1, named=True)
    assert (last["survival"], last["high"], last["at_risk"]) == (1.0, 1.0, 4)
    first = timing_survival.curves(times).row(0, named=True)
    assert first["low"] == pytest.approx(0.025 ** (1 / 4))  # none of four: [(alpha/2)^(1/n), 1]


def test_a_median_that_no_draw_reaches_lies_above_what_was_observed() -> None:
    """Six calls, each with one yield in five moments: 80 % are still awaited at the end, whichever calls are drawn."""
    events = [event(f"c{ix}", 0.5 if nth == 0 else None, label_id=str(nth)) for ix in range(6) for nth in range(5)]
    summary = timing_survival.summaries(timing_survival.times_to("yield", frame(events)))
    row = summary.row(0, named=True)
    assert (row["median_s"], row["median_low_s"], row["median_high_s"]) == (None, 3.0, None)
    assert "the median was not reached" in row["reason"]
    assert with_intervals(summary)["median, 95 %"].to_list() == ["above 3.00"]


def test_nothing_awaited_gives_no_rows_and_unknown_names_are_refused() -> None:
    times = timing_survival.times_to("yield", frame([]))
    assert timing_survival.summaries(times).is_empty()
    assert timing_survival.curves(times).is_empty()
    with pytest.raises(UsageError, match="no times to 'stop'"):
        timing_survival.times_to("stop", frame([]))
    with pytest.raises(UsageError, match="no column 'x'"):
        timing_survival.times_to("yield", frame([]), by="x")
