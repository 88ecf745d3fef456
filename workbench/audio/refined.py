"""Refined boundaries: the neural network says that somebody speaks, the levels say when, the other channel whose.

1. Of a run of the neural track only that counts which is louder than a copy of the other party would be. How loud
   that copy is, is learnt from the recording: a low quantile of this channel's level less the other's, while the
   other one surely speaks. So speech that leaks over is left out, and one's own speech over it is kept.
2. The start moves to where the level rises out of the sound just before it, back to `back_s` earlier as long as
   it stays up (further in noise, where the network begins late); frames that the leak explains do not count. So a
   start is exact to 5 ms and not to 32 ms.
3. The end moves back to the last frame above such a rise, and never beyond the end that the network heard.

The levels are RMS over 10 ms every 5 ms. The settings were chosen on the bundled bank calls, as they are and with
seeded leakage and noise added, and not on the meeting clips that their error is reported on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.neural import CHUNK_S, NeuralConfig, config_id, neural_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SURE, _SURELY_NOT_FEWER = 0.8, 100
_SILENT = np.float32(-120.0)


class RefinedConfig(msgspec.Struct, kw_only=True, frozen=True):
    """How boundaries are refined.

    Parameters
    ----------
    neural : NeuralConfig
        The runs to begin with.
    frame_ms, hop_ms : float
        Window and distance of the levels, in milliseconds.
    floor_s, floor_quantile : float
        The floor of a boundary is this quantile of the levels so long outside it, but not below the channel's
        10th percentile.
    peak_s, peak_quantile : float
        Its peak is this quantile of the levels so long inside it.
    start_rise, end_rise : float
        A frame is up when it lies this share of the way (in dB) from floor to peak ...
    min_rise_db : float
        ... and at least so far above the floor, but at most 3 dB below the peak.
    back_s : float
        The start moves at most so far before the neural one, in seconds ...
    settle_s : float
        ... and is looked for from so long before it on, in seconds; gaps of up to `gap_s` are bridged.
    gap_s : float
        In seconds.
    buried_db, buried_back_s, buried_gap_s : float
        Where the peak is less than this above the channel's 10th percentile, in dB, breath and clicks are buried in
        noise and the network misses soft words: these two stand for `back_s` and `gap_s` then.
    leak_loud_db, leak_quantile : float
        The copy's level is this quantile of what lies between the channels while the other party surely speaks,
        at most so many dB below its loudest.
    leak_margin_db : float
        A frame counts only at this distance above the copy of the other party, in dB.
    leak_smear_s : float
        The copy is as loud as the other party was at any time this long before, in seconds: delay and echo.
    own_share : float
        A run is this party's own where at least this share of the louder half of its frames count; else only those
        of its stretches are in which this share counts.
    own_bridge_s, own_gap_s : float
        Frames that count are one stretch across gaps of so long, in seconds: in a run of its own, and else.
    own_min_s : float
        At least so much of a stretch must count, in seconds.
    """

    neural: NeuralConfig = msgspec.field(default_factory=NeuralConfig)
    frame_ms: float = 10.0
    hop_ms: float = 5.0
    floor_s: float = 0.6
    floor_quantile: float = 0.2
    peak_s: float = 0.3
    peak_quantile: float = 0.8
    start_rise: float = 0.15
    end_rise: float = 0.3
    min_rise_db: float = 4.0
    back_s: float = 0.3
    settle_s: float = 0.05
    gap_s: float = 0.02
    buried_db: float = 30.0
    buried_back_s: float = 1.0
    buried_gap_s: float = 0.15
    leak_loud_db: float = 12.0
    leak_quantile: float = 0.3
    leak_margin_db: float = 10.0
    leak_smear_s: float = 0.06
    own_share: float = 0.5
    own_min_s: float = 0.1
    own_gap_s: float = 0.1
    own_bridge_s: float = 0.3

    @property
    def config_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the config as JSON: sorted keys, every number a float."""
        return config_id(self)


class Party(msgspec.Struct, frozen=True, kw_only=True):
    """What is heard of one channel: levels in dBFS, one a hop, and the probability of speech, one a chunk."""

    dbfs: NDArray[np.float32]
    probability: NDArray[np.float32]


def refined_runs(
    own: Party, *, other: Party | None = None, hop_s: float, config: RefinedConfig | None = None
) -> list[tuple[float, float]]:
    """Return the runs of speech of one channel with refined boundaries.

    Parameters
    ----------
    own : Party
        The channel.
    other : Party, optional
        The other party of the same recording, same length; without it nothing is taken for a leak.
    hop_s : float
        Seconds from level to level.
    config : RefinedConfig, optional
        How to refine.

    Returns
    -------
    list of (start_s, end_s)
        Seconds from the start of the recording, in order, apart from one another; empty for no speech.
    """
    config = config or RefinedConfig()
    count = len(own.dbfs)
    if not count:
        return []
    leak = None if other is None else _leak(own, other, hop_s=hop_s, config=config)
    heard = own.dbfs if leak is None else np.where(leak, _SILENT, own.dbfs)
    base = float(np.quantile(own.dbfs, 0.1))
    found: list[tuple[float, float]] = []
    before = 0
    for begin, finish in neural_runs(own.probability, config=config.neural):
        whole = int(begin / hop_s), min(count, int(finish / hop_s))
        for first, after in _own_parts(own.dbfs, leak, whole, base=base, hop_s=hop_s, config=config):
            start = _start(own.dbfs, heard, first, after=after, earliest=before, base=base, hop_s=hop_s, config=config)
            end = _end(own.dbfs, heard, max(first, start), after=after, base=base, hop_s=hop_s, config=config)
            before = after
            if end > start:
                found.append((start * hop_s, end * hop_s))
    return found


