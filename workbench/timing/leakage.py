"""Does one channel carry the other's sound? Three measures, from rough to certain.

*Coherence* is the best cosine between the two level envelopes of the whole recording over delays up to 0.5
s, in both directions: near 1 where one channel is an echo of the other, but high as well where two people
often talk at once, and low where bleed is diluted by other speech. *Leakage* looks frame by frame: bleed is
one sound with one gain and one delay, so the level of the copy against its source is the same on every
frame it appears in. *Waveform agreement* looks at the samples: copies correlate, different voices do not. It is asked
where levels cannot tell: of a copy about as loud as its source, one that is mostly hidden by the other's speech, or one
that is heard too briefly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.frames import to_dbfs

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_LAG_S = 0.5
MIN_OVERLAP_FRAMES = 8
MIN_COPY_FRAMES = 12
SAME_RATIO_DB = 3.0  # half the width of the band of ratios that count as one gain
MIN_AGREEMENT = 0.85  # share of frames that must agree
MIN_COVERAGE = 0.5  # share of the source's speech that must reappear
CLEAR_COPY_DB = -6.0  # above it, two people talking at the same level cannot be told from a copy
FOLLOWS, STEADY_DB = 0.7, 0.5  # a copy's ratio varies less than its source's level; two steady noises vary alike
NEARLY = 0.9  # of the frames of the fullest band: delays between which the spread of the ratios decides
BRIEF_S = 1.0  # of a few syllables, the best of many delays makes two unrelated sounds keep to one ratio
LEAST_COVERAGE, LOUDEST_COPY_DB = 0.25, 12.0  # up to where the samples are asked
SAME_WAVEFORM = 0.5  # agreement of samples from which on two sounds are one
FAINTEST_COPY_DB = -50.0
_SEARCHED_FRAMES, _MEASURED_FRAMES = 2048, 65_536
_PIECE = 8192  # frames multiplied at once: longer dot products start threads that cost more than they save


class Coherence(msgspec.Struct, frozen=True, kw_only=True):
    """Best cosine (0..1) and its delay in seconds, positive where the second envelope leads the first.

    `behind` and `behind_lag_s` are the best among the delays at which the second leads, or none does: the first
    channel as an echo of the second.
    """

    value: float
    lag_s: float
    behind: float
    behind_lag_s: float


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """A steady copy of one channel in another: its level against the source in dB, and its delay."""

    level_db: float
    lag_s: float
    agreement: float
    coverage: float


def coherence(
    first: Iterable[NDArray[np.float64]], second: Iterable[NDArray[np.float64]], *, hop_s: float
) -> Coherence | None:
    """Return how much alike two level envelopes are at the best delay.

    Parameters
    ----------
    first, second : Track, or sequence of numpy.ndarray of float64
        Linear RMS, not dB, in pieces of the same lengths; all but the last longer than 0.5 s.
    hop_s : float
        Seconds from frame to frame.

    Returns
    -------
    Coherence or None
        None for fewer than 8 frames or a channel with no energy: a cosine is then undefined. Of equal
        values the shortest delay is kept.
    """
    count = sum(map(len, first))
    lags = min(round(MAX_LAG_S / hop_s), count - MIN_OVERLAP_FRAMES)
    if lags < 0:
        return None
    forward, backward = np.zeros(lags + 1), np.zeros(lags + 1)
    for late, early, length in _ahead(first, second, lags):
        forward += _products(late, early[:length], lags)
        backward += _products(early, late[:length], lags)
    (first_from, first_to), (second_from, second_to) = (_energies(track, count, lags) for track in (first, second))
    behind = _best(forward, first_from * second_to)
    ahead = _best(backward, second_from * first_to)
    if behind is None or ahead is None:
        return None
    (value, lag), sign = (behind, 1) if (behind[0], -behind[1]) >= (ahead[0], -ahead[1]) else (ahead, -1)
    return Coherence(value=value, lag_s=sign * lag * hop_s, behind=behind[0], behind_lag_s=behind[1] * hop_s)


def _best(products: NDArray[np.float64], energies: NDArray[np.float64]) -> tuple[float, int] | None:
    """The largest cosine and its lag, the shortest of equal ones."""
    cosines = np.divide(products, np.sqrt(energies), out=np.full(len(products), -1.0), where=energies > 0)
    lag = int(np.argmax(cosines >= cosines.max() - 1e-12))
    return (float(cosines[lag]), lag) if cosines[lag] >= 0 else None


def _ahead(
    first: Iterable[NDArray[np.float64]], second: Iterable[NDArray[np.float64]], more: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], int]]:
    """Yield the pieces of two tracks, each with the first `more` frames of the next, and their own length."""
    held: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    for here in zip(first, second, strict=True):
        if held is not None:
            one, two = (np.concatenate([a, b[:more]]) for a, b in zip(held, here, strict=True))
            yield one, two, len(held[0])
        held = here
    if held is not None:
        yield *held, len(held[0])


def _products(late: NDArray[np.float64], early: NDArray[np.float64], lags: int) -> NDArray[np.float64]:
    """Sums of products, the first argument taken 0 to `lags` frames later; zeros follow its end."""
    late = np.append(late, np.zeros(lags + len(early) - len(late)))
    products = np.zeros(lags + 1)
    for at in range(0, len(early), _PIECE):  # `correlate`, since it lets other threads go on
        part = early[at : at + _PIECE]
        products += np.correlate(late[at : at + len(part) + lags], part, "valid")
    return products


def _energies(
    track: Iterable[NDArray[np.float64]], count: int, lags: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of squares from frame 0, 1, ... `lags` on, and up to as many frames before the end."""
    head, tail = np.zeros(lags), np.zeros(lags)
    after_head = before_tail = 0.0
    at = 0
    for piece in track:
        squares = piece * piece
        head[at : at + len(piece)] = squares[: max(0, lags - at)]
        after_head += float(squares[max(0, lags - at) :].sum())
        first = count - lags - at  # of the last frames, in this piece
        before_tail += float(squares[: max(0, first)].sum())
        last = squares[max(0, first) :]
        tail[max(0, -first) : max(0, -first) + len(last)] = last
        at += len(piece)
    rising = after_head + np.append(np.cumsum(head[::-1])[::-1], 0.0)
    falling = before_tail + np.append(0.0, np.cumsum(tail))[::-1]
    return rising, falling


