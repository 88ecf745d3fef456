"""A call on one time axis, counted against its recording and its rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from workbench.analysis.call_facts import call_facts, verdict
from workbench.analysis.call_timeline import MOST_RUNS, call_timeline, event_marks, thinned
from workbench.archive.archive import Archive
from workbench.errors import UsageError

HARPER, TEXT_ONLY, TIMED_TEXT = (
    "ff0296d00e5e4184",
    "gpt-4o-airline-first-20-task2-trial0",
    "refund-misheard-fifty",
)


@pytest.fixture(scope="module")
def archive(demo_archive: Path) -> Iterator[Archive]:
    with Archive(demo_archive) as opened:
        yield opened


def test_levels_are_the_loudest_frame_of_each_stretch(archive: Archive) -> None:
    """Against the frames themselves, gathered here by numpy."""
    call = call_timeline(archive, HARPER)
    assert len(call.levels) <= 2 * 601
    caller = call.levels.filter(pl.col("role") == "caller")
    query = "select recording_id, offset_s, sample_rate_hz from recordings where call_id = $call"
    recording = archive.sql(query, {"call": HARPER}).row(0, named=True)
    query = "select frame_ix, caller_dbfs from frames where recording_id = $id order by frame_ix"
    frames = archive.sql(query, {"id": recording["recording_id"]})
    hop_s = round(recording["sample_rate_hz"] * 0.01) / recording["sample_rate_hz"]
    times = recording["offset_s"] + frames["frame_ix"].to_numpy() * hop_s
    loud = frames["caller_dbfs"].to_numpy()
    for row in caller.sample(25, seed=1).iter_rows(named=True):
        inside = (times >= row["start_s"] - 1e-6) & (times < row["end_s"] - 1e-6)
        assert row["level_dbfs"] == pytest.approx(np.max(loud[inside]))
    assert caller["end_s"].max() == pytest.approx(call.duration_s, abs=0.1)


def test_a_call_without_audio_or_clock_says_so(archive: Archive) -> None:
    call = call_timeline(archive, TEXT_ONLY)
    assert call.levels.is_empty()
    assert call.speech.is_empty()
    assert "no audio" in (call.note or "")
    assert "not scored" in (call.note or "")
    facts = dict(call_facts(call.overview))
    assert facts["health of the audio"] == "no audio"
    assert facts["talk-over"] == facts["longest response gap"] == "not measured"
    assert "could not say" in verdict(call.overview)
    assert facts["findings"].endswith(" could not say")
    assert verdict({"high_finding_count": 0, "open_check_count": 0}) == "Nothing failed."
    assert verdict({"high_finding_count": None, "open_check_count": None}).startswith("This call was not judged")


def test_a_timed_transcript_has_speech_and_no_level(archive: Archive) -> None:
    call = call_timeline(archive, TIMED_TEXT)
    assert call.levels.is_empty()
    assert len(call.speech)
    assert (call.note or "").startswith("This call has no audio")
    assert call.turn_clock == "reported"


def test_an_unknown_call_is_refused_and_its_name_is_only_a_value(archive: Archive) -> None:
    with pytest.raises(UsageError, match="no call"):
        call_timeline(archive, "x' or 1=1 --")


def test_marks_take_the_time_that_is_known() -> None:
    turns = pl.DataFrame(
        {"turn_ix": [0], "role": ["caller"], "start_s": [1.0], "end_s": [2.0], "text": ["a\u202eb " * 60]}
    ).with_columns(heard=pl.lit(None, pl.String), truth=pl.lit(None, pl.String))
    tools = pl.DataFrame(
        {
            "turn_ix": [0, 7],
            "name": ["refund", "look"],
            "start_s": [None, None],
            "end_s": [None, None],
            "error": [None, "no"],
        },
        schema_overrides={"start_s": pl.Float64, "end_s": pl.Float64},
    )
    none = pl.DataFrame(schema=dict.fromkeys(("start_s", "end_s", "severity", "failure_code", "message"), pl.String))
    marks = event_marks(turns, tools, none)
    assert marks.select("kind", "start_s", "tone").rows() == [
        ("turn", 1.0, "caller"),
        ("tool call", 2.0, "tool"),
        ("tool call", None, "tool error"),
    ]
    assert marks["label"][1] == "refund (time of its turn's end)"
    assert "\u202e" not in marks["label"][0]
    assert len(marks["label"][0]) == 90


def test_a_long_call_is_thinned_without_losing_its_ends() -> None:
    starts = np.arange(MOST_RUNS + 800) * 0.5
    speech = pl.DataFrame({"role": "caller", "start_s": starts, "end_s": starts + 0.4, "faint": False})
    thin = thinned(speech, duration_s=1000.0)
    assert 0 < len(thin) < len(speech)
    assert (thin["start_s"].min(), thin["end_s"].max()) == (0.0, starts[-1] + 0.4)
    assert thinned(speech.head(5), duration_s=2.5).equals(speech.head(5))


def test_roles_are_never_joined_with_each_other() -> None:
    starts = np.arange(MOST_RUNS) * 2.0
    speech = pl.concat(
        pl.DataFrame({"role": role, "start_s": starts + shift, "end_s": starts + shift + 0.5, "faint": None})
        for role, shift in (("agent", 0.0), ("caller", 1.0))
    )
    thin = thinned(speech, duration_s=2400.0 * 600)
    assert thin["role"].sort().to_list() == ["agent", "caller"]
