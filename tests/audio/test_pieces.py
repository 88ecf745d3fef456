"""Levels in pieces: the same numbers as in one, from memory and from the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workbench.audio.pieces import Pieces, Track, ranked


def filled(folder: Path, *lengths: int) -> tuple[Pieces, np.ndarray]:
    rng = np.random.default_rng(sum(lengths))
    values = np.round(rng.random((3, sum(lengths))), 3)  # many ties
    pieces = Pieces(3, folder)
    for part in np.split(values, np.cumsum(lengths)[:-1], axis=1):
        pieces.append(part)
    return pieces, values


@pytest.mark.parametrize("lengths", [(5000,), (700, 700), (400, 400, 400, 1)])
def test_what_was_appended_is_read_as_often_as_one_likes(tmp_path: Path, lengths: tuple[int, ...]) -> None:
    pieces, values = filled(tmp_path, *lengths)
    assert np.array_equal(pieces.whole(), values)
    one, two = Track(pieces, (0,)), Track(pieces, (2,))
    for first, second in zip(one, two, strict=True):  # both at once
        assert len(first) == len(second)
    assert np.array_equal(np.concatenate(list(one)), values[0])
    assert np.array_equal(np.concatenate(list(one.joined(two))), np.maximum(values[0], values[2]))
    assert [len(part) for part in two] == list(lengths)
    assert not list(tmp_path.iterdir())  # the file has no name


@pytest.mark.parametrize("lengths", [(5000,), (700, 700), (400, 400, 400, 1)])
def test_ranks_are_those_of_the_sorted_values(tmp_path: Path, lengths: tuple[int, ...]) -> None:
    pieces, values = filled(tmp_path, *lengths)
    ordered = np.sort(values[1])
    ranks = [0, 1, len(ordered) // 10, len(ordered) // 2, len(ordered) - 1]
    assert ranked(Track(pieces, (1,)), *ranks) == ordered[ranks].tolist()


def test_ranks_of_numbers_of_every_size() -> None:
    numbers = np.array([0.0, 5e-324, 1e-300, 1e-6, 0.1, np.nextafter(0.1, 1), 1.0, 1e300])
    mixed = np.random.default_rng(1).permutation(numbers)
    assert ranked([mixed[:3], mixed[3:]], *range(8)) == numbers.tolist()


def test_nothing_appended_is_no_frame() -> None:
    assert Pieces(2).whole().shape == (2, 0)
    assert Pieces(0).whole().shape == (0, 0)
    assert len(Track(Pieces(2), (1,))) == 0
