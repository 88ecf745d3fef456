"""With another hop, frames lie elsewhere in time: what is drawn and compared has to follow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.robustness_archive import of_archive
from workbench.analysis.timing_held import HeldMoments
from workbench.archive import views
from workbench.archive.archive import Archive
from workbench.archive.comparing import Sounds as Compared
from workbench.archive.labelling import retract
from workbench.archive.measured_with import measured_with
from workbench.archive.scoring import Evidence
from workbench.audio.config import MeasureConfig
from workbench.report.export import export
from workbench.report.html import report
from workbench.report.moments import moments
from workbench.report.sound import Sounds
from workbench.schema.call import Audio, Call, Label, Turn
from workbench.timing.score_config import ScoreConfig

RATE, LENGTH_S = 8000, 3.0


def call(folder: Path, name: str, samples: np.ndarray) -> Call:
    path = folder / f"{name}.wav"
    soundfile.write(path, np.rint(samples).astype(np.int16), RATE, subtype="PCM_16")
    source = {"source_format": "made", "source_uri": f"{name}.json", "source_sha256": name.encode().hex().zfill(64)}
    audio = [Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")]
    return Call(id=name, origin="synthetic", audio=audio, **source)


def take(seed: int) -> np.ndarray:
    """Three seconds: the agent's loud end is the last half second, the caller speaks in the first two."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 3, (round(LENGTH_S * RATE), 2))
    for channel, start, end in ((0, 0.2, 2.0), (1, 0.4, 1.0), (1, 2.5, 3.0)):
        part = slice(round(start * RATE), round(end * RATE))
        loud = np.repeat(10 ** rng.uniform(2.6, 3.6, 200), 400)[: part.stop - part.start]
        samples[part, channel] = rng.normal(0, 1, part.stop - part.start) * loud
    return samples