def copy_of(
    source: Iterable[NDArray[np.float64]],
    other: Iterable[NDArray[np.float64]],
    *,
    source_active: NDArray[np.bool_],
    other_active: NDArray[np.bool_],
    hop_s: float,
    samples_agree: Callable[[NDArray[np.int64], int], float] | None = None,
) -> Copy | None:
    """Return the steady copy of a source in the other channel, if there is one.

    For every delay up to 0.5 s the level ratio is taken on the frames where the source spoke that long
    before and the other channel is active now. The 6 dB band that holds most ratios gives the gain; of the
    delays whose bands hold at least 0.9 of the most that one wins whose ratios vary least. Ratios above the
    band are forgiven, since the other party's own speech can only add to a copy; ratios below it speak against
    one. It is a copy when at least 0.85 of the ratios in or below the band lie in it, when they cover at least
    half of the source's speech, and when the gain (the median in the band) is between -50 and -6 dB. The delay
    is searched on at most 2,048 frames spread evenly over the source's speech, and the winner is then measured
    on all of them, in recordings with more than 11 minutes of it on 65,536 spread evenly.

    A copy that is louder than that (up to 12 dB above its source), or that covers only a quarter of the source's
    speech, may be a second person; one whose ratio varies as much as the level of its source does (P10 to P90: more
    than 0.7 of it, and than 0.5 dB) may be a steady noise in both channels; one that is heard in less than 1.0 s of
    frames may be chance. Such a copy is one where the samples agree (0.5 or more).

    Parameters
    ----------
    source, other : Track, or sequence of numpy.ndarray of float64
        Linear RMS of both channels, in pieces.
    source_active, other_active : numpy.ndarray of bool, shape (frames,)
        Their speech.
    hop_s : float
        Seconds from frame to frame.
    samples_agree : callable, optional
        Takes frames of the source and a delay in frames, and returns how far (0..1) the samples of the other channel
        agree with them that much later; asked only where levels cannot tell. Without it such a copy is none.

    Returns
    -------
    Copy or None
        None as well for no frames.
    """
    count = len(source_active)
    clear = source_active & _within(source, 60.0, count)
    heard = other_active & _within(other, 70.0, count)
    if np.count_nonzero(clear) < MIN_COPY_FRAMES:
        return None
    lags = np.arange(min(round(MAX_LAG_S / hop_s), count - 1) + 1)
    spoke = int(np.count_nonzero(source_active))
    least = MIN_COVERAGE if samples_agree is None else LEAST_COVERAGE
    if _heard_again(source_active, heard, len(lags)) < least * spoke:
        return None  # too few of the source's frames are heard again within any of the delays
    some, _ = _spread(clear, _SEARCHED_FRAMES)
    lag = _best_delay(_ratios(source, other, frames=some, lags=lags, heard=heard))
    frames, step = _spread(clear, _MEASURED_FRAMES)
    (ratios,) = _ratios(source, other, frames=frames, lags=lags[lag : lag + 1], heard=heard)
    low, inside, below = _band(ratios)
    if inside < MIN_COPY_FRAMES:
        return None
    level = float(np.median(ratios[low : low + inside]))
    agreement, coverage = inside / (inside + below), inside * step / spoke
    if agreement < MIN_AGREEMENT or coverage < least or not FAINTEST_COPY_DB <= level <= LOUDEST_COPY_DB:
        return None
    band = ratios[[low, low + inside - 1]]
    alone, levels = _held(source, other, frames=frames, lag=lag, heard=heard, band=band)
    steady = _spread_db(ratios[low : low + inside]) > max(STEADY_DB, FOLLOWS * _spread_db(levels))
    brief = inside * step * hop_s < BRIEF_S
    unclear = brief or steady or coverage < MIN_COVERAGE or level > CLEAR_COPY_DB
    if unclear and (samples_agree is None or samples_agree(alone, lag) < SAME_WAVEFORM):
        return None
    return Copy(level_db=level, lag_s=lag * hop_s, agreement=agreement, coverage=coverage)


