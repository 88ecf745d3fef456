"""Moments scored by hotato 1.20 and by the workbench, on one file and in one process; what they may differ in.

Where the two differ the frame walk of `test_scoring` says who follows the text of the method (`docs/timing.md`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import soundfile
from hotato.core import run_single

from workbench.audio.config import MeasureConfig
from workbench.timing.events import scored
from workbench.timing.lines import lay
from workbench.timing.measuring import Measured
from workbench.timing.score_config import ScoreConfig

CALLS = Path(__file__).parents[2] / "data" / "calls"
CLIPS = sorted(
    path.relative_to(CALLS).as_posix()
    for kind in ("*/audio/*.example.wav", "harper-valley-bank/audio/*.flac")
    for path in CALLS.glob(kind)
)
RATE = 8000


def as_wav(clip: str, folder: Path) -> Path:
    """A bundled clip as the 16-bit WAV that hotato reads."""
    samples, rate = soundfile.read(CALLS / clip, dtype="int16", always_2d=True)
    path = folder / "call.wav"
    soundfile.write(path, samples, rate, subtype="PCM_16")
    return path


def ours(
    measured: Measured,
    labels: list[dict[str, Any]],
    config: ScoreConfig | None = None,
    *,
    eligible: bool | None = None,
) -> list[dict[str, Any]]:
    """Score as the archive does; `eligible` sets aside whether the recording may carry a verdict."""
    recordings = pl.DataFrame(
        {
            "call_id": ["c"],
            "sample_rate_hz": [measured.sample_rate_hz],
            "offset_s": [0.0],
            "duration_s": [measured.duration_s],
        }
    )
    schema = {"call_id": pl.String, "role": pl.String, "start_s": float, "end_s": float, "voiced_end_s": float}
    segments = pl.DataFrame(measured.segments, schema=None if measured.segments else schema)
    separation = min(row["separation_db"] for row in measured.channels)
    health = {**measured.health, "separation_db": separation}
    if eligible is not None:
        health["verdict_eligible"] = eligible
    line = lay(recordings, segments, MeasureConfig())
    rows = []
    for label in labels:  # one at a time: labels of one moment that disagree would give no verdict
        asked = {"call_id": "c", "label_id": "x", **label}
        rows += scored([asked], line, health={"c": health}, config=config or ScoreConfig(), run_id="run")
    return rows


def compared(event: dict[str, Any]) -> dict[str, Any]:
    """What hotato says of an event, under our names."""
    verdict, signals, measured = event["verdict"], event["signals"], event["measurements"]
    scorable = event.get("scorable", True)
    found = {
        "did_yield": verdict["did_yield"],
        "time_to_yield_s": verdict["seconds_to_yield"],
        "talk_over_s": verdict["talk_over_sec"],
        "agent_talking": measured["agent_talking_at_onset"],
        "response_gap_s": signals["latency"]["response_gap_sec"],
        "premature_start_s": signals["latency"]["premature_start_sec"],
        "decision_margin_s": measured["decision_margin_sec"],
        "echo_suspected": signals["echo"]["echo_suspected"],
        "status": ("PASS" if verdict["passed"] else "FAIL") if scorable else "NOT_SCORABLE",
    }
    resume = signals.get("resume")
    found["resumed"] = resume["resumed"] if resume else None
    found["resume_gap_s"] = resume["resume_gap_sec"] if resume else None
    found["restart_suspected"] = resume["restart_suspected"] if resume else None
    return found


def judged(path: Path, label: dict[str, Any], **gates: Any) -> dict[str, Any]:
    """The event of hotato's `run`, as it comes."""
    value = label["value"] or {}
    envelope = run_single(
        stereo=str(path),
        onset_sec=label["onset_s"],
        expect=label["expect"],
        max_talk_over_sec=value.get("max_talk_over_s"),
        max_time_to_yield_sec=value.get("max_time_to_yield_s"),
        **gates,
    )
    event: dict[str, Any] = envelope["events"][0]
    return event


def theirs(path: Path, label: dict[str, Any]) -> dict[str, Any]:
    return compared(judged(path, label))


YIELD = ("time_to_yield_s", "talk_over_s", "decision_margin_s", "resume_gap_s", "status")
RESUME = ("did_yield", "resumed", "restart_suspected")


