"""Many passages of one recording, each read once: by seeking where a file allows it, else in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.audio.read import excerpt, iterate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.audio.source import Source


def passages(source: Source, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, NDArray[np.int16]]]:
    """Yield passages of a recording.

    Parameters
    ----------
    source : Source
        From :func:`workbench.audio.source.identify`.
    spans : sequence of tuple of int
        First sample and the one after the last, cut to the file; they may overlap. None yields nothing.

    Yields
    ------
    tuple of int and numpy.ndarray of int16, shape (samples, channels)
        Position in `spans` and its samples, none where it lies outside the file. Spans whose order of ends is that
        of their starts come in it. A lossy file is decoded once, whatever the number of spans.

    Raises
    ------
    ImportFailed
        ``truncated_audio`` when samples that were asked for do not decode.
    """
    order = sorted(range(len(spans)), key=lambda ix: (spans[ix][1], spans[ix][0]))
    if source.promised is not None:
        for ix in order:
            yield ix, excerpt(source, *spans[ix])
        return
    # from here on nothing that comes later begins before `needed`
    needed = list(np.minimum.accumulate([max(spans[ix][0], 0) for ix in reversed(order)])[::-1]) if order else []
    held, at, next_ix = np.zeros((0, source.channel_count), np.int16), 0, 0
    for block in iterate(source):
        if next_ix == len(order):
            return
        held = np.concatenate([held, block])
        while next_ix < len(order) and spans[order[next_ix]][1] <= at + len(held):
            yield order[next_ix], _between(held, at, spans[order[next_ix]])
            next_ix += 1
        drop = min(max(int(needed[next_ix]) - at, 0), len(held)) if next_ix < len(order) else len(held)
        held, at = held[drop:].copy(), at + drop
    for ix in order[next_ix:]:
        yield ix, _between(held, at, spans[ix])


def _between(held: NDArray[np.int16], at: int, span: tuple[int, int]) -> NDArray[np.int16]:
    return held[max(span[0] - at, 0) : max(span[1] - at, 0)].copy()
