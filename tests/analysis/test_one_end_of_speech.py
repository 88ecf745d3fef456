"""One end of speech everywhere: scores, gaps, overlaps and checks read the last loud frame, without the hangover."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.incidents_of_file import measured
from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig


@pytest.fixture(scope="module")
def archive(demo_archive: Path) -> Archive:
    return Archive(demo_archive)


def test_an_answer_is_as_late_in_turn_gaps_as_in_the_score_of_its_moment(archive: Archive) -> None:
    found = archive.sql(
        "select response_gap_s, gap_s from scored_events join turn_gaps on turn_gaps.call_id = scored_events.call_id "
        "and abs(agent_start_s - caller_end_s - response_gap_s) < 0.5 and abs(caller_end_s - turn_end_s) < 0.2"
    )
    assert found.height >= 5
    assert found["gap_s"].to_list() == pytest.approx(found["response_gap_s"].to_list(), abs=1e-6)


def test_an_overlap_ends_where_the_loud_frames_of_both_end(archive: Archive) -> None:
    ends = archive.sql("select call_id, round(voiced_end_s, 6) as end_s from segments where backend = 'energy'")
    found = archive.sql("select call_id, round(end_s, 6) as end_s from \"overlaps\" where clock = 'audio'")
    assert found.height > 10
    assert found.join(ends, on=["call_id", "end_s"], how="anti").is_empty()


def test_the_check_of_talk_over_tells_the_overlap_of_the_view(archive: Archive) -> None:
    findings = archive.sql(
        "select call_id, round(start_s, 3) as start_s from findings where assertion_id = 'talked_over_caller' "
        "and call_id in (select call_id from \"overlaps\" where clock = 'audio')"
    )
    assert findings.height > 3
    shown = archive.sql("select call_id, round(start_s, 3) as start_s from \"overlaps\" where clock = 'audio'")
    assert findings.join(shown, on=["call_id", "start_s"], how="anti").is_empty()


def test_a_silence_is_as_long_in_incidents_and_the_review_queue_as_in_views_of_turn_taking(archive: Archive) -> None:
    """Each incident that tells of a silence and does not stand apart has its row in `silences`, but the last."""
    told = archive.sql(
        "select call_id, round(onset_s, 3) as start_s, round(end_s, 3) as end_s, magnitude_s from incidents "
        "join call_clocks using (call_id) where clock = 'audio' and aside is null "
        "and kind in ('long_response_gap', 'agent_stop_no_caller') "
        "and end_s < (select max(end_s) from speech_runs where speech_runs.call_id = incidents.call_id)"
    )
    assert told.height > 15
    shown = archive.sql(
        "select call_id, round(start_s, 3) as start_s, round(end_s, 3) as end_s, silence_s from silences"
    )
    both = told.join(shown, on=["call_id", "start_s", "end_s"], how="left")
    assert both["magnitude_s"].to_list() == pytest.approx(both["silence_s"].to_list(), abs=1e-6)
    queued = archive.sql(
        "select review_queue.onset_s, incidents.onset_s as told_s from review_queue "
        "join incidents using (call_id, recording_id, moment_ix) "
        "where review_queue.kind in ('long_response_gap', 'agent_stop_no_caller')"
    )
    assert queued.height > 50
    assert queued["onset_s"].to_list() == queued["told_s"].to_list()


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("hangover_s", [0.0, 0.15, 0.4])
def test_seven_seconds_of_silence_are_told_as_seven_at_any_hangover(
    tmp_path: Path, channels: int, hangover_s: float
) -> None:
    """A tone to 3.00 s and one from 10.00 s; ends and starts are up to a window of 20 ms off."""
    rate = 8000
    t = np.arange(14 * rate) / rate
    heard = 9000 * np.sin(2 * np.pi * 300 * t) * ((t < 3) | (t >= 10)) * (t >= 1)
    caller = heard * (t < 3)
    samples = heard if channels == 1 else np.stack([caller, heard - caller], axis=1)
    soundfile.write(tmp_path / "made.wav", samples.astype(np.int16), rate, subtype="PCM_16")
    examined, _ = measured(
        tmp_path / "made.wav",
        channels=None if channels == 1 else ("caller", "agent"),
        config=MeasureConfig(hangover_s=hangover_s),
    )
    [row] = [row for row in examined.incidents if row["magnitude_s"] > 5]
    assert (row["onset_s"], row["end_s"]) == (pytest.approx(3.0, abs=0.021), pytest.approx(10.0, abs=0.021))
    assert row["magnitude_s"] == pytest.approx(7.0, abs=0.041)
    assert row["scanned_s"] == pytest.approx(7.0 - hangover_s, abs=0.041)
    assert f" {row['magnitude_s']:.2f} s" in row["sentence"]


@pytest.mark.parametrize("outlasts_s", [-0.5, 0.0, 0.2, 0.3, 0.31, 2.0])
@pytest.mark.parametrize("answers_s", [-0.06, -0.05, 0.0, 1.0])
def test_the_check_of_slow_responses_takes_the_answers_of_the_view(
    tmp_path: Path, outlasts_s: float, answers_s: float
) -> None:
    """An agent that outlasts the caller by 0.3 s at most owes an answer; one 0.05 s early at most gives it at 0 s."""
    from workbench.archive.asserting import assert_pack
    from workbench.assertions import load_pack
    from workbench.schema.call import Call, Turn

    def turn(role: str, start_s: float, end_s: float) -> Turn:
        return Turn(role=role, text="Well.", start_s=start_s, end_s=end_s)

    turns = [turn("caller", 2.5, 4.5), turn("agent", 4.5 + answers_s, 9.0)]
    if answers_s >= 0.4:
        turns.append(turn("agent", 0.0, 4.5 + outlasts_s))
    source = {"source_format": "made", "source_uri": "made", "source_sha256": "0" * 64}
    with Archive.create(tmp_path / "archive") as archive:
        archive.add([Call(id="c", turn_clock="reported", turns=turns, **source)])
        assert_pack(archive.layout, load_pack("caller-experience"))
        archive.refresh()
        shown = archive.sql("select count(*) as n, max(gap_s) as longest from turn_gaps").row(0)
        observed = archive.sql("select observed from assertion_results where assertion_id = 'slow_response'")[
            "observed"
        ]
    assert observed.len() == 1
    said = json.loads(observed[0])
    assert (said["responses"], said["longest_gap_s"]) == shown
