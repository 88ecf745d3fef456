"""Tables, views and queries as CSV and Parquet: nothing is lost on the way out and back."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

import workbench
from workbench.archive import views
from workbench.errors import ExportFailed, QueryRefused, UsageError
from workbench.report import csv_text
from workbench.report import export as module
from workbench.report.datapackage import read_back
from workbench.report.export import export
from workbench.report.wanted import Query, queries
from workbench.schema import tables

FORMS = ("csv", "parquet")


@pytest.fixture(scope="module", params=FORMS)
def exported(request: pytest.FixtureRequest, small_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything, `frames` too, in one of the formats."""
    folder = tmp_path_factory.mktemp("export") / str(request.param)
    names = [*tables(), *(view.name for view in views.catalogue())]
    with workbench.open(small_archive) as archive:
        export(archive, folder, tables=names, form=request.param)
    return folder


def digests(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_every_table_and_view_reads_back_the_same(exported: Path, small_archive: Path) -> None:
    with_rows = 0
    with workbench.open(small_archive) as archive:
        keys = {name: schema.primary_key() for name, schema in tables().items()}
        keys |= {view.name: list(view.key) for view in views.catalogue()}
        for name, key in keys.items():
            frame = archive.reader.frame(f'from "{name}" order by {", ".join(key)}')
            assert_frame_equal(read_back(exported, name), frame, check_exact=True)
            with_rows += frame.height > 0
    assert with_rows >= 20


def test_awkward_texts_arrive(exported: Path) -> None:
    found = read_back(exported, "turns").filter(call_id="plain-1").sort("turn_ix")["text"].to_list()
    assert found[:9] == ["", None, "=1+1", "+3", "-2", "@SUM(A1)", 'say "yes", now', "two\nlines", "\r\n"]
    assert read_back(exported, "tool_calls")["error"].to_list() == [""] * 6


def test_levels_have_the_unit_they_are_shown_in(exported: Path) -> None:
    package = json.loads((exported / "datapackage.json").read_text())
    fields = {f["name"]: f for r in package["resources"] if r["name"] == "frames" for f in r["schema"]["fields"]}
    assert fields["caller_dbfs"]["unit"] == "dBFS"
    assert "hundredths" not in fields["caller_dbfs"]["description"]
    loud = read_back(exported, "frames")["caller_dbfs"].max()
    assert -20 < loud < 0  # uniform noise of 9000/32768 is -16 dBFS


def test_the_package_describes_its_files(exported: Path) -> None:
    package = json.loads((exported / "datapackage.json").read_text())
    files = {path.relative_to(exported).as_posix() for path in exported.rglob("*") if path.is_file()}
    assert {r["path"] for r in package["resources"]} == files - {"codebook.md", "datapackage.json"}
    for resource in package["resources"]:
        data = (exported / resource["path"]).read_bytes()
        assert resource["bytes"] == len(data)
        assert resource["hash"] == "sha256:" + hashlib.sha256(data).hexdigest()
        names = [field["name"] for field in resource["schema"]["fields"]]
        assert set(resource["schema"].get("primaryKey", [])) <= set(names)
        assert resource["schema"]["missingValues"] == [""]
        if resource["format"] == "csv":
            assert names == next(csv.reader([data.decode().split("\n", 1)[0]]))
    by_name = {r["name"]: r["schema"] for r in package["resources"]}
    assert by_name["turns"]["foreignKeys"][0]["reference"] == {"resource": "calls", "fields": ["call_id"]}
    assert by_name["calls"]["primaryKey"] == ["call_id"]


def test_the_codebook_describes_every_column(exported: Path, small_archive: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((exported / "codebook.csv").read_text(encoding="utf-8"), newline="")))
    package = json.loads((exported / "datapackage.json").read_text())
    expected = [
        (r["name"], f["name"]) for r in package["resources"] if r["name"] != "codebook" for f in r["schema"]["fields"]
    ]
    assert [(row["table"], row["column"]) for row in rows] == expected
    assert not [row for row in rows if not row["description"]]
    assert not [row for row in rows if row["column"].endswith("_s") and row["unit"] != "s"]
    gap = next(row for row in rows if (row["table"], row["column"]) == ("turn_gaps", "caller_turn_ix"))
    assert gap["empty_means"] == "read from audio"
    with workbench.open(small_archive) as archive:
        assert f"Snapshot {archive.snapshot} " in (exported / "codebook.md").read_text(encoding="utf-8")


