"""Every chart draws offline, names its units, says n and what was left out, and refuses what it cannot."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.charts.examples import (
    CHARTS,
    COUNTS,
    EXAMPLES,
    clock_rows,
    gap_rows,
    level_rows,
    mark_rows,
    moment_rows,
    rate_rows,
    speech_rows,
)
from workbench.analysis import timing_survival
from workbench.charts import mel, theme
from workbench.errors import UsageError

UNIT = re.compile(r"\((?:s|dBFS|dB|Hz[^)]*|count|%[^)]*)\)")


def parts(spec: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a Vega-Lite specification but its data."""
    if isinstance(spec, dict):
        yield spec
        for key, value in spec.items():
            if key != "datasets":
                yield from parts(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from parts(value)


def subtitle(chart: Any) -> str:
    """What a chart says below its title, over one line or several."""
    found = chart.to_dict()["title"]["subtitle"]
    return found if isinstance(found, str) else " ".join(found)


def cells(chart: Any) -> list[int]:
    """Palette indices of a picture, each row with the PNG's filter byte before it."""
    url = next(row["url"] for rows in chart.to_dict()["datasets"].values() for row in rows if "url" in row)
    png = base64.b64decode(url.removeprefix("data:image/png;base64,"))
    at = png.index(b"IDAT")
    size = int.from_bytes(png[at - 4 : at], "big")
    return list(zlib.decompress(png[at + 4 : at + 4 + size]))


def test_every_chart_of_the_folder_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(CHARTS)


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_it_draws_offline(name: str) -> None:
    drawn = theme.svg(EXAMPLES[name]())
    assert drawn.startswith("<svg")
    assert "http" not in drawn.replace("http://www.w3.org", "")


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_altair_accepts_its_specification(name: str) -> None:
    """Charts written as mappings are checked here, where it costs nobody time."""
    EXAMPLES[name]().to_altair().to_dict()


def test_all_charts_look_alike() -> None:
    assert len({json.dumps(EXAMPLES[name]().to_dict()["config"], sort_keys=True) for name in CHARTS}) == 1


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_it_says_n_and_what_was_left_out(name: str) -> None:
    assert EXAMPLES[name]().to_dict()["title"]["text"]
    assert re.search(r"n: [\d,]+", subtitle(EXAMPLES[name]()))
    assert re.search(r"left out|nothing left out", subtitle(EXAMPLES[name]()))


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_a_quantity_on_an_axis_has_a_title_with_its_unit(name: str) -> None:
    spec = EXAMPLES[name]().to_dict()
    titled = []
    for part in parts(spec):
        for axis in ("x", "y"):
            channel = part.get("encoding", {}).get(axis, {})
            title = channel.get("title") or (channel.get("axis") or {}).get("title")
            if channel.get("type") == "quantitative" and title:
                titled.append(title)
    assert titled
    assert not [title for title in titled if not UNIT.search(title)]


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_it_stays_small(name: str) -> None:
    datasets = EXAMPLES[name]().to_dict()["datasets"]
    assert 0 < max(len(rows) for rows in datasets.values()) <= theme.MOST_ROWS


def test_rates_draw_their_interval_and_keep_a_check_nobody_could_judge() -> None:
    spec = EXAMPLES["rates"]().to_dict()
    rules = [p for p in parts(spec) if isinstance(p.get("mark"), dict) and p["mark"]["type"] == "rule"]
    assert [(p["encoding"]["x"]["field"], p["encoding"]["x2"]["field"]) for p in rules] == [
        ("pass_rate_low", "pass_rate_high")
    ]
    text = theme.svg(EXAMPLES["rates"]())
    assert "6 of 9" in text
    assert "no call could be judged" in text
    assert "7 inconclusive · 3 not scorable" in text


def test_gaps_draw_a_band_where_both_ends_are_known_and_say_where_not() -> None:
    chart = EXAMPLES["response_gaps"]()
    text = theme.svg(chart)
    assert "p50 0.55 s [0.40, 0.70], p95 0.85 s [0.75, open] · n = 36" in text
    assert text.count('aria-roledescription="rect mark"') == 1  # the 95th percentile has no upper end


def test_the_agents_with_most_answers_are_drawn_and_the_rest_counted() -> None:
    gaps, percentiles = gap_rows()
    many = pl.concat(
        percentiles.with_columns(agent_id=pl.lit(f"a{ix}"), response_count=pl.lit(ix + 1, pl.Int64)) for ix in range(8)
    )
    chart = CHARTS["response_gaps"](gaps, many).to_dict()
    assert "left out: 2 agents with fewer answers" in subtitle(CHARTS["response_gaps"](gaps, many))
    assert "left out: 1 agent with fewer answers" in subtitle(CHARTS["response_gaps"](gaps, many.head(7)))
    assert len(chart["vconcat"]) == 6
    assert "a7" in json.dumps(chart["vconcat"][0]["title"])


def test_lanes_count_what_has_no_time() -> None:
    spec = EXAMPLES["call_lanes"]().to_dict()
    assert "1 turn, 1 tool call, 1 finding; left out: 1 without a time" in subtitle(EXAMPLES["call_lanes"]())
    assert [len(lane["layer"]) for lane in spec["layer"][2:]] == [2, 2, 2]  # caller, agent, events
    assert spec["height"] == 95 + 6 + 95 + 6 + 3 * 22
    domains = [p["scale"]["domain"] for p in parts(spec) if p.get("field") == "start_s" and "scale" in p]
    assert domains
    assert all(domain == [0, 10.0] for domain in domains)


def test_lanes_without_audio_still_show_who_spoke() -> None:
    chart = CHARTS["call_lanes"](level_rows().clear(), speech_rows(), mark_rows(), duration_s=10.0)
    assert 'aria-label="start_s: 4' in theme.svg(chart) or "start_s: 4" in theme.svg(chart)
    assert chart.to_dict()["height"] == 26 + 6 + 26 + 6 + 3 * 22


def test_two_clocks_count_what_has_no_place_and_draw_the_line() -> None:
    spec = EXAMPLES["two_clocks"]().to_dict()
    assert subtitle(EXAMPLES["two_clocks"]()) == (
        "n: 4 reports; left out: 2 without an answer in the sound beside it, 1 over a minute; "
        "line: -100 ms, +30 ms a minute"
    )
    below = [row for row in spec["datasets"]["reports"] if row["turn_ix"] == 6]
    assert [(row["reported_s"], row["report"]) for row in below] == [(-0.25, "impossible")]
    [line] = [p for p in spec["layer"][2]["layer"] if p["mark"]["type"] == "line"]
    ends = spec["datasets"][line["data"]["name"]]
    # at 61.8 s, just beyond the last answer: -100 ms + 30 ms * 61.8 / 60
    assert [end["difference_s"] for end in ends] == [-0.1, pytest.approx(-0.0691)]
    assert len(CHARTS["two_clocks"](clock_rows()).to_dict()["layer"][2]["layer"]) == 1


def test_a_moment_is_marked_in_each_lane_and_faint_runs_are_pale() -> None:
    spec = EXAMPLES["moment_lanes"]().to_dict()
    _grid, *lanes, moment = spec["layer"]
    assert len(lanes) == 2
    assert (moment["mark"]["type"], "y" in moment["encoding"]) == ("rule", False)  # through both lanes
    assert "120 pieces of 100 ms" in subtitle(EXAMPLES["moment_lanes"]())  # as long as the hop, or longer
    assert spec["datasets"]["moment"] == [{"onset_s": 2.0}]
    assert [row["opacity"] for role in ("caller", "agent") for row in spec["datasets"][f"{role} speech"]] == [1.0, 0.3]
    for lane in lanes:
        assert [layer["mark"]["type"] for layer in lane["layer"]] == ["bar", "rect"]
        assert {tuple(layer["encoding"]["x"]["scale"]["domain"]) for layer in lane["layer"]} == {(0.0, 6.0)}


def test_nothing_to_draw_is_said_in_place_of_empty_axes() -> None:
    empty = [
        CHARTS["rates"](rate_rows().clear()),
        CHARTS["call_counts"](COUNTS.clear(), by="source_format", parts="health"),
        CHARTS["response_gaps"](gap_rows()[0].clear(), gap_rows()[1].clear()),
        CHARTS["moment_lanes"](level_rows().clear(), speech_rows().clear(), onset_s=1.0, start_s=0.0, end_s=5.0),
        CHARTS["two_clocks"](clock_rows().clear()),
        CHARTS["call_lanes"](level_rows().clear(), speech_rows().clear(), mark_rows().clear(), duration_s=0.0),
    ]
    for chart in empty:
        spec = chart.to_dict()
        assert spec["mark"]["type"] == "text"
        assert spec["title"]["subtitle"] == "n = 0"


def test_a_missing_column_and_too_many_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="no column level_dbfs"):
        CHARTS["call_lanes"](level_rows().drop("level_dbfs"), speech_rows(), mark_rows(), duration_s=10.0)
    with pytest.raises(UsageError, match="too many to draw"):
        CHARTS["call_lanes"](pl.concat([level_rows()] * 26), speech_rows(), mark_rows(), duration_s=10.0)
    with pytest.raises(UsageError, match="does not fit"):
        CHARTS["mel"](np.zeros((4, 4)), start_s=0.0, end_s=1.0, band_edges_hz=np.arange(4.0))


