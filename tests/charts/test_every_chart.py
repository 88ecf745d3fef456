"""Every chart draws offline, names its units, says n and what was left out, and refuses what it cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from workbench.charts import charts, theme
from workbench.charts.drawn import Drawn
from workbench.errors import UsageError

CHARTS = charts()
UNIT = re.compile(r"\((?:s|dBFS|dB|Hz[^)]*|count|%[^)]*)\)")


def rate_rows() -> pl.DataFrame:
    row = {"assertion_id": "slow", "dimension": "conversation", "deterministic": True, "call_count": 10}
    row |= {
        "trial_count": 9,
        "pass_count": 6,
        "inconclusive_count": 1,
        "not_scorable_count": 0,
        "skipped_count": 0,
    }
    row |= {"error_count": 0, "pass_rate": 6 / 9, "pass_rate_low": 0.354, "pass_rate_high": 0.879}
    silent = {**row, "assertion_id": "misheard", "dimension": "speech", "trial_count": 0, "pass_count": 0}
    silent |= {"inconclusive_count": 7, "not_scorable_count": 3, "pass_rate": None, "pass_rate_low": None}
    return pl.DataFrame([row, {**silent, "pass_rate_high": None}])


def gap_rows() -> tuple[pl.DataFrame, pl.DataFrame]:
    key = {"agent_id": "a", "agent_version": "2", "clock": "audio"}
    gaps = pl.DataFrame(
        [{**key, "bin_start_s": s / 10, "bin_end_s": (s + 1) / 10, "gap_count": s} for s in range(1, 9)]
    )
    ends = {"gap_p50_lin_s": 0.55, "gap_p50_low_s": 0.4, "gap_p50_high_s": 0.7}
    ends |= {"gap_p95_lin_s": 0.85, "gap_p95_low_s": 0.75, "gap_p95_high_s": None}
    return gaps, pl.DataFrame([{**key, "call_count": 4, "response_count": 36, **ends}])


def level_rows() -> pl.DataFrame:
    at = [ix / 10 for ix in range(100)]
    rows = [(role, t, t + 0.1, -40.0 + 10 * (ix % 3)) for role in ("caller", "agent") for ix, t in enumerate(at)]
    return pl.DataFrame(rows, schema=["role", "start_s", "end_s", "level_dbfs"], orient="row")


def speech_rows() -> pl.DataFrame:
    return pl.DataFrame({"role": ["caller", "agent"], "start_s": [0.5, 4.0], "end_s": [3.0, 8.0]})


def mark_rows() -> pl.DataFrame:
    rows = [
        ("turn", 0.5, 3.0, "caller", "hello"),
        ("tool call", 3.5, None, "tool", "refund"),
        ("finding", 3.0, 4.0, "high", "slow_response: ..."),
        ("finding", None, None, "medium", "incomplete: ..."),
    ]
    return pl.DataFrame(rows, schema=["kind", "start_s", "end_s", "tone", "label"], orient="row")


COUNTS = pl.DataFrame({"source_format": ["a", "a", "b"], "health": ["no audio", None, "x"], "call_count": [3, 4, 2]})
EXAMPLES: dict[str, Callable[[], Any]] = {
    "call_counts": lambda: CHARTS["call_counts"](COUNTS, by="source_format", parts="health"),
    "call_lanes": lambda: CHARTS["call_lanes"](
        level_rows(), speech_rows(), mark_rows(), duration_s=10.0, stretch=(3.0, 4.0)
    ),
    "levels": lambda: CHARTS["levels"](level_rows()),
    "mel": lambda: CHARTS["mel"](
        np.linspace(-80.0, 0.0, 320).reshape(16, 20),
        start_s=1.0,
        end_s=2.0,
        band_edges_hz=np.linspace(0, 4000, 17),
    ),
    "rates": lambda: CHARTS["rates"](rate_rows()),
    "response_gaps": lambda: CHARTS["response_gaps"](*gap_rows()),
}


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
    chart = EXAMPLES[name]()
    if isinstance(chart, Drawn):
        chart.to_altair().to_dict()
    else:
        chart.to_dict(validate=True)


def test_all_charts_look_alike() -> None:
    assert len({json.dumps(EXAMPLES[name]().to_dict()["config"], sort_keys=True) for name in CHARTS}) == 1


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_it_says_n_and_what_was_left_out(name: str) -> None:
    title = EXAMPLES[name]().to_dict()["title"]
    assert title["text"]
    assert re.search(r"n: [\d,]+", title["subtitle"])
    assert re.search(r"left out|nothing left out", title["subtitle"])


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
    assert "left out: 2 agents with fewer answers" in chart["title"]["subtitle"]
    assert len(chart["vconcat"]) == 6
    assert "a7" in json.dumps(chart["vconcat"][0]["title"])


def test_lanes_count_what_has_no_time() -> None:
    spec = EXAMPLES["call_lanes"]().to_dict()
    assert "left out: 1 without a time" in spec["title"]["subtitle"]
    assert "1 turn, 1 tool call, 1 finding" in spec["title"]["subtitle"]
    assert len(spec["vconcat"]) == 3  # caller, agent, events
    domains = [p["scale"]["domain"] for p in parts(spec) if p.get("field") == "start_s" and "scale" in p]
    assert domains
    assert all(domain == [0, 10.0] for domain in domains)


def test_lanes_without_audio_still_show_who_spoke() -> None:
    chart = CHARTS["call_lanes"](level_rows().clear(), speech_rows(), mark_rows(), duration_s=10.0)
    assert 'aria-label="start_s: 4' in theme.svg(chart) or "start_s: 4" in theme.svg(chart)
    assert len(chart.to_dict()["vconcat"]) == 3


def test_nothing_to_draw_is_said_in_place_of_empty_axes() -> None:
    empty = [
        CHARTS["rates"](rate_rows().clear()),
        CHARTS["call_counts"](COUNTS.clear(), by="source_format", parts="health"),
        CHARTS["response_gaps"](gap_rows()[0].clear(), gap_rows()[1].clear()),
        CHARTS["levels"](level_rows().clear()),
        CHARTS["call_lanes"](level_rows().clear(), speech_rows().clear(), mark_rows().clear(), duration_s=0.0),
    ]
    for chart in empty:
        spec = chart.to_dict()
        assert spec["mark"]["type"] == "text"
        assert spec["title"]["subtitle"] == "n = 0"


def test_a_missing_column_and_too_many_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="no column level_dbfs"):
        CHARTS["levels"](level_rows().drop("level_dbfs"))
    with pytest.raises(UsageError, match="too many to draw"):
        CHARTS["levels"](pl.concat([level_rows()] * 26))
    with pytest.raises(UsageError, match="does not fit"):
        CHARTS["mel"](np.zeros((4, 4)), start_s=0.0, end_s=1.0, band_edges_hz=np.arange(4.0))


def test_the_spectrogram_is_one_image_with_the_low_bands_at_the_bottom() -> None:
    """Decoded by hand from the PNG: row 0 is the top, a palette index a cell (PNG specification 1.2)."""
    import base64
    import zlib

    power = np.array([[0.0, 0.0, 0.0], [-40.0, -40.0, -40.0], [-80.0, -80.0, -80.0]])  # band 0 is loudest
    spec = CHARTS["mel"](power, start_s=0.0, end_s=1.0, band_edges_hz=np.array([0.0, 100.0, 200.0, 300.0])).to_dict()
    url = next(row["url"] for rows in spec["datasets"].values() for row in rows if "url" in row)
    png = base64.b64decode(url.removeprefix("data:image/png;base64,"))
    at = png.index(b"IDAT")
    size = int.from_bytes(png[at - 4 : at], "big")
    rows = zlib.decompress(png[at + 4 : at + 4 + size])
    assert list(rows) == [0, 0, 0, 0, 0, 128, 128, 128, 0, 255, 255, 255]
