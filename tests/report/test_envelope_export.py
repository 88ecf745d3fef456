"""Scored moments as hotato envelopes: valid by hotato's own schema, and the same again after an import."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hotato
import jsonschema
import pytest

from workbench.archive.archive import Archive
from workbench.errors import UsageError
from workbench.ingest import read
from workbench.report.export import export
from workbench.timing.score_config import ScoreConfig

ROOT = Path(__file__).parents[2]
CLIPS = ROOT / "data" / "calls" / "vapi-defaults"
IMPORTED = ROOT / "tests" / "data" / "ingest" / "hotato_envelope" / "battery-result.json"
SCHEMA = json.loads((Path(hotato.__file__).parent / "schema" / "envelope.v1.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Nine labelled clips, scored by two configs, the second with a gate that no recording passes."""
    with Archive.create(tmp_path_factory.mktemp("envelopes") / "archive") as made:
        made.add(read([CLIPS]))
        made.measure(workers=1)
        made.score()
        made.score(config=ScoreConfig(snr_gate_db=200.0))
        made.refresh()
        yield made


def written(folder: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.iterdir()}


def test_each_scoring_config_is_an_envelope_that_hotato_takes(archive: Archive, tmp_path: Path) -> None:
    done = export(archive, tmp_path / "out", form="envelope")
    found = written(tmp_path / "out")
    assert done.rows == dict.fromkeys(found, 9)
    for envelope in found.values():
        jsonschema.validate(envelope, SCHEMA)
        assert envelope["limits"]["accuracy_claim"] is None
    judged = found[f"envelope-{ScoreConfig().config_id}.json"]
    counts = {row["status"]: row["n"] for row in archive.sql(COUNTS, {"config": ScoreConfig().config_id}).to_dicts()}
    assert (judged["summary"]["passed"], judged["summary"]["failed"]) == (counts["PASS"], counts["FAIL"])
    assert (judged["exit_code"], "not_scorable" in judged["summary"]) == (1, False)
    gated = found[f"envelope-{ScoreConfig(snr_gate_db=200.0).config_id}.json"]
    low = [event for event in gated["events"] if event.get("not_scorable_reason", "").startswith("low_snr: ")]
    assert low
    assert gated["summary"]["not_scorable"] == sum(event.get("scorable") is False for event in gated["events"])
    assert gated["summary"]["events"] == 9


COUNTS = "select status, count(*) as n from scored_events where config_id = $config group by all"


def test_an_envelope_of_ours_comes_back_with_the_same_labels_and_events(archive: Archive, tmp_path: Path) -> None:
    export(archive, tmp_path / "out", form="envelope")
    ours = written(tmp_path / "out")
    with Archive.create(tmp_path / "again") as again:
        again.add(read([tmp_path / "out"]))
        labels = again.sql("select call_id, onset_s, expect from labels order by call_id")
        export(again, tmp_path / "twice", form="envelope")
    assert len(labels) == 18
    mine = archive.sql("select onset_s, expect from standing_labels where kind = 'expectation'")
    for column in ("onset_s", "expect"):
        assert sorted(labels[column]) == pytest.approx(sorted([*mine[column], *mine[column]]), abs=0.006)
    twice = written(tmp_path / "twice")
    assert sorted(twice) == ["imported-1.json", "imported-2.json"]
    events = [sorted(one["events"], key=lambda event: event["event_id"]) for one in twice.values()]
    assert all(sorted(one["events"], key=lambda event: event["event_id"]) in events for one in ours.values())


def test_an_imported_envelope_gives_its_events_word_for_word(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([IMPORTED]))
        export(archive, tmp_path / "out", form="envelope")
        with pytest.raises(UsageError, match="written whole"):
            export(archive, tmp_path / "other", form="envelope", tables=["calls"])
    (found,) = written(tmp_path / "out").values()
    original = json.loads(IMPORTED.read_text(encoding="utf-8"))
    assert found["events"] == original["events"]  # the fixture is cut, so hotato's schema has something against it
    assert found["stack"] == original["stack"]


def test_without_a_scored_moment_there_is_none(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive") as archive, pytest.raises(UsageError, match="no moment was scored"):
        export(archive, tmp_path / "out", form="envelope")
    assert not (tmp_path / "out").exists()
