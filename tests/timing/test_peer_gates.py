"""What withholds a verdict, beside hotato 1.20: gates that do so on both sides, and what only the workbench asks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import soundfile
from beside_hotato import RATE, compared, judged, labels_of, ours, same, sound
from two_sided import measured

from workbench.timing.score_config import ScoreConfig

MOMENT = ("agent_silent_at_onset", "no_caller_at_onset")
YIELD_AT_3 = {"onset_s": 3.0, "expect": "yield", "value": None}


def because(said: str | None) -> str:
    """Hotato's sentence as our reason."""
    names = {"low-snr": "low_snr", "the yield coincides": "echo", "the agent was not": "agent_silent_at_onset"}
    return next((name for start, name in names.items() if (said or "").startswith(start)), "other")


def test_the_gate_of_noise_withholds_the_same_verdicts(tmp_path: Path) -> None:
    """Noise of four levels under a speech of one: 12 to 50 dB apart, so that each gate finds both sides of it."""
    path, found = tmp_path / "call.wav", Counter[object]()
    for seed, noise in enumerate((6.0, 100.0, 200.0, 400.0) * 4):
        labels = labels_of(sound(path, seed, noise=noise), seed, count=2)
        heard = measured(path, channel_map_confirmed=True)
        for gate in (15.0, 22.0, 30.0, 60.0):
            rows = ours(heard, labels, ScoreConfig(snr_gate_db=gate), eligible=True)
            for row, label in zip(rows, labels, strict=True):
                if row["did_yield"] is None:  # a channel without speech, which hotato's `run` does not ask
                    continue
                event = judged(path, label, snr_gate_db=gate)
                low = because(event.get("not_scorable_reason")) == "low_snr"
                found[gate, "low_snr" if low else "above"] += 1
                if low and row["reason"] in MOMENT:  # which hotato asks of a yield only, or not at all
                    found["moment"] += 1
                    assert row["expect"] == "hold" or row["reason"] == "no_caller_at_onset"
                else:
                    assert (row["reason"] == "low_snr") is low, (seed, noise, gate, row["reason"])
    assert all(found[gate, "low_snr"] >= 3 for gate in (22.0, 30.0, 60.0)), found
    assert all(found[gate, "above"] >= 3 for gate in (15.0, 22.0, 30.0)), found
    assert found["moment"] >= 3


def echoed(path: Path, seed: int) -> None:
    """An agent that stops; at half of the seeds the caller's channel follows it 0.1 s later."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 3, (8 * RATE, 2))
    swell = np.repeat(rng.uniform(0.1, 1.0, 80), RATE // 10)
    spoken = rng.normal(0, 3000, 4 * RATE) * swell[: 4 * RATE]
    samples[: 4 * RATE, 1] += spoken
    if seed % 2:
        samples[RATE // 10 : 4 * RATE + RATE // 10, 0] += 0.3 * spoken
    else:
        samples[3 * RATE : 5 * RATE, 0] += rng.normal(0, 1500, 2 * RATE)
    soundfile.write(path, np.clip(samples, -32768, 32767).astype(np.int16), RATE, subtype="PCM_16")


def test_the_gate_of_echo_withholds_the_same_verdicts(tmp_path: Path) -> None:
    """Apart from leakage, which withholds a verdict here without a gate."""
    path, found = tmp_path / "call.wav", Counter[str]()
    for seed in range(8):
        echoed(path, seed)
        heard = measured(path, channel_map_confirmed=True)
        for expect in ("yield", "hold"):
            label = {**YIELD_AT_3, "expect": expect}
            (row,) = ours(heard, [label], ScoreConfig(echo_gate=True), eligible=True)
            event = judged(path, label, echo_gate=True)
            withheld = because(event.get("not_scorable_reason")) == "echo"
            assert (row["reason"] == "echo") is withheld
            found["echo" if withheld else row["status"]] += 1
    assert found == {"echo": 8, "PASS": 4, "FAIL": 4}


def voices(path: Path, *, caller: tuple[float, float] = (3.0, 4.5), leak: float = 0.0, offset: float = 0.0) -> None:
    """The agent speaks 1.0 to 3.4 s, the caller as told."""
    rng = np.random.default_rng(4)
    samples = rng.normal(0, 3, (8 * RATE, 2))
    for channel, (start, end) in ((1, (1.0, 3.4)), (0, caller)):
        part = slice(round(start * RATE), round(end * RATE))
        samples[part, channel] += rng.normal(0, 2000, len(samples[part]))
    samples[800:, 0] += leak * samples[:-800, 1]
    soundfile.write(path, (samples + offset).astype(np.int16), RATE, subtype="PCM_16")


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({"leak": 0.1}, "leakage"),
        ({"offset": 2000.0}, "dc_offset"),
        ({"caller": (3.0, 3.1)}, "silent_caller"),  # 0.1 s, with the hangover 0.26 s: no party below 0.30 s
        ({"caller": (3.0, 7.5)}, "possible_swap"),
    ],
)
def test_what_is_withheld_here_is_judged_by_hotatos_run(made: dict[str, object], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    voices(path, **made)  # type: ignore[arg-type]
    heard = measured(path)
    (row,), event = ours(heard, [YIELD_AT_3]), judged(path, YIELD_AT_3)
    assert (row["status"], row["reason"]) == ("NOT_SCORABLE", reason)
    assert compared(event)["status"] in ("PASS", "FAIL")
    assert same(row, compared(event), heard, YIELD_AT_3) == "withheld"


def test_the_same_without_the_fault_is_judged_alike(tmp_path: Path) -> None:
    path = tmp_path / "call.wav"
    voices(path)
    heard = measured(path)
    (row,), event = ours(heard, [YIELD_AT_3]), judged(path, YIELD_AT_3)
    assert row["status"] == "PASS"
    assert same(row, compared(event), heard, YIELD_AT_3) is None
