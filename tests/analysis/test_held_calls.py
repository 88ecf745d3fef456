"""What is answered from memory is, row for row, what the SQL that is shown gives on the archive."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from workbench.analysis.filtered_view import FILTERS, choices, filtered_view
from workbench.analysis.held_calls import SHARED, HeldCalls
from workbench.archive import views
from workbench.archive.archive import Archive
from workbench.errors import UsageError
from workbench.schema.call import Call, Turn

BINS = {"bin_s": 0.1, "most_bins": 80}
ASKED = {
    "calls_by_evidence": {},
    "denominators": {},
    "assertion_pass_rate": {},
    "worst_calls": {},
    "gap_histogram": BINS,
    "response_gap_by_agent": {},
}
"""What the archive notebook asks, with the values of the parameters it gives."""

CHOICES: list[dict[str, str | None]] = [
    dict.fromkeys(FILTERS),
    {"source_format": "harper_valley"},
    {"source_format": "voiceeval", "origin": "synthetic"},
    {"agent_id": "not supplied"},
    {"language": "not supplied", "agent_id": "not supplied"},
    {"language": "en"},
    {"origin": "real", "source_format": "harper_valley", "language": None},
    {"agent_id": "nobody' or 1=1 --"},
]


@pytest.fixture(scope="module")
def archive(demo_archive: Path) -> Iterator[Archive]:
    with Archive(demo_archive) as found:
        yield found


@pytest.fixture(scope="module")
def held(archive: Archive) -> HeldCalls:
    return HeldCalls(archive)


def compare(held: HeldCalls, archive: Archive, name: str, wanted: dict[str, str | None]) -> int:
    """Ask both ways and return the number of rows; sums of floats may be taken in another order."""
    sql, params = filtered_view(name, wanted)
    more = ASKED.get(name, {})
    direct = archive.sql(sql, {**params, **more})
    assert_frame_equal(held.rows(name, wanted, **more), direct, rel_tol=1e-12, abs_tol=1e-12)
    return len(direct)


@pytest.mark.parametrize("name", ASKED)
def test_a_choice_gives_what_the_shown_sql_gives(archive: Archive, held: HeldCalls, name: str) -> None:
    counts = [compare(held, archive, name, wanted) for wanted in CHOICES]
    assert counts[0] > 0
    assert len(set(counts)) > 1 or name in {"denominators", "assertion_pass_rate"}  # a row each, whatever is chosen


@pytest.mark.parametrize("name", ["denominators", "assertion_pass_rate"])
def test_a_choice_changes_the_counts(held: HeldCalls, name: str) -> None:
    assert not held.rows(name, CHOICES[0]).equals(held.rows(name, CHOICES[1]))


@pytest.mark.parametrize("name", ASKED)
def test_every_pair_of_values_that_occurs(archive: Archive, held: HeldCalls, name: str) -> None:
    found = choices(archive)
    pairs = itertools.product(found["source_format"], found["language"])
    assert sum(compare(held, archive, name, {"source_format": a, "language": b}) for a, b in pairs) > 0


@pytest.mark.parametrize("wanted", CHOICES[:4])
def test_an_answer_made_ahead_is_that_answer(archive: Archive, wanted: dict[str, str | None]) -> None:
    held = HeldCalls(archive)
    held.ready("worst_calls", "denominators")
    held.ahead(wanted, ASKED)
    for name in ("worst_calls", "denominators", "response_gap_by_agent"):
        compare(held, archive, name, wanted)
        compare(held, archive, name, {"source_format": "voiceeval"})


def test_an_answer_made_ahead_is_given_to_that_question_only(archive: Archive) -> None:
    held = HeldCalls(archive)
    held.ready("gap_histogram")
    held.ahead({"language": None}, {"gap_histogram": {"bin_s": 0.5, "most_bins": 4}})
    compare(held, archive, "gap_histogram", {"language": None})
    compare(held, archive, "gap_histogram", {"language": "en"})


def test_calls_are_counted_as_they_are_chosen(archive: Archive, held: HeldCalls) -> None:
    for wanted in CHOICES:
        sql, params = filtered_view("call_overview", wanted)
        assert held.call_count(wanted) == len(archive.sql(sql, params))


@pytest.mark.parametrize("view", [view.name for view in views.catalogue()])
def test_any_view_can_be_asked(archive: Archive, held: HeldCalls, view: str) -> None:
    compare(held, archive, view, {"source_format": "harper_valley"})


@pytest.mark.parametrize("name", ASKED)
def test_awkward_ids_and_calls_without_values(small_archive: Path, name: str) -> None:
    with Archive(small_archive) as archive:
        held = HeldCalls(archive)
        compare(held, archive, name, {})
        compare(held, archive, name, {"agent_id": "not supplied"})


def test_choices_are_those_of_the_archive(archive: Archive, held: HeldCalls) -> None:
    assert held.choices() == choices(archive)


def test_shared_views_are_views() -> None:
    assert set(SHARED) <= {view.name for view in views.catalogue()}


def test_what_was_written_since_is_seen_after_a_refresh(demo_archive: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(demo_archive, tmp_path / "archive")
    with Archive(copy) as archive:
        held = HeldCalls(archive)
        before = held.rows("calls_by_evidence", {})["call_count"].sum()
        turns = [Turn(role="caller", text="hello"), Turn(role="agent", text="good day")]
        new = Call(
            id="new", source_format="made", source_uri="made", source_sha256="0" * 64, origin="real", turns=turns
        )
        archive.add([new])
        assert held.rows("calls_by_evidence", {})["call_count"].sum() == before + 1
        assert "made" in held.choices()["source_format"]
        compare(held, archive, "denominators", {"source_format": "made"})


def test_nothing_is_written_to_the_archive(archive: Archive) -> None:
    before = [(path, path.stat().st_mtime_ns) for path in sorted(archive.path.rglob("*"))]
    HeldCalls(archive).rows("worst_calls", {})
    assert [(path, path.stat().st_mtime_ns) for path in sorted(archive.path.rglob("*"))] == before


def test_unknown_names_are_refused(held: HeldCalls) -> None:
    with pytest.raises(UsageError, match="no view or query 'x'"):
        held.rows("x", {})
    with pytest.raises(UsageError, match="narrowed by duration_s"):
        held.rows("denominators", {"duration_s": "1"})
