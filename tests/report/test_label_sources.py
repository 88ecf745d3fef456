"""Whose labels a verdict rests on: no page calls a script a person, and each authority is told."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from workbench.analysis.label_sources import label_source, label_sources
from workbench.archive import labelling
from workbench.archive.archive import Archive
from workbench.assets import folder
from workbench.report.html import report
from workbench.timing.contracts.levels import CLAIMS

OPERATOR = (
    "9 labels of operator-recorded probe calls (build_vapi_defaults.py), authority: the category comes from the "
    "operator's call script (what a good agent should do at this moment); the onset comes from the engine's energy-VAD "
    "tracks (caller onsets during agent activity); hotato measures the timing only"
)
"""As the bundled scenarios say it: `provenance` in data/calls/vapi-defaults/scenarios."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled probe calls, labelled by a script, and one label that a person gave."""
    from workbench.cli import main

    at = tmp_path_factory.mktemp("sources") / "archive"
    with pytest.raises(SystemExit) as ended:
        main(["import", str(folder("data") / "calls" / "vapi-defaults"), "--measure", "-q", "--archive", str(at)])
    assert not ended.value.code
    with Archive(at) as archive:
        call = "vapi-default-01-hard-interruption"
        labelling.expectation(archive.layout, call, onset_s=5.0, expect="hold", author="Anna")
        archive.score()
    return at


def test_each_author_comes_with_the_authority(place: Path) -> None:
    with Archive(place) as archive:
        assert label_sources(archive.reader) == [
            OPERATOR,
            "1 label of Anna, given as a person's judgement (authority: human)",
        ]
    assert label_source(None, None, 2) == "2 labels of an author who is not named, authority: not stated"


def test_the_report_calls_no_script_a_person(place: Path) -> None:
    with Archive(place) as archive:
        page = report("timing").build(archive, worst=2)
    text = " ".join(unescape(re.sub("<[^>]+>", "", page)).split())
    assert OPERATOR in text
    assert "1 label of Anna, given as a person's judgement" in text
    assert "label by a person" not in text
    assert "a person expected" not in text


SAID = re.compile(r"labell?ed by (a person|people)|(a person|people) labell?ed|label by a person", re.IGNORECASE)


@pytest.mark.parametrize("name", ["workbench", "notebooks", "sql", "docs"])
def test_no_sentence_says_that_a_person_labelled(name: str) -> None:
    """Labels come from scripts and surveys too: `labels.author` and `labels.authority` say from whom."""
    root = folder("data").parent / name
    suffixes = {".py", ".sql", ".j2", ".md"}
    texts = {path: " ".join(path.read_text("utf-8").split()) for path in root.rglob("*") if path.suffix in suffixes}
    assert texts
    assert [str(path) for path, text in texts.items() if SAID.search(text)] == []


def test_a_contract_says_that_it_was_labelled_and_not_by_whom() -> None:
    assert all("person" not in claim.sentence for claim in CLAIMS.values())
