"""Frames come in the order of time, however the archive hands them out."""

from __future__ import annotations

import polars as pl
import pytest

from workbench.analysis.timing_levels import in_order

STORED = [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("c", 0)]
PARTS = {"a": [0, 1, 2], "b": [0, 1], "c": [0]}


def frames(rows: list[tuple[str, int]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"recording_id": pl.String, "frame_ix": pl.Int32}, orient="row")


@pytest.mark.parametrize(
    "rows",
    [
        STORED,
        STORED[::-1],
        [STORED[ix] for ix in (3, 4, 0, 1, 2, 5)],
        [STORED[ix] for ix in (0, 1, 3, 4, 2, 5)],
        [STORED[ix] for ix in (0, 2, 1, 3, 4, 5)],
    ],
    ids=["as stored", "backwards", "recordings exchanged", "in pieces", "within one"],
)
def test_every_recording_once_and_its_frames_in_time(rows: list[tuple[str, int]]) -> None:
    found = in_order(frames(rows))
    assert len(found) == len(PARTS)
    assert {name: own["frame_ix"].to_list() for name, own in found} == PARTS
    assert all(own["recording_id"].unique().to_list() == [name] for name, own in found)


def test_a_frame_that_is_there_twice_is_no_trap() -> None:
    [(name, own)] = in_order(frames([("a", 0), ("a", 0)]))
    assert (name, len(own)) == ("a", 2)


def test_no_frames() -> None:
    assert in_order(frames([])) == []
