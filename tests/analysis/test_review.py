"""Reviewing a made call: the queue, a judgement and its score, taking it back, confirming channels."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.analysis import review
from workbench.analysis.review_sentence import sentence_of
from workbench.archive.archive import Archive
from workbench.errors import UsageError
from workbench.schema.call import Audio, Call

RATE = 8000


def tones(spans: list[tuple[float, float]], *, length_s: float, hz: float) -> np.ndarray:
    at = np.arange(round(length_s * RATE)) / RATE
    on = np.zeros(len(at), bool)
    for start_s, end_s in spans:
        on |= (at >= start_s) & (at < end_s)
    noise = np.random.default_rng(int(hz)).normal(0, 1e-4, len(at))
    return np.where(on, 0.3 * np.sin(2 * math.pi * hz * at), 0) + noise


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """A caller who begins at 2 s and at 12 s while the agent speaks; it stops 0.5 s and 1.5 s later."""
    caller = tones([(2.0, 4.0), (12.0, 15.0)], length_s=20.0, hz=300)
    agent = tones([(0.5, 2.5), (10.0, 13.5)], length_s=20.0, hz=500)
    sf.write(tmp_path / "call.wav", np.stack([caller, agent], axis=1), RATE)
    call = Call(
        id="c1",
        source_format="made",
        source_uri="made",
        source_sha256="0" * 64,
        turn_clock="none",
        audio=[Audio(path=str(tmp_path / "call.wav"), channels=["caller", "agent"], channel_map_source="declared")],
    )
    made = Archive.create(tmp_path / "archive")
    made.add([call])
    made.measure(workers=1)
    return made


def onsets(archive: Archive) -> list[float]:
    return [round(onset_s, 1) for onset_s in review.queue(archive)["onset_s"]]


def test_the_longest_overlap_comes_first_and_what_was_put_off_last(archive: Archive) -> None:
    found = review.queue(archive)
    assert onsets(archive) == [12.0, 2.0]
    assert found["place"].to_list() == [1, 2]
    first = found.row(0, named=True)
    key = (first["call_id"], first["recording_id"], first["moment_ix"])
    later = review.queue(archive, put_off=frozenset({key}))
    assert [round(onset_s, 1) for onset_s in later["onset_s"]] == [2.0, 12.0]
    assert later["put_off"].to_list() == [False, True]
    assert len(review.queue(archive, None)) >= 2


def test_a_judgement_is_scored_leaves_the_queue_and_can_be_taken_back(archive: Archive) -> None:
    done = review.judge(archive, "c1", onset_s=12.0, expect="yield", author="one", max_time_to_yield_s=1.0)
    assert done.event is not None
    assert (done.event["status"], done.event["expect"]) == ("FAIL", "yield")  # it stopped after 1.5 s
    assert onsets(archive) == [2.0]
    review.judge(archive, "c1", onset_s=2.0, expect="yield", author="two", max_time_to_yield_s=1.0)
    rows = review.history(archive).to_dicts()
    assert [(row["author"], row["onset_s"], row["status"]) for row in rows] == [
        ("two", 2.0, "PASS"),
        ("one", 12.0, "FAIL"),
    ]

    review.take_back(archive, "c1", done.label_id, author="two")
    assert onsets(archive) == [12.0]
    assert review.history(archive)["author"].to_list() == ["two"]
    assert archive.sql("select count(*) from labels").item() == 3  # nothing is overwritten: two labels, a retraction
    with pytest.raises(UsageError, match="no label"):
        review.take_back(archive, "c1", done.label_id, author="two")


def test_what_cannot_be_judged_is_refused(archive: Archive) -> None:
    with pytest.raises(UsageError, match="author"):
        review.judge(archive, "c1", onset_s=12.0, expect="yield", author=" ")
    with pytest.raises(UsageError, match="outside the call"):
        review.judge(archive, "c1", onset_s=99.0, expect="hold", author="one")
    assert review.history(archive).is_empty()


def test_the_window_is_cut_to_the_call_and_shows_both_sides(archive: Archive) -> None:
    around = review.window(archive, "c1", 12.0)
    assert (around.start_s, around.end_s) == (10.0, 16.0)
    assert set(around.levels["role"]) == {"caller", "agent"}
    assert len(around.levels) == pytest.approx(600, abs=4)  # 6 s in pieces of 20 ms, two sides
    assert around.speech["start_s"].min() >= 10.0
    caller = around.speech.filter(around.speech["role"] == "caller").row(0, named=True)
    assert caller["start_s"] == pytest.approx(12.0, abs=0.03)
    assert caller["faint"] is False
    early = review.window(archive, "c1", 0.5)
    assert early.start_s == 0.0
    assert review.window(archive, "c1", 19.0).end_s == pytest.approx(20.0)


def test_channels_are_confirmed_as_they_are_only(archive: Archive) -> None:
    done = review.confirm(archive, "c1", ("caller", "agent"), author="one")
    kinds = archive.sql("select kind, author from standing_labels where label_id = $id", {"id": done.label_id})
    assert kinds.row(0) == ("channel_map", "one")
    with pytest.raises(UsageError, match="caller,agent"):
        review.confirm(archive, "c1", ("agent", "caller"), author="one")


@pytest.mark.parametrize("source", ["name", "sidecar", "declared", "format"])
def test_exchanged_channels_that_something_states_are_corrected_there(archive: Archive, source: str) -> None:
    row = {"channel_roles": ["caller", "agent"], "channel_map_source": source, "next_step": "exchange their names"}
    assert review.exchanged(archive, row) == "Next step: exchange their names."
    told = review.exchanged(archive, row | {"channel_map_source": "option"})
    assert "workbench import FILE --replace --channels agent,caller" in told


@pytest.mark.parametrize(("typed", "seconds"), [("", None), ("  ", None), ("1.5", 1.5), (" 0,8 ", 0.8), ("0", 0.0)])
def test_a_bound_is_seconds_or_nothing(typed: str, seconds: float | None) -> None:
    assert review.bound(typed) == seconds


@pytest.mark.parametrize("typed", ["soon", "-1", "nan", "inf"])
def test_no_other_bound_is_taken(typed: str) -> None:
    with pytest.raises(UsageError, match="is no bound"):
        review.bound(typed)


def test_every_kind_of_moment_has_its_sentence(archive: Archive) -> None:
    """The agent is quiet from 2.5 to 10.0 s, the caller until 4.0 s: 6 s of it nobody speaks."""
    told = {row["kind"]: sentence_of(archive, row) for row in review.queue(archive, None).iter_rows(named=True)}
    assert told["overlap_while_agent_talking"].startswith(
        "The caller began while the agent was speaking; both spoke for"
    )
    assert told["long_response_gap"].startswith("The caller stopped and ")
    assert len(told) >= 2