def test_the_spectrogram_is_one_image_with_the_low_bands_at_the_bottom() -> None:
    """Decoded by hand from the PNG: row 0 is the top, a palette index a cell (PNG specification 1.2)."""
    power = np.array([[0.0, 0.0, 0.0], [-40.0, -40.0, -40.0], [-80.0, -80.0, -80.0]])  # band 0 is loudest
    chart = CHARTS["mel"](power, start_s=0.0, end_s=1.0, band_edges_hz=np.array([0.0, 100.0, 200.0, 300.0]))
    assert cells(chart) == [0, 0, 0, 0, 0, 128, 128, 128, 0, 255, 255, 255]


def test_pictures_to_be_compared_have_one_scale_of_colours_and_say_it() -> None:
    """A click at -30 dB beside speech at -2 dB: 28 dB fainter is 28/80 of the scale darker."""
    loud, click = np.full((2, 2), -2.0), np.full((2, 2), -30.0)
    click[0, 0] = -120.0
    assert mel.scale([loud, click]) == (-82.0, -2.0)
    edges = np.array([0.0, 100.0, 200.0])
    chart = mel.chart(click, start_s=0.0, end_s=1.0, band_edges_hz=edges, levels_db=mel.scale([loud, click]))
    assert ["power (dB),", "-82 to -2", "in every picture"] in [part.get("title") for part in parts(chart.to_dict())]
    assert cells(chart) == [0, 166, 166, 0, 0, 166]  # 255 * 52 / 80 = 165.75; beyond the scale is its end


