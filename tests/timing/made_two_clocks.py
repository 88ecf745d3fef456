"""Makes the bundled call with two clocks: tones that take turns, and the latencies a made framework reports of them.

Run from the checkout: `python tests/timing/made_two_clocks.py data/calls/two-clocks`.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np
import soundfile as sf

RATE = 8000
QUESTION_S, ANSWER_S, PAUSE_S = 1.2, 1.0, 0.7
GAPS_S = (0.6, 1.1, 0.8, 1.4, 0.25, 1.2, 0.7, 1.0, 0.5, 0.9)
JITTER_MS = (4, -9, 7, 0, -5, 11, 0, -8, 6, -3)
OFFSET_MS, DRIFT_MS_PER_MIN = -120.0, 60.0
NEGATIVE_AT, WRONG_AT = 6, 3
"""Answers whose report is impossible: below 0, and that of the answer after it."""


def make(folder: Path) -> None:
    """Write `call.json` and `call.flac`."""
    folder.mkdir(parents=True, exist_ok=True)
    length_s = 0.5 + sum(GAPS_S) + len(GAPS_S) * (QUESTION_S + ANSWER_S + PAUSE_S)
    lanes = np.zeros((round(length_s * RATE), 2))
    turns, reports, at_s = [], [], 0.5
    for ix, gap_s in enumerate(GAPS_S):
        for role, lane, hz, lasts_s in (("caller", 0, 180.0, QUESTION_S), ("agent", 1, 120.0, ANSWER_S)):
            at_s = round(at_s + (gap_s if role == "agent" else 0.0), 3)
            tone = voice(hz, lasts_s)
            lanes[round(at_s * RATE) : round(at_s * RATE) + len(tone), lane] = tone
            turns.append({"role": role, "start_s": at_s, "end_s": round(at_s + lasts_s, 3)})
            at_s = round(at_s + lasts_s, 3)
        reports.append({"stage": "e2e", "value_ms": reported_ms(ix, turns[-1]["start_s"]), "measured_at": "server"})
        reports[-1]["turn_ix"] = len(turns) - 1
        at_s = round(at_s + PAUSE_S, 3)
    sf.write(folder / "call.flac", lanes, RATE, subtype="PCM_16")
    call = {
        "format": "workbench.call/1",
        "id": "two-clocks-made",
        "origin": "synthetic",
        "turn_clock": "reported",
        "tags": {"made": "tones in place of voices; nothing is said"},
        "turns": turns,
        "stage_timings": reports,
        "audio": [{"path": "call.flac", "channels": ["caller", "agent"]}],
    }
    (folder / "call.json").write_text(json.dumps(call, indent=1) + "\n", encoding="utf-8")


def voice(hz: float, lasts_s: float) -> np.ndarray:
    """A tone at -30 dBFS; a plain sine packs small."""
    return 10 ** (-30 / 20) * math.sqrt(2) * np.sin(2 * math.pi * hz * np.arange(round(lasts_s * RATE)) / RATE)


def reported_ms(ix: int, at_s: float) -> float:
    """What the made framework says of an answer: short by an offset that drifts, and twice impossible."""
    if ix == NEGATIVE_AT:
        return -40.0
    gap_s = GAPS_S[ix + 1 if ix == WRONG_AT else ix]
    return round(1000 * gap_s + OFFSET_MS + DRIFT_MS_PER_MIN * at_s / 60 + JITTER_MS[ix], 1)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