def test_csv_is_read_by_duckdb_with_null_and_empty_apart(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "out", tables=["turns"])
        expected = archive.sql("select text from turns order by call_id, turn_ix")["text"].to_list()
    source = str(tmp_path / "out/turns.csv")
    read = "select text from read_csv(?, all_varchar = true, allow_quoted_nulls = false, parallel = false)"
    assert [row[0] for row in duckdb.execute(read, [source]).fetchall()] == expected


def test_parquet_needs_none_of_our_code(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "out", tables=["turns", "frames"], form="parquet")
    for name in ("turns", "frames"):
        file = tmp_path / "out" / name / "data.parquet"
        (count,) = duckdb.execute("select count(*) from read_parquet(?)", [str(file)]).fetchall()[0]
        assert count == pl.scan_parquet(tmp_path / "out" / name).select(pl.len()).collect().item() > 0
    field = pq.read_schema(tmp_path / "out/turns/data.parquet").field("start_s")
    assert field.metadata == {
        b"unit": b"s",
        b"description": b"start of the turn",
        b"empty_means": b"no clock",
    }


@pytest.mark.parametrize("form", FORMS)
def test_the_same_archive_gives_the_same_bytes(form: str, small_archive: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        with workbench.open(small_archive) as archive:
            export(archive, tmp_path / name, form=form)
    assert digests(tmp_path / "one") == digests(tmp_path / "two")


@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_pieces_is_the_same_table(
    form: str, small_archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["turns", "frames", "words"]
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "whole", tables=names, form=form)
        monkeypatch.setattr(module, "CHUNK_ROWS", 20)
        export(archive, tmp_path / "pieces", tables=names, form=form)
    for name in names:
        assert_frame_equal(read_back(tmp_path / "whole", name), read_back(tmp_path / "pieces", name))
    if form == "csv":
        assert digests(tmp_path / "whole") == digests(tmp_path / "pieces")


def test_by_default_tables_with_rows_and_all_views_but_not_frames(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        done = export(archive, tmp_path / "out")
        frames = archive.sql("from frames").height
        turns = archive.sql("from turns").height
    assert done.left_out == {"frames": frames}
    assert done.rows["turns.csv"] == turns == 90
    assert {f"{view.name}.csv" for view in views.catalogue()} - {"timing_frames.csv"} <= set(done.rows)
    assert "experiments.csv" not in done.rows
    assert not (tmp_path / "out/frames.csv").exists()
    assert done.byte_count == sum(path.stat().st_size for path in (tmp_path / "out").iterdir())


def test_an_older_snapshot(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive, as_of=1) as archive:
        done = export(archive, tmp_path / "out", tables=["calls"])
    assert done.snapshot == 1
    assert done.rows == {"calls.csv": 0}
    assert json.loads((tmp_path / "out/datapackage.json").read_text())["workbench"]["snapshot"] == 1


def test_queries(small_archive: Path, tmp_path: Path) -> None:
    file = tmp_path / "Long Turns.sql"
    file.write_text("-- turns\nselect call_id, text from turns where start_s > $s order by turn_ix desc, call_id;\n")
    asked = queries(
        ["slowest_responses", str(file), "select sum(turn_ix) as total, 0.5 as half from turns -- all"],
        {"s": 12.5},
    )
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "out", queries=asked)
    assert read_back(tmp_path / "out", "long_turns")["text"].unique(maintain_order=True).to_list()[0] == "a;b\tc"
    assert read_back(tmp_path / "out", "query_3").row(0) == (6 * 105, pytest.approx(0.5))
    package = json.loads((tmp_path / "out/datapackage.json").read_text())
    found = {r["name"]: r for r in package["resources"]}
    assert list(found) == ["slowest_responses", "long_turns", "query_3", "codebook"]
    assert found["long_turns"]["parameters"] == {"s": 12.5}
    assert "from turns where" in found["long_turns"]["query"]
    assert "from turns where" in (tmp_path / "out/codebook.md").read_text()


@pytest.mark.parametrize("form", FORMS)
def test_columns_of_one_name_are_told_apart(form: str, small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "out", queries=[Query("q", "select 1 as a, 2 as a")], form=form)
    frame = read_back(tmp_path / "out", "q")
    assert len(set(frame.columns)) == 2
    assert frame.row(0) == (1, 2)


def test_what_is_asked_wrongly_leaves_nothing(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        with pytest.raises(UsageError, match="no table or view 'nope'"):
            export(archive, tmp_path / "out", tables=["nope"])
        with pytest.raises(QueryRefused, match="only SELECT"):
            export(archive, tmp_path / "out", queries=[Query("q", "drop table turns")])
        with pytest.raises(QueryRefused, match="no_such_column"):
            export(archive, tmp_path / "out", queries=[Query("q", "select no_such_column from turns")])
        with pytest.raises(UsageError, match="two results"):
            export(archive, tmp_path / "out", tables=["turns"], queries=[Query("turns", "select 1 as a")])
        with pytest.raises(UsageError, match="whole"):
            export(archive, tmp_path / "out", tables=["turns"], form="calls")
    with pytest.raises(UsageError, match="no query uses"):
        queries(["select 1"], {"s": 1})
    with pytest.raises(UsageError, match="no ready-made query"):
        queries(["nope"], {})
    with pytest.raises(UsageError, match="no such file"):
        queries(["nope.sql"], {})
    assert not list(tmp_path.iterdir())


def test_a_changed_file_is_not_read_back(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "out", tables=["words"])
    with pytest.raises(UsageError, match="holds no 'turns'"):
        read_back(tmp_path / "out", "turns")
    (tmp_path / "out/words.csv").write_text("call_id\n")
    with pytest.raises(ExportFailed, match="changed"):
        read_back(tmp_path / "out", "words")
    with pytest.raises(ExportFailed, match="description"):
        read_back(tmp_path, "words")


def test_a_csv_says_in_comments_what_its_columns_are_and_reads_back(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "out", tables=["turns", "timing_frames"], comments=True)
        turns, frames = archive.sql("from turns order by call_id, turn_ix"), archive.sql("from timing_frames")
        with pytest.raises(UsageError, match="parquet has no comment lines"):
            export(archive, tmp_path / "no", comments=True, form="parquet")
    head = [line for line in (tmp_path / "out/timing_frames.csv").read_text().splitlines() if line[:1] == "#"]
    assert head[0].startswith("# timing_frames: One row per frame of a measured recording")
    assert len(head) == 1 + len(frames.columns)
    said = "# t_s: when its window begins, which is frame_ms of the measuring config long (20 ms by default)"
    assert f"{said}, in seconds on the call's clock (s)" in head
    said = "# caller_threshold_dbfs: level at or above which a frame of it is loud "
    said += "(dBFS; empty means no such channel, or several)"
    assert said in head
    assert frames.height >= 100
    assert read_back(tmp_path / "out", "timing_frames").height == frames.height
    assert_frame_equal(read_back(tmp_path / "out", "turns"), turns, check_exact=True)


def test_text_with_a_hash_is_no_comment(tmp_path: Path) -> None:
    rows = [("#1", "a # b"), ("plain", "x")]
    path = tmp_path / "file.csv"
    path.write_text("# one: the first\n" + csv_text.text(["one", "two"], rows), encoding="utf-8")
    pandas = pytest.importorskip("pandas", exc_type=ImportError)
    found = pandas.read_csv(path, comment="#")
    assert list(found.itertuples(index=False, name=None)) == rows
    assert pl.read_csv(path, comment_prefix="#").rows() == rows
    assert duckdb.sql(f"from read_csv('{path}', comment='#', header=true)").fetchall() == rows


def test_what_is_as_large_as_the_frames_is_left_out_unless_named(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        done = export(archive, tmp_path / "out")
    assert "timing_frames.csv" not in done.rows
    assert "turn_gaps.csv" in done.rows


def test_large_views_are_read_in_pieces_of_whole_calls(
    small_archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "whole", tables=["timing_frames"])
        monkeypatch.setattr(module, "CHUNK_ROWS", 50)
        export(archive, tmp_path / "parts", tables=["timing_frames"])
    assert digests(tmp_path / "whole") == digests(tmp_path / "parts")
