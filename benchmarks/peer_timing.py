"""What the peer measures of calls whose speech is known, by its own functions, as errors like ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
from hotato._engine.audio import frame_rms, read_wav
from hotato._engine.score import ScoreConfig, score_stereo
from hotato._engine.vad import energy_vad

from workbench.analysis.timing_truth_calls import Item
from workbench.audio.config import MeasureConfig
from workbench.audio.perturb import Sound, write_wav
from workbench.audio.read import blocks, probe
from workbench.timing.segments import runs
from workbench.timing.truth import CELLS, TRUE, Compared, compare

OWN = ("onset", "first_onset")
"""Read from its runs of speech; the other signals are those of its scorer at the labelled onset."""


def peer_errors(items: Sequence[Item], scratch: Path) -> Compared:
    """Measure the items with the peer and compare; each is written as a WAV file first, which is what it reads."""
    signals = {item.call.call_id: read_wav(str(_wav(item, scratch))) for item in items}
    calls = [item.call for item in items]
    heard = compare(calls, _runs(items, signals), config=MeasureConfig())
    known = compare(calls, _truth(items), config=TRUE)  # what the truth says of itself: its moments and values
    missed = {name: count if name in OWN else 0 for name, count in heard.missed.items()}
    errors = [row for row in heard.errors if row["signal"] in OWN]
    cells = dict.fromkeys(CELLS, 0)
    moments = [row for row in known.errors if row["signal"] not in OWN]
    yields = {(row["call_id"], row["at_s"]) for row in moments if row["signal"] == "yield"}
    for row in moments:
        result = score_stereo(signals[row["call_id"]], 0, 1, caller_onset_sec=row["at_s"], cfg=ScoreConfig())
        value = {
            "yield": result.time_to_yield_sec,
            "overlap": result.talk_over_sec,
            "gap": result.signals["latency"]["response_gap_sec"],
        }[row["signal"]]
        if row["signal"] == "overlap":  # one at every moment with the agent speaking
            true = (row["call_id"], row["at_s"]) in yields
            got = bool(result.did_yield)
            name = (
                ("correct_yield" if got else "correct_hold")
                if true == got
                else "missed_yield"
                if true
                else "false_yield"
            )
            cells[name] += 1
        if value is None:
            missed[row["signal"]] += 1
        else:
            errors.append(row | {"measured_s": value, "error_ms": round((value - row["truth_s"]) * 1000, 3)})
    return msgspec.structs.replace(heard, errors=errors, missed=missed, cells=cells)


def _wav(item: Item, scratch: Path) -> Path:
    import numpy as np

    samples = np.concatenate(list(blocks(item.path, **item.rest)))[
        :, [item.roles.index("caller"), item.roles.index("agent")]
    ]
    path = scratch / f"{item.call.call_id}.peer.wav"
    write_wav(path, Sound(samples=samples, sample_rate_hz=probe(item.path, **item.rest).sample_rate_hz))
    return path


def _runs(items: Sequence[Item], signals: dict[str, Any]) -> pl.DataFrame:
    import numpy as np

    rows = []
    for item in items:
        signal = signals[item.call.call_id]
        for channel, role in enumerate(("caller", "agent")):
            rms, hop_s = frame_rms(signal.channels[channel], signal.sample_rate, 20.0, 10.0)
            found = energy_vad(rms, hop_s)
            active, trimmed = np.array(found.active, np.bool_), np.array(found.active_trimmed, np.bool_)
            for first, after in zip(*(some.tolist() for some in runs(active)), strict=True):
                quiet = first + 1 + int(np.flatnonzero(trimmed[first:after])[-1])
                rows.append((item.call.call_id, role, first * hop_s, after * hop_s, quiet * hop_s))
    return _frame(rows)


def _truth(items: Sequence[Item]) -> pl.DataFrame:
    return _frame(
        [
            (item.call.call_id, role, start, end, end)
            for item in items
            for role, some in item.call.stretches.items()
            for start, end in some
        ]
    )


def _frame(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    texts, numbers = ("call_id", "role"), ("start_s", "end_s", "voiced_end_s")
    schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")