@pytest.fixture(params=[MeasureConfig(hop_ms=5.0), MeasureConfig(frame_ms=25.0, hop_ms=25.0)], ids=["5 ms", "25 ms"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Archive]:
    """One call, a copy of it at half the level, and another take."""
    one = take(1)
    with Archive.create(tmp_path / "archive") as made:
        made.add([call(tmp_path, name, samples) for name, samples in (("a", one), ("b", one / 2), ("c", take(2)))])
        made.measure(workers=1, config=request.param)
        assert measured_with(made.reader) == request.param
        yield made


def test_without_a_measuring_run_it_is_the_published_method(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive") as made:
        assert measured_with(made.reader) == MeasureConfig()


def test_the_levels_of_a_call_end_where_its_sound_ends(archive: Archive) -> None:
    levels = archive.sql(views.query("call_levels"), {"call": "a", "buckets": 600})
    hop_s = measured_with(archive.reader).hop_s(RATE)
    for role in ("caller", "agent"):
        of_role = levels.filter(levels["role"] == role)
        assert of_role["end_s"].max() == pytest.approx(LENGTH_S, abs=0.021 + hop_s)
        assert (of_role["end_s"] - of_role["start_s"]).min() >= hop_s - 1e-9
    loud = levels.filter((levels["role"] == "agent") & (levels["level_dbfs"] > -40) & (levels["start_s"] > 1.2))
    assert loud["start_s"].min() == pytest.approx(2.5, abs=0.05)


def test_the_drawn_outline_of_a_report_lies_on_the_clock_of_the_call(archive: Archive) -> None:
    """The whole call is drawn, in a box 1,000 wide; it ends with the agent's words."""
    row = {
        "call_id": "a",
        "assertion_id": "x",
        "result_ix": 0,
        "rank": 1,
        "failure_code": "slow_response",
        "severity": None,
        "message": "",
        "turn_ix": None,
    }
    (drawn,) = moments(archive, [row | {"start_s": 1.0, "end_s": 2.0}], findings=[], sounds=Sounds(archive.layout))
    assert (drawn.start_s, drawn.end_s) == (0.0, LENGTH_S)
    outline = {lane.role: lane.path for lane in drawn.lanes}["agent"]
    assert max(int(point.split()[0]) for point in outline.strip("MZ").split("L")) == pytest.approx(1000, abs=10)


def test_reports_say_what_was_measured_with(archive: Archive) -> None:
    archive.label("a", onset_s=0.5, expect="yield", author="someone")
    measure = measured_with(archive.reader)
    for page in (report(name).build(archive, worst=1) for name in ("archive", "timing")):
        assert "20 ms windows every 10 ms" not in page
        assert f"{measure.frame_ms:g} ms windows every {measure.hop_ms:g} ms" in page


def test_a_copy_and_another_take_are_told_apart(archive: Archive) -> None:
    """Three seconds are enough to compare; counted at 10 ms a frame they would be 1.2 s, or 6."""
    sounds = Compared(archive.reader)
    assert [sounds.freshness("a", name).state for name in "bc"] == ["same_envelope", "different"]


def test_a_recording_that_could_not_be_measured_anew_is_scored_as_it_was_measured(tmp_path: Path) -> None:
    """The agent pauses for 0.5 s: a yield with a hangover of 0.15 s, and none with one of 0.4 s and 0.2 s of quiet."""
    rng = np.random.default_rng(3)
    samples = rng.normal(0, 3, (8 * RATE, 2))
    for channel, start, end in ((0, 2.0, 4.0), (1, 0.5, 2.5), (1, 3.0, 7.0)):
        part = slice(round(start * RATE), round(end * RATE))
        samples[part, channel] = rng.normal(0, 2000, part.stop - part.start)
    with Archive.create(tmp_path / "archive") as made:
        made.add([call(tmp_path, "kept", samples), call(tmp_path, "new", samples / 2)], storage="reference")
        made.measure(workers=1)
        for name in ("kept", "new"):
            made.label(name, onset_s=2.0, expect="yield", author="A")
        (tmp_path / "kept.wav").unlink()
        assert made.measure(workers=1, config=MeasureConfig(hop_ms=20.0, hangover_s=0.4)).measured == 1
        assert {name: config.hop_ms for name, config in Evidence.read(made.reader).otherwise.items()} == {"kept": 10.0}
        found = {event["call_id"]: event for event in made.score().events}
        assert [(found[name]["status"], found[name]["time_to_yield_s"]) for name in ("kept", "new")] == [
            ("PASS", 0.5),
            ("FAIL", None),
        ]
        held = HeldMoments(made)
        assert held.rulers(held.default)["moment_count"].to_list() == [1, 1]
        assert [row["status"] for row in held.rows(ScoreConfig())] == ["PASS", "FAIL"]
        tried = held.rows(ScoreConfig(), measure=MeasureConfig(hop_ms=20.0, hangover_s=0.3))
        assert tried[0]["time_to_yield_s"] == 0.5


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Archive]:
    """A call that could not be measured anew (hop 10 ms), and a copy of it at half the level that was (hop 20 ms)."""
    with Archive.create(tmp_path / "archive") as made:
        one = take(1)
        made.add([call(tmp_path, "kept", one), call(tmp_path, "new", one / 2)], storage="reference")
        made.measure(workers=1)
        for name in ("kept", "new"):
            made.label(name, onset_s=0.5, expect="yield", author="A")
        (tmp_path / "kept.wav").rename(tmp_path / "away.wav")
        assert made.measure(workers=1, config=MeasureConfig(hop_ms=20.0)).measured == 1
        made.score()
        (tmp_path / "away.wav").rename(tmp_path / "kept.wav")
        made.refresh()
        yield made


def test_a_labelled_call_that_was_never_heard_is_no_ruler(apart: Archive) -> None:
    """All that is judged was measured before the archive's last measuring."""
    (label_id,) = apart.sql("select label_id from standing_labels where call_id = 'new'")["label_id"]
    retract(apart.layout, "new", label_id, author="A")
    source = {"source_format": "made", "source_uri": "text.json", "source_sha256": "7" * 64}
    labels = [Label(kind="expectation", onset_s=1.0, expect="yield", author="A")]
    apart.add([Call(id="text", turns=[Turn(role="caller", text="Hello.")], labels=labels, **source)])
    held = HeldMoments(apart)
    assert held.call_ids == ["kept", "text"]
    assert held.rulers(held.default).rows() == [(MeasureConfig().config_id, 1)]


def test_a_copy_is_recognised_where_its_source_could_not_be_measured_anew(apart: Archive) -> None:
    assert Compared(apart.reader).freshness("kept", "new").state == "same_envelope"


def test_the_outline_of_a_call_that_could_not_be_measured_anew_lies_on_its_own_clock(apart: Archive) -> None:
    """Three seconds are drawn; the agent speaks from 0.4 to 1.0 s and from 2.5 s on."""
    for name in ("kept", "new"):
        row = {"call_id": name, "assertion_id": "x", "result_ix": 0, "rank": 1, "failure_code": "slow_response"}
        row |= {"severity": None, "message": "", "turn_ix": None, "start_s": 1.0, "end_s": 2.0}
        (drawn,) = moments(apart, [row], findings=[], sounds=Sounds(apart.layout))
        outline = {lane.role: lane.path for lane in drawn.lanes}["agent"]
        points = [tuple(map(int, point.split())) for point in outline.strip("MZ").split("L")]
        loud = [x for x, y in points if y < 45]  # 50 is silence; the box is 1,000 wide
        assert (min(loud), max(loud)) == (pytest.approx(133, abs=15), pytest.approx(1000, abs=15))
        assert not [x for x in loud if 350 < x < 810]


def test_an_envelope_says_of_each_event_the_hop_that_it_was_measured_with(apart: Archive, tmp_path: Path) -> None:
    export(apart, tmp_path / "out", form="envelope")
    (path,) = (tmp_path / "out").iterdir()
    envelope = json.loads(path.read_text(encoding="utf-8"))
    hops = {event["event_id"].split()[0]: event["measurements"]["hop_sec"] for event in envelope["events"]}
    assert hops == {"kept": 0.01, "new": 0.02}
    windows = "20 ms windows every 10 ms or 20 ms windows every 20 ms"
    assert envelope["limits"]["method"].endswith(windows)


def test_robustness_starts_from_what_each_call_was_measured_with(apart: Archive) -> None:
    stored = {row["call_id"]: row for row in apart.sql("from scored_events").to_dicts()}
    curves, _ = of_archive(apart, only=["gain"])
    assert {curve.call_id for curve in curves} == {"kept", "new"}
    for curve in curves:
        assert curve.original.response_gap_s == stored[curve.call_id]["response_gap_s"]
