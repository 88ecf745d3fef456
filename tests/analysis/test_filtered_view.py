"""A view over some calls gives what the view gives on an archive of those calls alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from workbench.analysis.filtered_view import FILTERS, choices, filtered_view
from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.assertions import load_pack
from workbench.assets import folder
from workbench.errors import UsageError
from workbench.ingest import read

VIEWS = ("call_overview", "worst_calls", "findings", "response_gap_by_agent", "calls_by_evidence")


@pytest.fixture(scope="module")
def whole(demo_archive: Path) -> Iterator[Archive]:
    with Archive(demo_archive) as archive:
        yield archive


@pytest.fixture(scope="module")
def harper_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    with Archive.create(tmp_path_factory.mktemp("harper") / "archive") as archive:
        archive.add(read([folder("data") / "calls" / "harper-valley-bank"]))
        archive.measure(workers=1)
        assert_pack(archive.layout, load_pack("caller-experience"))
        archive.refresh()
        yield archive


def rows(archive: Archive, name: str, wanted: dict[str, str | None]) -> pl.DataFrame:
    sql, params = filtered_view(name, wanted)
    frame = archive.sql(sql, params)
    return frame.drop([n for n in ("run_id", "rank") if n in frame.columns]).sort(pl.all())


@pytest.mark.parametrize("name", VIEWS)
def test_it_equals_an_archive_of_those_calls(whole: Archive, harper_alone: Archive, name: str) -> None:
    narrowed = rows(whole, name, {"source_format": "harper_valley"})
    assert len(narrowed)
    assert_frame_equal(narrowed, rows(harper_alone, name, {}))


def test_pass_rates_are_counted_and_bounded_anew(whole: Archive, harper_alone: Archive) -> None:
    counts = [
        "assertion_id",
        "call_count",
        "trial_count",
        "pass_count",
        "pass_rate",
        "pass_rate_low",
        "pass_rate_high",
    ]
    narrowed = rows(whole, "assertion_pass_rate", {"source_format": "harper_valley"}).select(counts)
    assert narrowed["call_count"].max() == 8
    assert_frame_equal(narrowed, rows(harper_alone, "assertion_pass_rate", {}).select(counts))


def test_denominators_speak_of_the_chosen_calls(whole: Archive, harper_alone: Archive) -> None:
    narrowed = rows(whole, "denominators", {"source_format": "harper_valley"}).drop("refused_count", "reason")
    assert_frame_equal(narrowed, rows(harper_alone, "denominators", {}).drop("refused_count", "reason"))


def test_a_choice_of_calls_without_a_value(whole: Archive) -> None:
    none = rows(whole, "call_overview", {"agent_id": "not supplied"})
    some = whole.sql("select count(*) from call_overview where agent_id is null").item()
    assert len(none) == some > 0


def test_nothing_chosen_is_the_view_itself() -> None:
    assert filtered_view("denominators", dict.fromkeys(FILTERS)) == ("from denominators order by metric", {})


def test_values_are_parameters(whole: Archive) -> None:
    hostile = "x' or 1=1 --"
    sql, params = filtered_view("assertion_pass_rate", {"agent_id": hostile, "origin": "real"})
    assert hostile not in sql
    assert params == {"agent_id": hostile, "origin": "real"}
    assert whole.sql(sql, params)["call_count"].sum() == 0


def test_choices_are_those_that_occur(whole: Archive) -> None:
    found = choices(whole)
    assert list(found) == list(FILTERS)
    assert {"harper_valley", "voiceeval"} <= set(found["source_format"])
    assert found["language"][-1] == "not supplied"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="no view or query 'x'"):
        filtered_view("x", {})
    with pytest.raises(UsageError, match="narrowed by duration_s"):
        filtered_view("denominators", {"duration_s": "1"})