def _best_delay(ratios: Iterable[NDArray[np.float64]]) -> int:
    """The place of the delay whose band is among the fullest, and whose ratios in it vary least."""
    counts, spreads = [], []
    for found in ratios:
        low, inside, _ = _band(found)
        counts.append(inside)
        spreads.append(_spread_db(found[low : low + inside]) if inside else np.inf)
    full = np.array(counts) >= NEARLY * max(counts)
    return int(np.argmin(np.where(full, spreads, np.inf)))


def _within(track: Iterable[NDArray[np.float64]], db: float, count: int) -> NDArray[np.bool_]:
    """Which frames lie less than so many dB under the loudest one."""
    loudest = max((float(piece.max()) for piece in track if len(piece)), default=0.0)
    gate = to_dbfs(np.array([loudest]))[0] - db
    near, at = np.zeros(count, np.bool_), 0
    for piece in track:
        near[at : at + len(piece)] = to_dbfs(piece) > gate
        at += len(piece)
    return near


def _heard_again(spoken: NDArray[np.bool_], heard: NDArray[np.bool_], lags: int) -> int:
    """How many spoken frames have a heard one at themselves or fewer than `lags` frames later."""
    found = 0
    for at in range(0, len(spoken), 1 << 16):
        part = heard[at : at + (1 << 16) + lags]
        before = np.append(np.int32(0), np.cumsum(part, dtype=np.int32))
        here = spoken[at : at + (1 << 16)]
        after = np.minimum(np.arange(len(here)) + lags, len(part))
        found += int(np.count_nonzero(here & (before[after] > before[: len(here)])))
    return found


