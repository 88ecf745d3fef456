"""What was heard alone is what the views say of the clock of audio, but for the order in which seconds are added."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from workbench.analysis.heard_alone import heard_alone, of_audio
from workbench.archive import views
from workbench.archive.archive import Archive
from workbench.errors import UsageError

TIMED = [view.name for view in views.catalogue() if "clock" in view.columns]
NEVER_HEARD = ("reported_latency",)
"""No call of the archive has a latency that was reported and a clock of audio as well."""


@pytest.fixture(scope="module")
def whole(demo_archive: Path) -> Iterator[Archive]:
    with Archive(demo_archive) as archive:
        yield archive


@pytest.mark.parametrize("name", TIMED)
def test_a_view_gives_its_rows_of_audio_and_no_others(whole: Archive, name: str) -> None:
    every = whole.sql(f'from "{name}"')
    heard = every.filter(pl.col("clock") == "audio")
    assert len(heard) < len(every) or name in NEVER_HEARD
    assert heard.is_empty() == (name in NEVER_HEARD)
    assert_frame_equal(whole.sql(of_audio(name)), heard, check_row_order=False, rel_tol=1e-12, abs_tol=1e-9)


def test_a_query_gives_its_rows_of_audio_in_its_order(whole: Archive) -> None:
    found = whole.sql(of_audio("talk_over_share"))
    every = whole.sql(views.query("talk_over_share"))
    assert_frame_equal(found, every.filter(pl.col("clock") == "audio"))
    assert 0 < len(found) < len(every)


def test_any_select_is_narrowed(whole: Archive) -> None:
    own = "select call_id, gap_s, clock, caller_noisy from turn_gaps join call_slices using (call_id) order by all"
    found = whole.sql(heard_alone(own))
    assert_frame_equal(found, whole.sql(own).filter(pl.col("clock") == "audio"))


def test_calls_that_were_never_heard_are_no_calls_there(whole: Archive) -> None:
    heard = whole.sql("select count(distinct call_id) from channels").item()
    assert whole.sql(heard_alone("select count(*) from calls")).item() == heard
    assert heard < whole.sql("select count(*) from calls").item()


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no view or query 'x'"):
        of_audio("x")
