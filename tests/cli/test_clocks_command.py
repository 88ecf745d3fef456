"""`workbench clocks` on a call whose sound and reports are both made, and on calls that cannot be related."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.cli import main
from workbench.schema.call import Audio, Call, StageTiming, Turn

RATE = 8000
GAPS_S = [0.5, 1.5, 0.8, 2.0, 1.2]
OFFSET_MS = -100.0


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five answers of 1.5 s to questions of 2 s; the server reports each 100 ms short, one of them negative."""
    folder = tmp_path_factory.mktemp("clocks")
    caller, agent = np.zeros(30 * RATE), np.zeros(30 * RATE)
    turns, at = [], 0.5
    for gap_s in GAPS_S:
        for role, lane, length_s in (("caller", caller, 2.0), ("agent", agent, 1.5)):
            at = round(at + (gap_s if role == "agent" else 0.0), 3)
            times = np.arange(round(length_s * RATE)) / RATE
            lane[round(at * RATE) : round(at * RATE) + len(times)] = 0.3 * np.sin(2 * math.pi * 300 * times)
            turns.append(Turn(role=role, start_s=at, end_s=at + length_s))
            at += length_s
        at += 0.7
    noise = np.random.default_rng(1).normal(0, 1e-4, (30 * RATE, 2))
    sf.write(folder / "call.wav", np.stack([caller, agent], axis=1) + noise, RATE)
    reports = [
        StageTiming(stage="e2e", value_ms=1000 * gap_s + OFFSET_MS, turn_ix=2 * ix + 1, measured_at="server")
        for ix, gap_s in enumerate(GAPS_S)
    ]
    reports.append(StageTiming(stage="e2e", value_ms=-5.0, turn_ix=1, measured_at="client"))
    source = {"source_format": "made", "source_uri": "made.json", "turn_clock": "reported"}
    calls = [
        Call(
            id="heard",
            source_sha256="0" * 64,
            turns=turns,
            stage_timings=reports,
            audio=[Audio(path=str(folder / "call.wav"), channels=["caller", "agent"], channel_map_source="declared")],
            **source,
        ),
        Call(id="unheard", source_sha256="1" * 64, turns=turns, stage_timings=reports, **source),
    ]
    with Archive.create(folder / "archive") as made:
        made.add(calls)
        made.measure(workers=1)
    return folder / "archive"


@pytest.fixture(scope="module")
def apart(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two calls with one clock each: one is heard, the other reports."""
    folder = tmp_path_factory.mktemp("apart")
    sound = Audio(path=str(archive.parent / "call.wav"), channels=["caller", "agent"], channel_map_source="declared")
    reports = [StageTiming(stage="e2e", value_ms=500.0, turn_ix=0)]
    turns = [Turn(role="agent", text="yes")]
    source = {"source_uri": "made.json"}
    with Archive.create(folder / "archive") as made:
        made.add(
            [
                Call(id="heard", source_format="recorder", source_sha256="0" * 64, audio=[sound], **source),
                Call(
                    id="told",
                    source_format="framework",
                    source_sha256="1" * 64,
                    turns=turns,
                    stage_timings=reports,
                    **source,
                ),
            ]
        )
        made.measure(workers=1)
    return folder / "archive"


def run(archive: Path, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["clocks", "--archive", str(archive), *args])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out + said.err


def test_offset_and_the_impossible_report_are_told(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(archive, capsys, "heard", "--json")
    [found] = json.loads(text)
    assert code == 0
    assert (found["status"], found["report_count"], found["fitted_count"]) == ("SCORED", 6, 5)
    # a gap in audio begins and ends within a window of the truth; the hangover is none of it
    assert found["offset_ms"] == pytest.approx(OFFSET_MS, abs=25)
    assert found["drift_ms_per_min"] == pytest.approx(0.0, abs=40)
    [fault] = [turn for turn in found["turns"] if turn["fault"]]
    assert (fault["reported_ms"], fault["measured_at"]) == (-5.0, "client")
    code, text = run(archive, capsys, "heard")
    assert code == 0
    assert "negative: the answer would have come before the question ended" in text
    assert "6 reports of 1 call, 1 impossible" in text


def test_a_call_without_audio_is_refused(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(archive, capsys, "unheard")
    assert code == 2
    assert "no audio clock: its times are the source's own (transcript)" in text
    code, text = run(archive, capsys, "--all")
    assert code == 0
    assert "12 reports of 2 calls, 2 impossible" in text


def test_one_call_or_all_must_be_named(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(archive, capsys)[0] == 2
    assert run(archive, capsys, "heard", "--all")[0] == 2
    code, text = run(archive, capsys, "nobody")
    assert code == 2
    assert "no call 'nobody'" in text


def test_where_no_call_has_both_clocks_each_is_named_with_what_to_import(
    apart: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = run(apart, capsys, "--all")
    assert code == 2
    assert "no call has both clocks: 1 call timed by audio without a reported latency (recorder 1); " in text
    assert "1 call with a reported latency not timed by audio (framework 1)" in text
    assert "Hint: one call needs both: its recording, caller and agent on channels of their own" in text
    assert "1 more call timed by audio, without a reported latency" in text


def test_json_has_the_clock_that_each_call_lacks(apart: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["clocks", "--archive", str(apart), "--all", "--json"])
    said = capsys.readouterr()
    assert ended.value.code == 2
    rows = {row["call_id"]: row for row in json.loads(said.out)}
    assert rows["heard"]["reason"] == "no response latency was reported"
    assert "stage_timings of the stage e2e" in rows["heard"]["next_step"]
    assert rows["told"]["reason"] == "no audio clock: the call has none"
    assert "caller and agent on channels of their own" in rows["told"]["next_step"]
    assert "no call has both clocks" in said.err


def test_a_call_with_one_clock_says_what_it_lacks(apart: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(apart, capsys, "heard")
    assert code == 2
    assert "heard: no response latency was reported\nHint: import the call with the latencies" in text


def test_both_clocks_and_too_few_answers_say_so(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from workbench.analysis.clocks import TwoClocks
    from workbench.analysis.clocks_there import against_all

    few = TwoClocks("heard", "INCONCLUSIVE", "2 turns in common, at least 3 are needed")
    what, hint = against_all(Archive(archive), [few])
    assert what == (
        "1 call with both clocks, and none can be related: 2 turns in common, at least 3 are needed (1 call)"
    )
    assert "three answers" in hint
