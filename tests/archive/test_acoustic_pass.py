"""The acoustic pass over an archive: what is new or changed, in one transaction, and gone with its call."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from workbench.archive import acoustics, side_by_side
from workbench.archive.acoustics import describe
from workbench.archive.archive import Archive
from workbench.archive.retention import delete
from workbench.archive.verifying import verify
from workbench.audio.acoustic_config import AcousticConfig
from workbench.cli import main
from workbench.errors import MissingExtra
from workbench.report.export import export
from workbench.schema.call import Audio, Call, Turn

RATE = 8000
CALLER_HZ, AGENT_HZ = 120.0, 220.0


def voice(hz: float, start_s: float, end_s: float, *, length_s: float) -> np.ndarray:
    """A tone with four harmonics of equal size in a stretch, and faint noise all along."""
    at = np.arange(round(length_s * RATE)) / RATE
    sound = sum(0.05 * np.sin(2 * math.pi * hz * n * at) for n in (1, 2, 3, 4))
    noise = np.random.default_rng(int(hz)).normal(0, 1e-4, len(at))
    return np.where((at >= start_s) & (at < end_s), sound, 0) + noise


def call(folder: Path, name: str, *, turns: list[Turn] | None) -> Call:
    path = folder / f"{name}.wav"
    gain = 1 + 0.001 * len(name)  # so that no two files are the same
    sides = [gain * voice(CALLER_HZ, 0.5, 2.5, length_s=6.0), gain * voice(AGENT_HZ, 3.0, 5.0, length_s=6.0)]
    sf.write(path, np.stack(sides, axis=1), RATE, subtype="PCM_16")
    return Call(
        id=name,
        source_format="made",
        source_uri=f"{name}.json",
        source_sha256=f"{len(name):064x}",
        origin="synthetic",
        turn_clock="reported" if turns else "none",
        turns=turns,
        audio=[Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")],
    )


TURNS = [
    Turn(role="caller", text="one two three four", start_s=0.5, end_s=2.5),
    Turn(role="agent", text="five six seven", start_s=3.0, end_s=5.0),
    Turn(role="caller", text="beyond the recording", start_s=7.0, end_s=8.0),
]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    made = Archive.create(tmp_path / "archive")
    made.add([call(tmp_path, "with-turns", turns=TURNS), call(tmp_path, "without", turns=None)])
    made.measure(workers=1)
    return made


def test_turns_and_runs_are_described_on_their_own_channel(archive: Archive) -> None:
    report = describe(archive.layout, workers=2)
    archive.refresh()
    assert (report.described, report.current, report.problems) == (5, 0, [])
    rows = archive.sql("from turn_acoustics order by call_id, start_s").to_dicts()
    assert [(row["call_id"], row["stretch"], row["role"]) for row in rows] == [
        ("with-turns", "turn", "caller"),
        ("with-turns", "turn", "agent"),
        ("with-turns", "turn", "caller"),
        ("without", "run", "caller"),
        ("without", "run", "agent"),
    ]
    first, second, beyond, run, _ = rows
    assert first["f0_median_hz"] == pytest.approx(CALLER_HZ, rel=0.01)
    assert second["f0_median_hz"] == pytest.approx(AGENT_HZ, rel=0.01)
    assert run["f0_median_hz"] == pytest.approx(CALLER_HZ, rel=0.01)
    assert first["centroid_hz"] == pytest.approx(2.5 * CALLER_HZ, rel=0.03)  # the mean of 1, 2, 3, 4
    assert (first["word_count"], first["words_per_second"]) == (4, 2.0)
    assert (second["word_count"], second["words_per_second"]) == (3, 1.5)
    assert (run["words_per_second"], run["words_reason"]) == (None, "no turns with times")
    assert (beyond["level_dbfs"], beyond["reason"]) == (None, "outside the recording")
    settings = archive.sql("select config from runs where run_id = $run", {"run": report.run_id}).item()
    assert AcousticConfig(**json.loads(settings)["acoustics"]).config_id == report.config_id == first["config_id"]


def test_progress_is_told_from_the_start_and_stretch_by_stretch(archive: Archive) -> None:
    """A bar that only moves with whole recordings stands still for minutes at the first one."""
    told: list[tuple[float, float]] = []
    report = describe(archive.layout, workers=1, on_progress=lambda done, total: told.append((done, total)))
    (total,) = {total for _, total in told}
    done = [done for done, _ in told]
    assert (done[0], done[-1], done == sorted(done)) == (0.0, pytest.approx(total), True)
    assert len(set(done)) > report.described - 1


def test_only_what_is_new_or_changed_is_described_again(archive: Archive, tmp_path: Path) -> None:
    describe(archive.layout)
    snapshot = Archive(archive.path).snapshot
    again = describe(archive.layout)
    assert (again.run_id, again.described, again.current) == (None, 0, 5)
    assert Archive(archive.path).snapshot == snapshot

    archive.add([call(tmp_path, "later", turns=None)])
    archive.measure(workers=1)
    later = describe(archive.layout)
    assert (later.described, later.current) == (2, 5)

    other = describe(archive.layout, config=AcousticConfig(loud_db=20.0))
    assert (other.described, other.current) == (7, 0)
    archive.refresh()
    assert archive.sql("select distinct config_id from turn_acoustics")["config_id"].to_list() == [other.config_id]


def test_a_file_that_is_gone_is_named_and_the_others_are_described(archive: Archive, tmp_path: Path) -> None:
    uri = archive.sql("select uri from recordings where call_id = 'without'").item()
    archive.layout.media_path(uri).unlink()
    report = describe(archive.layout)
    archive.refresh()
    assert report.described == 3
    [problem] = report.problems
    assert "the audio file is missing; call without" in problem
    assert archive.sql("select distinct call_id from turn_acoustics").item() == "with-turns"


def test_rows_go_with_their_call_and_leave_with_an_export(archive: Archive, tmp_path: Path) -> None:
    describe(archive.layout)
    archive.refresh()
    export(archive, tmp_path / "out", tables=["turn_acoustics", "acoustic_slices"])
    head, *lines = (tmp_path / "out" / "turn_acoustics.csv").read_text(encoding="utf-8").splitlines()
    assert "f0_median_hz" in head
    assert len(lines) == 5
    assert "fundamental frequency, median over voiced frames" in (tmp_path / "out" / "codebook.md").read_text()
    archive.close()
    removed = delete(archive.layout, "with-turns")
    assert removed.rows["turn_acoustics"] == 3
    with Archive(archive.path) as left:
        assert left.sql("select distinct call_id from turn_acoustics").item() == "without"
    assert verify(archive.layout).problems == []


def test_a_call_deleted_meanwhile_gets_no_row(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.close()

    def deleting(*args: Any, **options: Any) -> Any:
        results = side_by_side.side_by_side(*args, **options)
        delete(archive.layout, "with-turns")
        return results

    monkeypatch.setattr(acoustics, "side_by_side", deleting)
    report = describe(archive.layout)
    assert report.described == 2
    with Archive(archive.path) as left:
        assert left.sql("select distinct call_id from turn_acoustics").item() == "without"
    assert verify(archive.layout).problems == []


def test_a_turn_that_was_imported_anew_is_described_anew(archive: Archive, tmp_path: Path) -> None:
    describe(archive.layout)
    moved = [*TURNS[:1], Turn(role="agent", text="five six seven", start_s=3.5, end_s=4.5)]
    archive.add([call(tmp_path, "with-turns", turns=moved)], replace=True)
    archive.measure(workers=1)
    report = describe(archive.layout)
    archive.refresh()
    assert report.current == 2
    rows = archive.sql("select stretch_ix, start_s, words_per_second from turn_acoustics where stretch = 'turn'").rows()
    assert sorted(rows) == [(0, 0.5, 2.0), (1, 3.5, 3.0)]


def test_without_librosa_nothing_is_written(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "librosa", None)
    with pytest.raises(MissingExtra, match="audio"):
        describe(archive.layout)
    archive.refresh()
    assert archive.sql("select count(*) from turn_acoustics").item() == 0


def test_the_command_says_what_it_did(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*args: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["acoustics", "--archive", str(archive.path), *args])
        assert ended.value.code in (0, None)
        return capsys.readouterr().out

    assert json.loads(run("--json", "--workers", "1"))["described"] == 5
    assert run("-q") == ""
    assert "described 0 stretches of speech (0 s)" in run()
    assert "5 were current" in run()
