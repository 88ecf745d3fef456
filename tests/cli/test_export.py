"""`workbench export` as it is typed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from workbench.archive import labelling
from workbench.archive.archive import Archive
from workbench.cli import main, root


def run(*args: str | Path) -> str:
    result = CliRunner().invoke(root, [str(arg) for arg in args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_it_says_what_it_wrote_and_what_it_left_out(small_archive: Path, tmp_path: Path) -> None:
    out = run("export", tmp_path / "out", "--archive", small_archive)
    assert "turns.csv" in out
    assert "snapshot 5" in out
    assert "left out: frames" in out
    assert (tmp_path / "out/codebook.md").is_file()


def test_labels_that_are_no_part_of_a_call_are_counted(small_archive: Path, tmp_path: Path) -> None:
    own = tmp_path / "archive"
    shutil.copytree(small_archive, own)
    calls = ("--archive", own, "--format", "calls")
    assert "left out" not in run("export", tmp_path / "a", *calls)
    with Archive(own) as archive:
        labelling.expectation(archive.layout, "plain-1", author="A", onset_s=0.1, expect="yield")
    out = run("export", tmp_path / "b", *calls)
    line = re.search(r"left out: 1 label recorded after the import; workbench (.*) writes all labels\n", out)
    assert line is not None
    assert json.loads(run("export", tmp_path / "c", *calls, "--json"))["left_out"] == {"labels": 1}
    run(*[str(tmp_path / "d") if word == "DIR" else word for word in shlex.split(line[1])])
    assert (tmp_path / "d/labels.csv").read_text(encoding="utf-8").count(",yield,") == 1


def test_json_and_quiet(small_archive: Path, tmp_path: Path) -> None:
    said = json.loads(run("export", tmp_path / "a", "--archive", small_archive, "--tables", "turns, calls", "--json"))
    assert said["rows"] == {"turns.csv": 90, "calls.csv": 6}
    assert said["left_out"] == {}
    assert not run("export", tmp_path / "b", "--archive", small_archive, "--format", "calls", "-q")
    assert (tmp_path / "b/plain-1.json").is_file()


def test_a_query_with_a_parameter_and_an_older_snapshot(small_archive: Path, tmp_path: Path) -> None:
    query = "select call_id from turns where start_s > $s"
    run(
        "export",
        tmp_path / "a",
        "--archive",
        small_archive,
        "--query",
        query,
        "--param",
        "s=12.5",
        "--format",
        "parquet",
    )
    assert (tmp_path / "a/query_1/data.parquet").is_file()
    old = run("export", tmp_path / "b", "--archive", small_archive, "--as-of", "1", "--tables", "turns", "--json")
    assert json.loads(old)["rows"] == {"turns.csv": 0}


def test_sql_writes_the_same_csv(small_archive: Path, tmp_path: Path) -> None:
    query = "select text, heard, completed, tags from turns join calls using (call_id) order by call_id, turn_ix"
    run("export", tmp_path / "a", "--archive", small_archive, "--query", query)
    run("sql", query, "--archive", small_archive, "--format", "csv", "-o", tmp_path / "b.csv")
    written = (tmp_path / "b.csv").read_bytes()
    assert written == (tmp_path / "a/query_1.csv").read_bytes()
    assert b'\n"",,' in written


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--tables", "nope"], "no table or view 'nope'"),
        (["--param", "s=1"], "no query uses $s"),
        (["--param", "s"], "not NAME=VALUE"),
        (["--as-of", "99"], "no snapshot 99"),
        (["--format", "calls", "--tables", "turns"], "calls are written whole"),
    ],
)
def test_refusals(
    more: list[str], message: str, small_archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", str(tmp_path / "out"), "--archive", str(small_archive), *more])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Hint: " in said
    assert not list(tmp_path.iterdir())