def _leak(own: Party, other: Party, *, hop_s: float, config: RefinedConfig) -> NDArray[np.bool_] | None:
    """Which frames a copy of the other party explains; None where the other one hardly speaks."""
    count = min(len(own.dbfs), len(other.dbfs))
    copy = other.dbfs[:count].copy()
    for step in range(1, round(config.leak_smear_s / hop_s) + 1):
        np.maximum(copy[step:], other.dbfs[: count - step], out=copy[step:])
    chunk = np.minimum((np.arange(count) * (hop_s / CHUNK_S)).astype(np.int64), len(other.probability) - 1)
    sure = other.probability[chunk] > _SURE
    if np.count_nonzero(sure) < _SURELY_NOT_FEWER:
        return None
    sure &= copy >= np.quantile(copy[sure], 0.95) - config.leak_loud_db
    level = float(np.quantile(own.dbfs[:count][sure] - copy[sure], config.leak_quantile))
    explained = own.dbfs[:count] < copy + np.float32(level + config.leak_margin_db)
    return np.append(explained, np.zeros(len(own.dbfs) - count, np.bool_))


def _own_parts(
    dbfs: NDArray[np.float32],
    leak: NDArray[np.bool_] | None,
    run: tuple[int, int],
    *,
    base: float,
    hop_s: float,
    config: RefinedConfig,
) -> list[tuple[int, int]]:
    """The stretches of a run that no leak explains: all of it, as a rule, where the other party is not heard."""
    first, after = run
    if after <= first:
        return []
    if leak is None:
        return [run]
    counts, levels = ~leak[first:after], dbfs[first:after]
    enough = config.own_min_s / hop_s - 1e-9
    bridge = config.own_bridge_s
    if float(counts[levels >= np.median(levels)].mean()) < config.own_share:
        counts &= levels >= base + config.min_rise_db
        bridge = config.own_gap_s
    there = np.flatnonzero(counts)
    if not len(there):
        return []
    breaks = np.flatnonzero(np.diff(there) > bridge / hop_s)
    begins, ends = there[np.append(0, breaks + 1)], there[np.append(breaks, len(there) - 1)] + 1
    total = np.append(0, np.cumsum(counts))
    return [
        (first + int(begin), first + int(end))
        for begin, end in zip(begins, ends, strict=True)
        if total[end] - total[begin] >= max(enough, config.own_share * (end - begin))
    ]


def _threshold(
    outside: NDArray[np.float32], inside: NDArray[np.float32], rise: float, *, base: float, config: RefinedConfig
) -> float:
    peak = float(np.quantile(inside, config.peak_quantile))
    floor = max(base, float(np.quantile(outside, config.floor_quantile))) if len(outside) else base
    return min(max(floor + config.min_rise_db, floor + rise * (peak - floor)), peak - 3.0)


def _start(
    dbfs: NDArray[np.float32],
    heard: NDArray[np.float32],
    first: int,
    *,
    after: int,
    earliest: int,
    base: float,
    hop_s: float,
    config: RefinedConfig,
) -> int:
    outside = dbfs[max(0, first - round(config.floor_s / hop_s)) : max(1, first)]
    inside = heard[first : min(after, first + round(config.peak_s / hop_s))]
    buried = float(np.quantile(inside, config.peak_quantile)) - base < config.buried_db
    back_s, gap_s = (config.buried_back_s, config.buried_gap_s) if buried else (config.back_s, config.gap_s)
    level = _threshold(outside, inside, config.start_rise, base=base, config=config)
    lowest = max(earliest, first - round(back_s / hop_s))
    up = heard[lowest:after] >= level
    settle = max(0, first - round(config.settle_s / hop_s) - lowest)
    loud = np.flatnonzero(up[settle:])
    if not len(loud):
        return first
    at, reach = settle + int(loud[0]), round(gap_s / hop_s) + 1
    while len(near := np.flatnonzero(up[max(0, at - reach) : at])):
        at = max(0, at - reach) + int(near[0])
    return lowest + at


def _end(
    dbfs: NDArray[np.float32],
    heard: NDArray[np.float32],
    first: int,
    *,
    after: int,
    base: float,
    hop_s: float,
    config: RefinedConfig,
) -> int:
    inside = heard[max(first, after - round(config.peak_s / hop_s)) : after]
    if not len(inside):
        return after
    outside = dbfs[after : after + round(config.floor_s / hop_s)]
    level = _threshold(outside, inside, config.end_rise, base=base, config=config)
    loud = np.flatnonzero(heard[first:after] >= level)
    return first + int(loud[-1]) + 1 if len(loud) else after
