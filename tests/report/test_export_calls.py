"""Calls written as files import again as the same rows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from polars.testing import assert_frame_equal

from workbench.archive.archive import Archive
from workbench.assets import folder as shipped
from workbench.errors import ArchiveFailed
from workbench.ingest import read
from workbench.ingest.native import sniff
from workbench.report.calls_export import dump, safe_name
from workbench.report.export import export
from workbench.schema.call import Audio, Call, Label, Span, Turn

if TYPE_CHECKING:
    import polars as pl

IMPORTED = (
    "calls",
    "turns",
    "words",
    "tool_calls",
    "spans",
    "stage_timings",
    "state_rows",
    "labels",
    "recordings",
)
IMPORTED += ("scenarios",)
OF_THE_IMPORT = ["run_id", "source_uri", "source_sha256"]  # these say which file was read, and by which run
FOLDERS = ["voiceeval-fixtures", "voice-evals", "punchin", "tau2-voice", "hotato-traces", "vapi-defaults"]


def rows(archive: Archive, table: str) -> pl.DataFrame:
    return archive.table(table).collect().drop(OF_THE_IMPORT, strict=False).pipe(lambda f: f.sort(f.columns[:3]))


def assert_same(first: Archive, second: Archive) -> None:
    for table in IMPORTED:
        assert_frame_equal(rows(first, table), rows(second, table), check_exact=True)


def again(archive: Archive, tmp_path: Path) -> Archive:
    """Export the calls of an archive and import them into a fresh one, refusing nothing."""
    export(archive, tmp_path / "calls", form="calls")
    fresh = Archive.create(tmp_path / "again")
    report = fresh.add(read([tmp_path / "calls"]), strict=True)
    assert report.refused() == 0
    return fresh


def test_bundled_calls_of_many_formats_come_back_the_same(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "archive")
    report = archive.add(read([shipped("data") / "calls" / name for name in FOLDERS]))
    assert report.refused() == 0
    with archive, again(archive, tmp_path) as fresh:
        heads = fresh.table("calls").collect()
        assert heads.height == report.new
        assert heads["source_format"].n_unique() == len(FOLDERS)
        assert_same(archive, fresh)


def test_awkward_ids_and_texts_come_back_the_same(small_archive: Path, tmp_path: Path) -> None:
    with Archive(small_archive) as archive, again(archive, tmp_path) as fresh:
        assert_same(archive, fresh)
    files = sorted(path.name for path in (tmp_path / "calls").iterdir())
    assert len([name for name in files if name.endswith(".json")]) == 6
    assert "plain-1.json" in files
    assert [path.name for path in (tmp_path / "calls/audio").iterdir()] == ["plain-1-0.wav"]


def test_calls_without_turns_and_headerless_audio_come_back(tmp_path: Path) -> None:
    raw = tmp_path / "side.ulaw"
    raw.write_bytes(np.random.default_rng(0).integers(0, 256, 8000, dtype=np.uint8).tobytes())
    source = {"source_format": "made", "source_uri": "made", "source_sha256": "0" * 64}
    calls = [
        Call(id="spans-only", spans=[Span(type="event", time_s=1.0)], **source),
        Call(id="empty", turns=[], tool_calls=[], labels=[], **source),
        Call(id="labelled", turns=[Turn(role="agent", text="hi")], **source,
             labels=[Label(kind="expectation", onset_s=0.5, expect="yield", value={"a": 1})]),
        Call(id="raw", audio=[Audio(path=str(raw), channels=["caller"], encoding="ulaw", sample_rate_hz=8000,
                                    offset_s=0.25, channel_map_source="format")], **source),
    ]  # fmt: skip
    archive = Archive.create(tmp_path / "archive")
    assert archive.add(calls).new == 4
    with archive, again(archive, tmp_path) as fresh:
        assert_same(archive, fresh)


def test_the_same_calls_give_the_same_bytes(small_archive: Path, tmp_path: Path) -> None:
    with Archive(small_archive) as archive:
        for name in ("one", "two"):
            export(archive, tmp_path / name, form="calls")
    one, two = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (tmp_path / "one", tmp_path / "two")
    )
    assert one == two
    assert len(one) == 8


def test_missing_audio_is_an_error_and_leaves_nothing(small_archive: Path, tmp_path: Path) -> None:
    shutil.copytree(small_archive, tmp_path / "archive")
    shutil.rmtree(tmp_path / "archive/media")
    with (
        Archive(tmp_path / "archive") as archive,
        pytest.raises(ArchiveFailed, match="audio file is missing"),
    ):
        export(archive, tmp_path / "out", form="calls")
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


def test_names_of_files_are_safe_and_unique() -> None:
    ids = [
        "a/b",
        "a-b",
        "A-b",
        "a b",
        "../a-b",
        "",
        "CON",
        "con",
        "-",
        "x" * 300,
        "x" * 301,
        "\u00fc",
        "\u00fb",
        "a.b",
        "results",
        "com1",
        "notice-1",
    ]
    names = [safe_name(one) for one in ids]
    assert len({name.lower() for name in names}) == len(ids)
    assert all(name.isascii() and not set(name) & set('/\\:*?"<>|. ') and len(name) < 100 for name in names)
    assert safe_name("a-b_1") == "a-b_1"
    assert all(safe_name(word).startswith("call-") for word in ("con", "com1", "results", "notice-1", "README.2"))


def test_a_dump_is_a_native_file() -> None:
    text = dump(Call(id="x", turns=[]))
    assert sniff(Path("x.json"), text)
    assert msgspec.json.decode(text, type=Call) == Call(id="x", turns=[])
    assert "audio" not in msgspec.json.decode(text)
