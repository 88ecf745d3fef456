"""Which recordings of a folder hold the sound of another: a copy in another format, or the tracks of its channels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workbench.analysis.incidents_channels import recognised
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.analysis.incidents_of_file import Examined


class _Size(NamedTuple):
    rate_hz: int
    channels: int
    length: int


def comparable(paths: Sequence[Path]) -> set[Path]:
    """Return the files that may hold the sound of another: only their samples are worth a digest.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        Sound files; only their headers are read.

    Returns
    -------
    set of pathlib.Path
        Files with as many channels and samples as another one of the same rate; mono files and files of several
        channels that are at least as long as one of them, at the same rate: a track may begin later in it. A file
        that cannot be read, or whose header says no length (lossy formats do not), is not among them.
    """
    sizes = {path: size for path in paths if (size := _size(path)) is not None}
    often = Counter(sizes.values())
    shortest: dict[int, int] = {}
    longest: dict[int, int] = {}
    for size in sizes.values():
        if size.channels == 1:
            shortest[size.rate_hz] = min(size.length, shortest.get(size.rate_hz, size.length))
        else:
            longest[size.rate_hz] = max(size.length, longest.get(size.rate_hz, 0))

    def fits(size: _Size) -> bool:
        if size.channels == 1:
            return size.length <= longest.get(size.rate_hz, -1)
        return size.rate_hz in shortest and size.length >= shortest[size.rate_hz]

    return {path for path, size in sizes.items() if often[size] > 1 or fits(size)}


def _size(path: Path) -> _Size | None:
    try:
        if not path.is_file():
            return None
        source, _ = recognised(path)
    except (WorkbenchError, OSError):
        return None
    return None if source.promised is None else _Size(source.sample_rate_hz, source.channel_count, source.promised)


def same_bytes(found: Sequence[Examined | None]) -> dict[int, int]:
    """Return for each recording that has the bytes of another one the position of that one.

    Parameters
    ----------
    found : sequence of Examined or None
        With `name`, which their bytes give them; a pair's offsets are in its name.

    Returns
    -------
    dict of int to int
        The first stays of which something says whose channel is which, else the first.
    """
    there = [(ix, one) for ix, one in enumerate(found) if one is not None]
    stays: dict[str, int] = {}
    for ix, one in sorted(there, key=lambda item: _goes_before(*item)):
        stays.setdefault(one.name, ix)
    return {ix: stays[one.name] for ix, one in there if stays[one.name] != ix}


def _goes_before(ix: int, one: Examined) -> tuple[bool, bool, int]:
    return one.channel_map == "name", one.channel_map == "assumed", ix


def twins(found: Sequence[Examined | None]) -> dict[int, int]:
    """Return for each recording whose sound another one holds the position of that one.

    Parameters
    ----------
    found : sequence of Examined or None
        With `sound`, the digest of each channel's samples, where it was taken; a pair of mono files has two.

    Returns
    -------
    dict of int to int
        A file of several channels stays and goes before the two files of its tracks, which hold the same for echo
        and leakage; a track on its own goes too. Of files with the same sound the first stays of which something says
        whose channel is which, else the first. What nothing can be read from is no twin: its reason is told.
    """
    readable = [(ix, one) for ix, one in enumerate(found) if one is not None and one.sound and one.mode is not None]
    whole: dict[frozenset[str], int] = {}
    for ix, one in sorted(readable, key=lambda item: _goes_before(*item)):
        if len(one.sound) > 1:
            whole.setdefault(frozenset(one.sound), ix)
    channels = {sound: ix for sounds, ix in reversed(whole.items()) for sound in sounds}
    kept: dict[str, int] = {}
    twin = {}
    for ix, one in readable:
        first = whole.get(frozenset(one.sound)) if len(one.sound) > 1 else channels.get(one.sound[0])
        if first is None:
            first = kept.setdefault(one.sound[0], ix)
        if first != ix:
            twin[ix] = first
    return twin
