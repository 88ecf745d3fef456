"""Scored moments and the scan beside hotato 1.20, run in the same process, on real clips and on seeded sound.

Where the two differ the frame walk of `test_scoring` says who follows the text of the method: hotato looks
for the caller near a pause at every second frame only, and after a pause without one it leaves out as many
frames as a yield needs (`docs/timing.md`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import soundfile
from hotato.core import run_single
from hotato.scan import scan_recording
from two_sided import measured

from workbench.audio.config import MeasureConfig
from workbench.timing.events import scored
from workbench.timing.lines import lay
from workbench.timing.measuring import Measured
from workbench.timing.score_config import ScoreConfig

CALLS = Path(__file__).parents[2] / "data" / "calls"
CLIPS = sorted(path.relative_to(CALLS).as_posix() for path in CALLS.glob("*/audio/*.example.wav"))
RATE = 8000


def measure(path: Path) -> Measured:
    return measured(path, channel_map_confirmed=True)


def ours(measured: Measured, labels: list[dict[str, Any]], config: ScoreConfig | None = None) -> list[dict[str, Any]]:
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
    health = {"c": {**measured.health, "separation_db": separation, "verdict_eligible": True}}
    line = lay(recordings, segments, MeasureConfig())
    rows = [{"call_id": "c", "label_id": str(ix), **label} for ix, label in enumerate(labels)]
    alone = [scored([row], line, health=health, config=config or ScoreConfig(), run_id="run") for row in rows]
    return [event for (event,) in alone]  # each by itself: labels that contradict one another are not its subject


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


def theirs(path: Path, label: dict[str, Any]) -> dict[str, Any]:
    value = label["value"] or {}
    envelope = run_single(
        stereo=str(path),
        onset_sec=label["onset_s"],
        expect=label["expect"],
        max_talk_over_sec=value.get("max_talk_over_s"),
        max_time_to_yield_sec=value.get("max_time_to_yield_s"),
    )
    return compared(envelope["events"][0])


YIELD = ("time_to_yield_s", "talk_over_s", "decision_margin_s", "resume_gap_s", "status")


def same(row: dict[str, Any], expected: dict[str, Any], measured: Measured) -> None:
    """All is the same; where hotato sees the yield later, ours is the first frame that meets the text."""
    if row["did_yield"] and expected["did_yield"] and expected["time_to_yield_s"] - row["time_to_yield_s"] > 5.1e-4:
        assert round((row["onset_s"] + row["time_to_yield_s"]) * 100) == first_yield(
            measured, round(row["onset_s"] * 100)
        )
        expected = {name: value for name, value in expected.items() if name not in YIELD}
    if row["reason"] == "recording_ended":  # hotato judges what was not heard to its end
        expected = {name: value for name, value in expected.items() if name != "status"}
    if row["expect"] == "hold" and not row["agent_talking"]:
        expected = {**expected, "status": "NOT_SCORABLE"}  # hotato judges it all the same
    if row["reason"] in ("no_caller_at_onset", "did_not_go_on"):  # nor does hotato ask who was there to yield to
        expected = {**expected, "status": row["status"]}
    if row["yield_observed_s"] is None:  # nothing to yield: no margin to a bound
        expected = {**expected, "decision_margin_s": None}
    numbers = {name: value for name, value in expected.items() if isinstance(value, float)}
    others = {name: value for name, value in expected.items() if not isinstance(value, float)}
    assert {name: row[name] for name in others} == others
    assert {name: row[name] for name in numbers} == pytest.approx(numbers, abs=5.1e-4)  # theirs is rounded to 1 ms


def first_yield(measured: Measured, onset: int) -> int:
    """The first frame at which the agent is quiet, for 0.35 s with the hangover, and the caller near."""
    count = -(-measured.frame_count // 80)
    caller, agent = np.zeros(count, bool), np.zeros(count, bool)
    for row in measured.segments:
        first = round(row["start_s"] * 100)
        if row["role"] == "caller":
            caller[first : round(row["end_s"] * 100)] = True
        else:
            agent[first : round(row["voiced_end_s"] * 100)] = True
    for frame in range(onset, min(count, onset + 300)):
        if agent[frame] or not caller[max(0, frame - 50) : frame + 50].any():
            continue
        before, after = np.flatnonzero(agent[:frame]), np.flatnonzero(agent[frame:])
        quiet_from = before[-1] + 1 if len(before) else 0
        quiet_to = frame + after[0] if len(after) else count
        if quiet_to - quiet_from >= 35:
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


def sound(path: Path, seed: int) -> float:
    """Two parties in turn and over one another, with pauses around the lengths that rules count."""
    rng = np.random.default_rng(seed)
    seconds = float(rng.uniform(3.0, 14.0))
    samples = rng.normal(0, 6, (int(seconds * RATE), 2))
    for channel in (0, 1):
        at = float(rng.uniform(0, 2))
        while at < seconds:
            length = float(rng.choice([0.06, 0.3, 1.1, 2.7]) * rng.uniform(0.8, 1.2))
            first, after = int(at * RATE), int((at + length) * RATE)
            samples[first:after, channel] += rng.normal(0, 1500, len(samples[first:after]))
            at += length + float(rng.choice([0.1, 0.2, 0.36, 0.6, 1.0, 2.5]) * rng.uniform(0.9, 1.1))
    if seed % 5 == 0:  # the agent's sound in the caller's channel
        samples[800:, 0] += 0.3 * samples[:-800, 1]
    soundfile.write(path, np.clip(samples, -32768, 32767).astype(np.int16), RATE, subtype="PCM_16")
    return seconds


def test_there_are_clips() -> None:
    assert len(CLIPS) >= 10


@pytest.mark.parametrize("clip", CLIPS)
def test_real_clips_are_scored_alike(clip: str) -> None:
    measured = measure(CALLS / clip)
    labels = labels_of(measured.duration_s, seed=len(clip), count=4)
    for row, label in zip(ours(measured, labels), labels, strict=True):
        same(row, theirs(CALLS / clip, label), measured)


@pytest.mark.parametrize("seed", range(24))
def test_seeded_sound_is_scored_alike(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    labels = labels_of(sound(path, seed), seed, count=6)
    measured = measure(path)
    for row, label in zip(ours(measured, labels), labels, strict=True):
        same(row, theirs(path, label), measured)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gate", [{"snr_gate_db": 45.0}, {"echo_gate": True}])
def test_gates_withhold_the_same_verdicts(seed: int, gate: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    (label,) = labels_of(sound(path, 5 * seed), 5 * seed, count=1)
    (row,) = ours(measure(path), [label], ScoreConfig(**gate))
    event = run_single(stereo=str(path), onset_sec=None, expect=label["expect"], **gate)["events"][0]
    if row["reason"] == "recording_ended":
        return
    silent = row["expect"] == "hold" and not row["agent_talking"]  # hotato judges it all the same
    assert (row["status"] == "NOT_SCORABLE") is (silent or event.get("scorable") is False)


KINDS = ("overlap_sec", "gap_sec", "trailing_silence_sec", "activity_sec")


def candidates(path: Path) -> list[tuple[Any, ...]]:
    found = []
    for row in scan_recording(str(path))["candidates"]:
        (magnitude,) = (row["durations"][name] for name in KINDS if name in row["durations"])
        after = (row["agent_reaction"] or {}).get("after_sec")
        found.append((row["kind"], row["t_sec"], magnitude, after, (row["agent_reaction"] or {}).get("coherence")))
    return found


def moments(measured: Measured) -> list[tuple[Any, ...]]:
    names = ("onset_s", "magnitude_s", "yield_after_s", "coherence")
    return [
        (row["kind"], *(None if row[name] is None else round(row[name], 3) for name in names))
        for row in measured.moments
    ]


def test_the_scan_finds_the_same_moments_in_the_same_order(tmp_path: Path) -> None:
    kinds: set[str] = set()
    for seed in range(24):
        path = tmp_path / f"call-{seed}.wav"
        sound(path, seed)
        found = moments(measure(path))
        assert found == candidates(path)
        kinds |= {kind for kind, *_ in found}
    assert len(kinds) == 5


@pytest.mark.parametrize("clip", CLIPS)
def test_the_scan_of_real_clips_is_the_same(clip: str) -> None:
    measured = measure(CALLS / clip)
    if measured.health["scorable"]:
        assert moments(measured) == candidates(CALLS / clip)
    else:
        assert not measured.moments