def _spread(flags: NDArray[np.bool_], most: int) -> tuple[NDArray[np.int64], int]:
    """Return at most so many places of the flags that are set, spread evenly: every `step`-th, and the step."""
    step = -(-int(np.count_nonzero(flags)) // most)
    kept, seen = [np.zeros(0, np.int64)], 0
    for at in range(0, len(flags), 1 << 16):
        here = np.flatnonzero(flags[at : at + (1 << 16)])
        kept.append(here[-seen % step :: step] + at)
        seen += len(here)
    return np.concatenate(kept), step


def _ratios(
    source: Iterable[NDArray[np.float64]],
    other: Iterable[NDArray[np.float64]],
    *,
    frames: NDArray[np.int64],
    lags: NDArray[np.int64],
    heard: NDArray[np.bool_],
) -> Iterator[NDArray[np.float64]]:
    """Yield, a lag, the sorted ratios in dB of what is heard that much later to these frames of the source."""
    base = _levels_at(source, frames)
    later = frames + lags[:, None]
    usable = later < len(heard)
    later[~usable] = 0
    usable &= heard[later]
    for found, row in zip(_levels_at(other, later), usable, strict=True):
        yield np.sort(found[row] - base[row])


def _held(
    source: Iterable[NDArray[np.float64]],
    other: Iterable[NDArray[np.float64]],
    *,
    frames: NDArray[np.int64],
    lag: int,
    heard: NDArray[np.bool_],
    band: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The frames whose ratio lies in the band, and the levels of the source there."""
    frames = frames[frames + lag < len(heard)]
    frames = frames[heard[frames + lag]]
    levels = _levels_at(source, frames)
    ratios = _levels_at(other, frames + lag) - levels
    inside = (ratios >= band[0]) & (ratios <= band[1])
    return frames[inside], levels[inside]


def _spread_db(levels: NDArray[np.float64]) -> float:
    """From the 10th to the 90th percentile."""
    low, high = np.percentile(levels, (10, 90))
    return float(high - low)


def _levels_at(track: Iterable[NDArray[np.float64]], places: NDArray[np.int64]) -> NDArray[np.float64]:
    found, at = np.empty(places.shape), 0
    for piece in track:
        if at == 0 and places.max(initial=-1) < len(piece):
            return to_dbfs(piece[places])
        here = (places >= at) & (places < at + len(piece))
        found[here] = to_dbfs(piece[places[here] - at])
        at += len(piece)
    return found


def _band(ratios: NDArray[np.float64]) -> tuple[int, int, int]:
    """Where the fullest band begins among sorted ratios, how many it holds, how many lie below it."""
    if not len(ratios):
        return 0, 0, 0
    held = np.searchsorted(ratios, ratios + 2 * SAME_RATIO_DB, side="right") - np.arange(len(ratios))
    low = int(np.argmax(held))
    return low, int(held[low]), low


def waveform_agreement(
    first: NDArray[np.int16] | NDArray[np.float64],
    second: NDArray[np.int16] | NDArray[np.float64],
    *,
    sample_rate_hz: int,
) -> float:
    """Return the largest normalised cross-correlation of two stretches of samples over delays up to 0.5 s.

    Parameters
    ----------
    first, second : numpy.ndarray of int16 or float64, shape (samples,)
        The same stretch of both channels.
    sample_rate_hz : int
        Samples a second.

    Returns
    -------
    float
        0..1; near 1 for a copy, near 0 for two voices; 0 where a stretch is silent or empty.
    """
    a, b = first.astype(np.float64), second.astype(np.float64)
    norm = float(np.sqrt(np.dot(a, a)) * np.sqrt(np.dot(b, b)))
    if not len(a) or norm == 0.0:
        return 0.0
    lags = min(len(a) - 1, round(MAX_LAG_S * sample_rate_hz))
    size = 1 << (2 * len(a) - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(a, size) * np.conj(np.fft.rfft(b, size)), size)
    near = np.concatenate([product[: lags + 1], product[size - lags :]])
    return min(1.0, float(np.abs(near).max()) / norm)