def test_survival_counts_the_censored_and_who_was_at_risk() -> None:
    spec = EXAMPLES["survival"]().to_dict()
    assert "n: 4 moments, 2 of them censored" in spec["title"]["subtitle"]
    assert "left out: 1 NOT_SCORABLE" in spec["title"]["subtitle"]
    assert [row["at_risk"] for row in spec["datasets"]["risk"]] == [4, 3, 2, 1]
    assert spec["datasets"]["curves"][-1]["survival"] == 0.5
    assert "at risk" in theme.svg(EXAMPLES["survival"]())


def test_survival_has_a_dot_where_something_was_seen_and_a_stroke_where_observation_ended() -> None:
    data = EXAMPLES["survival"]().to_dict()["datasets"]
    assert [row["time_s"] for row in data["curves"] if row["seen"]] == [0.5, 1.0]
    strokes = [(row["time_s"], row["survival"], row["moment_count"]) for row in data["ended"]]
    assert strokes == [(2.0, 0.5, 1), (3.0, 0.5, 1)]
    assert "stroke" in theme.svg(EXAMPLES["survival"]())
    subtitle = EXAMPLES["survival"]().to_dict()["title"]["subtitle"]
    assert "2 of them censored (stroke)" in subtitle


def test_as_many_strokes_as_can_be_seen_count_all_that_were_censored() -> None:
    rows = [("c", "x", "all", 0.1 + ix / 1000, ix % 50 == 0) for ix in range(5000)]
    names = ["call_id", "label_id", "group", "duration_s", "observed"]
    times = pl.DataFrame(rows, schema=names, orient="row")
    parts_ = (timing_survival.curves(times), timing_survival.summaries(times.head(60)))
    risk = timing_survival.at_risk(times, ticks_s=[0.0])
    ended = CHARTS["survival"](*parts_, risk, times=times).to_dict()["datasets"]["ended"]
    assert len(ended) <= 401
    assert sum(row["moment_count"] for row in ended) == 4900