def same(row: dict[str, Any], expected: dict[str, Any], measured: Measured, label: dict[str, Any]) -> str | None:
    """Assert that all is the same, or differs in what is described; returns the name of the difference.

    `later`, `missed`: hotato sees the yield later or not at all, and ours is the first frame that meets the text.
    `withheld`: the recording carries no verdict here, and hotato's `run` gives one.
    """
    difference = None
    hop_s, facts = measured.hop_s, measured.health
    if not facts["scorable"]:
        assert (row["status"], row["reason"], row["did_yield"]) == ("NOT_SCORABLE", facts["reason"], None)
        return "withheld"
    if row["did_yield"] and (
        not expected["did_yield"] or expected["time_to_yield_s"] - row["time_to_yield_s"] > 5.1e-4
    ):
        onset = round(row["onset_s"] / hop_s)
        assert onset + round(row["time_to_yield_s"] / hop_s) == first_yield(measured, onset)
        difference = "later" if expected["did_yield"] else "missed"
        dropped = YIELD if expected["did_yield"] else YIELD + RESUME
        expected = {name: value for name, value in expected.items() if name not in dropped}
    if row["reason"] == "recording_ended":  # hotato judges what was not heard to its end
        expected = {name: value for name, value in expected.items() if name != "status"}
    if row["expect"] == "hold" and not row["agent_talking"]:
        expected = {**expected, "status": "NOT_SCORABLE"}  # hotato judges it all the same
    if row["reason"] in ("no_caller_at_onset", "did_not_go_on"):  # nor does hotato ask who was there to yield to
        expected = {**expected, "status": row["status"]}
    if row["status"] not in ("PASS", "FAIL"):  # no verdict here: no margin to a bound either
        expected = {**expected, "decision_margin_s": None}
    if not facts["verdict_eligible"]:
        assert (row["status"], row["reason"]) == ("NOT_SCORABLE", facts["reason"])
        difference = "withheld" if expected.get("status") in ("PASS", "FAIL") else difference
        expected = {name: value for name, value in expected.items() if name != "status"}
    gap = expected.get("resume_gap_s")
    if gap is not None and label["onset_s"] is not None and abs(label["onset_s"] - row["onset_s"]) > 1e-6:
        assert row["resume_gap_s"] == pytest.approx(gap, abs=hop_s + 5.1e-4)  # theirs counts from between two frames
        expected = {name: value for name, value in expected.items() if name != "resume_gap_s"}
    numbers = {name: value for name, value in expected.items() if isinstance(value, float)}
    others = {name: value for name, value in expected.items() if not isinstance(value, float)}
    assert {name: row[name] for name in others} == others
    assert {name: row[name] for name in numbers} == pytest.approx(numbers, abs=5.1e-4)  # theirs is rounded to 1 ms
    return difference


def first_yield(measured: Measured, onset: int) -> int:
    """The first frame at which the agent is quiet, for 0.35 s with the hangover, and the caller near."""
    count = len(range(0, measured.frame_count, round(measured.hop_s * measured.sample_rate_hz)))
    caller, agent = np.zeros(count, bool), np.zeros(count, bool)
    for row in measured.segments:
        first = round(row["start_s"] / measured.hop_s)
        party, end_s = (caller, row["end_s"]) if row["role"] == "caller" else (agent, row["voiced_end_s"])
        party[first : int(np.ceil(end_s / measured.hop_s - 1e-3))] = True
    quiet, near, search = (round(seconds / measured.hop_s) for seconds in (0.35, 0.5, 3.0))
    for frame in range(onset, min(count, onset + search)):
        if agent[frame] or not caller[max(0, frame - near) : frame + near].any():
            continue
        before, after = np.flatnonzero(agent[:frame]), np.flatnonzero(agent[frame:])
        quiet_from = before[-1] + 1 if len(before) else 0
        quiet_to = frame + after[0] if len(after) else count
        if quiet_to - quiet_from >= quiet:
            return frame
    raise AssertionError("no frame is a yield")


def labels_of(duration_s: float, seed: int, count: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    bounds = {"max_talk_over_s": 0.6, "max_time_to_yield_s": 0.8}
    return [
        {
            "onset_s": None if ix == 0 else round(float(rng.uniform(0, duration_s - 0.02)), 2),
            "expect": "yield" if rng.random() < 0.6 else "hold",
            "value": bounds if rng.random() < 0.7 else None,
        }
        for ix in range(count)
    ]


def sound(path: Path, seed: int, *, rate: int = RATE, noise: float = 6.0) -> float:
    """Two parties in turn and over one another, with pauses around the lengths that rules count."""
    rng = np.random.default_rng(seed)
    seconds = float(rng.uniform(3.0, 14.0))
    samples = rng.normal(0, noise, (int(seconds * rate), 2))
    for channel in (0, 1):
        at = float(rng.uniform(0, 2))
        while at < seconds:
            length = float(rng.choice([0.06, 0.3, 1.1, 2.7]) * rng.uniform(0.8, 1.2))
            first, after = int(at * rate), int((at + length) * rate)
            samples[first:after, channel] += rng.normal(0, 1500, len(samples[first:after]))
            at += length + float(rng.choice([0.1, 0.2, 0.36, 0.6, 1.0, 2.5]) * rng.uniform(0.9, 1.1))
    if seed % 5 == 0:  # the agent's sound in the caller's channel
        late = rate // 10
        samples[late:, 0] += 0.3 * samples[:-late, 1]
    soundfile.write(path, np.clip(samples, -32768, 32767).astype(np.int16), rate, subtype="PCM_16")
    return seconds
