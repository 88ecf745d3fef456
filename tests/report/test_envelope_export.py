"""Scored moments as hotato envelopes: valid by hotato's own schema, and the same again after an import."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hotato
import jsonschema
import pytest

from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError
from workbench.ingest import read
from workbench.report.export import export
from workbench.schema.call import Call, Label
from workbench.timing.next_steps import meaning
from workbench.timing.score_config import ScoreConfig

At = Callable[..., tuple[int, str, str]]
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
    assert not any(event["measurements"]["boundary_sensitive"] for event in gated["events"])
    assert {event["measurements"]["decision_margin_sec"] for event in gated["events"]} == {None}


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


def hollow(place: Path) -> Archive:
    """The clips and a call whose label has no sound behind it: scored, with nothing measured."""
    made = Archive.create(place)
    made.add(read([CLIPS]))
    label = Label(kind="expectation", onset_s=2.0, expect="hold")
    unsaid = Label(kind="expectation", onset_s=4.0, expect=None)
    source = {"source_format": "made", "source_uri": "made/x", "origin": "synthetic", "source_sha256": "0" * 64}
    made.add([Call(id="unheard", turns=[], labels=[label, unsaid], **source)])
    return made


def test_a_moment_whose_talk_over_was_not_measured_is_left_out_and_told(tmp_path: Path, at: At) -> None:
    """hotato's schema wants a number there: 0 would say that nobody talked over anybody."""
    with hollow(tmp_path / "archive") as archive:
        archive.measure(workers=1)
        archive.score()
        archive.refresh()
        done = export(archive, tmp_path / "out", form="envelope")
    (envelope,) = written(tmp_path / "out").values()
    jsonschema.validate(envelope, SCHEMA)
    assert len(envelope["events"]) == envelope["summary"]["events"] == 9
    assert not [event for event in envelope["events"] if event["event_id"].startswith("unheard")]
    why = "nothing was measured, no_audio: the call has no recording that was measured: import its audio and run "
    why += "`workbench measure`"
    left_out = {why: 1, "labels that say neither yield nor hold": 1}
    assert envelope["summary"]["left_out"] == {"events": 2, "reasons": left_out}
    assert done.left_out == left_out
    code, out, _ = at("export", tmp_path / "again", "--format", "envelope", "--archive", tmp_path / "archive")
    assert (code, f"left out: {why} (1 event)" in out, f"{envelope_rows(out)}") == (0, True, "9")
    with Archive.create(tmp_path / "back") as back:
        back.add(read([tmp_path / "out"]))
        export(back, tmp_path / "twice", form="envelope")
    (twice,) = written(tmp_path / "twice").values()
    assert sorted(twice["events"], key=str) == sorted(envelope["events"], key=str)


def envelope_rows(out: str) -> str:
    return next(line.split()[-1] for line in out.splitlines() if line.startswith("envelope-"))


def test_where_no_moment_was_measured_there_is_no_envelope(tmp_path: Path, at: At) -> None:
    with hollow(tmp_path / "archive") as archive:
        archive.score()
    code, out, err = at("export", tmp_path / "out", "--format", "envelope", "--archive", tmp_path / "archive")
    assert (code, out, (tmp_path / "out").exists()) == (2, "", False)
    assert "no scored moment was measured: nothing was measured, no_audio: " in err
    assert "(10); labels that say neither yield nor hold (1)\nHint: workbench measure" in err


def test_a_hop_is_that_of_the_measuring_config(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([CLIPS]))
        archive.measure(workers=1, config=MeasureConfig(frame_ms=25.0, hop_ms=5.0))
        archive.score()
        archive.refresh()
        export(archive, tmp_path / "out", form="envelope")
    (envelope,) = written(tmp_path / "out").values()
    measured = [event["measurements"] for event in envelope["events"]]
    assert {one["hop_sec"] for one in measured} == {0.005}
    bound = [one for one in measured if one["decision_margin_sec"] is not None]
    assert bound
    assert all(one["decision_margin_hops"] == round(one["decision_margin_sec"] / 0.005) for one in bound)
    assert "25 ms windows every 5 ms" in envelope["limits"]["method"]


def test_each_of_two_reasons_is_told_in_the_notes() -> None:
    assert meaning("slow_to_yield, talked_over") == (
        "the agent yielded later than the bound; both spoke longer than the bound"
    )


def test_without_a_scored_moment_there_is_none(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive") as archive, pytest.raises(UsageError, match="no moment was scored"):
        export(archive, tmp_path / "out", form="envelope")
    assert not (tmp_path / "out").exists()