def test_moments_that_flipped_or_touch_a_bound_come_first_and_say_so() -> None:
    rows = EXAMPLES["timing_moments"]().to_dict()["datasets"]["moments"]
    assert [row["status"] for row in rows] == ["FAIL", "FAIL", "NOT_SCORABLE"]
    assert (rows[0]["beside"], rows[0]["mark"]) == ("FAIL · slow to yield", "flipped · next to a bound")
    many = pl.concat(moment_rows().with_columns(call_id=pl.lit(f"c{ix}"), flipped=ix == 7) for ix in range(30))
    chart = CHARTS["timing_moments"](many)
    assert "left out: 50 (21 FAIL, 29 others)" in subtitle(chart)
    flipped = pl.concat(moment_rows().with_columns(call_id=pl.lit(f"c{ix}"), flipped=True) for ix in range(30))
    assert "left out: 50 (50 flipped)" in subtitle(CHARTS["timing_moments"](flipped))
    assert "nothing to see" not in json.dumps(CHARTS["timing_moments"](flipped).to_dict()["title"])
    assert chart.to_dict()["datasets"]["moments"][0]["name"].startswith("c7\n@ 2.00 s")


def test_an_arrow_stands_only_where_the_agent_spoke_on() -> None:
    stopped = pl.when(pl.col("yield_censored")).then(pl.lit(1.2)).otherwise(pl.col("agent_quiet_s"))
    both = pl.concat([moment_rows(), moment_rows().with_columns(call_id=pl.lit("d"), agent_quiet_s=stopped)])
    chart = CHARTS["timing_moments"](both).to_dict()
    arrows = [(row["name"][:2], row["end_s"]) for row in chart["datasets"]["moments"] if row["spoke_on"]]
    assert arrows == [("c2", 3.0)]
    told = " ".join(chart["title"]["subtitle"])
    assert "censored: 1 the agent spoke on (arrow), 1 it stopped with no caller near" in told


def test_what_was_not_seen_to_its_end_is_counted_apart() -> None:
    subtitle = EXAMPLES["timing_spread"]().to_dict()["title"]["subtitle"]
    assert "3 response gaps (0 censored), 3 times to yield (1 censored)" in subtitle


def test_moments_without_an_arrow_have_an_axis_all_the_same() -> None:
    """A browser warns of an infinite extent where the axis comes from a layer that has no row."""
    spec = CHARTS["timing_moments"](moment_rows().filter(~pl.col("yield_censored"))).to_dict()
    domains = [part["scale"]["domain"] for part in parts(spec) if part.get("field") == "end_s" and "scale" in part]
    assert domains == [[0, 1.01]] * 2
