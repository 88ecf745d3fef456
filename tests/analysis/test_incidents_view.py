"""The view `incidents` and the command `autopsy` tell the same of the same recording."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.analysis.folder_health import critical_free
from workbench.analysis.incidents_of_file import Examined, examine, measured
from workbench.archive.archive import Archive
from workbench.schema.call import Audio, Call

SOURCE = Path(__file__).parents[2] / "data" / "calls"
CALLS = sorted(
    [*SOURCE.glob("harper-valley-bank/audio/*.flac"), *SOURCE.glob("*/audio/*.example.wav")], key=lambda p: p.name
)
COLUMNS = (
    "incident, severity, aside, onset_s, magnitude_s, yield_after_s, agent_quiet_s, without_faint_s, until_sound_s, "
    "agent_after_s, scanned_onset_s, scanned_s, kind"
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    calls = []
    for path in CALLS:
        shutil.copy(path, folder)
        audio = Audio(path=str(folder / path.name), channels=["caller", "agent"], channel_map_source="declared")
        source = {"source_format": "made", "source_uri": path.name, "source_sha256": f"{len(calls):064d}"}
        calls.append(Call(id=path.stem, audio=[audio], **source))
    with Archive.create(folder / "archive") as made:
        made.add(calls)
        made.measure(workers=1)
    return folder / "archive"


@pytest.fixture(scope="module")
def examined() -> dict[str, Examined]:
    return {path.stem: examine(path, channels=("caller", "agent")) for path in CALLS}


def test_incidents_are_the_same_and_in_the_same_order(archive: Path, examined: dict[str, Examined]) -> None:
    assert len(CALLS) >= 15
    total = 0
    with Archive(archive) as opened:
        for call_id, one in examined.items():
            query = f"select {COLUMNS} from incidents where call_id = $id order by rank"
            names, rows = opened.reader.rows(query, {"id": call_id})
            expected = [tuple(row[name] for name in names) for row in one.incidents]
            assert [(row[:3], row[-1]) for row in rows] == [(row[:3], row[-1]) for row in expected]
            for found, wanted in zip(rows, expected, strict=True):
                assert found[3:-1] == pytest.approx(wanted[3:-1], abs=1e-6)
            total += len(rows)
    assert total > 100


def test_the_share_is_the_same(archive: Path, examined: dict[str, Examined]) -> None:
    calls = [
        {"mode": one.mode, "recommendation": one.health["recommendation"], "incidents": one.incidents}
        for one in examined.values()
    ]
    share = critical_free(calls)
    with Archive(archive) as opened:
        names, (row,) = opened.reader.rows("from critical_free_calls", {})
    found = dict(zip(names, row, strict=True))
    assert (found["trial_count"], found["critical_free_call_count"]) == (
        share["call_count"],
        share["critical_free_count"],
    )
    for name in ("critical_free_call_rate", "critical_free_call_rate_low", "critical_free_call_rate_high"):
        assert found[name] == pytest.approx(share[name], abs=1e-9)
    assert share["recording_ended_count"] > 0
    for name in ("small_sample", "recording_ended_count", "caution_count", "caution_critical_free_count"):
        assert found[name] == share[name]


def test_bars_of_speech_are_the_same_on_the_page_of_a_file_and_in_reports(archive: Path) -> None:
    """The page of a file draws runs up to `voiced_end_s`, faint ones pale; reports draw the view `speech_bars`."""
    path = CALLS[0]
    _, measurement = measured(path, channels=("caller", "agent"))
    drawn = sorted((row["role"], row["start_s"], row["voiced_end_s"], row["faint"]) for row in measurement.segments)
    with Archive(archive) as opened:
        query = "select role, start_s, end_s, faint from speech_bars where call_id = $id order by all"
        _, rows = opened.reader.rows(query, {"id": path.stem})
    assert {faint for *_, faint in rows} == {False, True}
    assert [(role, faint) for role, *_, faint in rows] == [(role, faint) for role, *_, faint in drawn]
    for found, wanted in zip(rows, drawn, strict=True):
        assert found[1:3] == pytest.approx(wanted[1:3], abs=1e-6)
