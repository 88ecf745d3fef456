"""`workbench report` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.archive.archive import Archive
from workbench.cli import main


def run(*args: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    return int(ended.value.code or 0)


def test_it_writes_one_file_and_says_where_and_how_large(
    small_archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "report.html"
    assert run("report", "archive", "-o", target, "--archive", small_archive) == 0
    assert f"{target} (0." in capsys.readouterr().out
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(target.parent.iterdir()) == [target]


def test_json_names_the_file_its_size_and_the_snapshot(
    small_archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.html"
    asked = ("--archive", small_archive, "--as-of", "3", "--worst", "0", "--json")
    assert run("report", "archive", "-o", target, *asked) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "report": "archive",
        "file": str(target),
        "byte_count": target.stat().st_size,
        "snapshot": 3,
    }
    assert "at snapshot 3" in target.read_text(encoding="utf-8")


def test_what_it_refuses_and_that_an_earlier_report_stays(
    small_archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.html"
    target.write_text("<html>an earlier one", encoding="utf-8")
    (tmp_path / "notes.md").write_text("mine", encoding="utf-8")
    Archive.create(tmp_path / "empty").close()
    for words, said in [
        (("report", "nothing", "-o", target, "--archive", small_archive), "one of: archive"),
        (("report", "archive", "-o", target, "--archive", tmp_path / "empty"), "the archive holds no calls"),
        (("report", "archive", "-o", target, "--archive", tmp_path / "none"), "no such archive"),
        (("report", "archive", "-o", tmp_path / "none" / "x", "--archive", small_archive), "there is no folder"),
        (("report", "archive", "-o", tmp_path, "--archive", small_archive), "it is a folder"),
        (("report", "archive", "-o", tmp_path / "notes.md", "--archive", small_archive), "is no HTML page"),
        (("report", "archive", "--archive", small_archive), "--output"),
    ]:
        assert run(*words) == 2
        assert said in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "<html>an earlier one"
    assert (tmp_path / "notes.md").read_text(encoding="utf-8") == "mine"
