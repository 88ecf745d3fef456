"""Labels are added and never changed; scores follow them, with a row for each."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench.analysis.timing_held import HeldMoments
from workbench.archive import labelling
from workbench.archive.archive import Archive
from workbench.errors import UsageError
from workbench.schema.call import Audio, Call, Label
from workbench.timing.score_config import ScoreConfig

RATE = 8000


def sound(path: Path, *, caller: tuple[float, float], agent: tuple[float, float], seconds: float = 6.0) -> Path:
    """A caller and an agent who each speak once: noise of one level over silence."""
    rng = np.random.default_rng(1)
    samples = np.zeros((round(seconds * RATE), 2))
    for channel, (start, end) in enumerate((caller, agent)):
        part = slice(round(start * RATE), round(end * RATE))
        samples[part, channel] = rng.normal(0, 2000, len(samples[part]))
    soundfile.write(path, samples.astype(np.int16), RATE, subtype="PCM_16")
    return path


def made(call_id: str, **more: Any) -> Call:
    source = {"source_format": "made", "source_uri": f"made/{call_id}.json", "source_sha256": f"{len(call_id):064x}"}
    return Call(id=call_id, origin="synthetic", **source, **more)


def audio(path: Path) -> list[Audio]:
    return [Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """One call: the caller speaks 2.0 to 4.0 s, the agent 0.5 to 2.5 s; another without sound."""
    found = Archive.create(tmp_path / "archive")
    path = sound(tmp_path / "one.wav", caller=(2.0, 4.0), agent=(0.5, 2.5))
    found.add([made("one", audio=audio(path)), made("mute", turns=[])])
    found.measure()
    return found


def test_a_label_is_scored_by_hand(archive: Archive) -> None:
    """The agent is loud up to window 249 (2.49 to 2.51 s), so it is quiet from frame 250; both are loud from 2.0 s."""
    archive.label("one", onset_s=2.0, expect="yield", author="A", max_talk_over_s=0.4)
    (event,) = archive.score().events
    assert (event["did_yield"], event["time_to_yield_s"], event["talk_over_s"]) == (True, 0.5, 0.5)
    assert (event["status"], event["reason"], event["decision_margin_s"]) == ("FAIL", "talked_over", -0.1)
    assert (event["turn_end_s"], event["response_censored"], event["response_observed_s"]) == (4.0, True, 2.0)
    kept = archive.sql("select * exclude (run_id) from scored_events")
    assert kept.height == 1
    assert kept["label_id"].item() == archive.sql("from standing_labels")["label_id"].item()


def test_a_label_is_added_once_and_taken_back_without_a_trace_lost(archive: Archive) -> None:
    def say() -> str:
        return labelling.expectation(archive.layout, "one", onset_s=2.0, expect="yield", author="A")

    first = say()
    assert say() == first
    labelling.retract(archive.layout, "one", first, author="B")
    archive.refresh()
    assert archive.sql("from standing_labels").is_empty()
    assert archive.sql("select kind, author from labels order by kind").rows() == [
        ("expectation", "A"),
        ("retraction", "B"),
    ]
    assert archive.score().events == []
    second = say()
    assert second != first
    archive.refresh()
    assert archive.sql("select label_id from standing_labels").rows() == [(second,)]
    with pytest.raises(UsageError, match="no label"):
        labelling.retract(archive.layout, "one", first, author="B")


def test_several_people_label_at_once(archive: Archive) -> None:
    def say(author: str) -> None:
        labelling.expectation(archive.layout, "one", onset_s=2.0, expect="yield", author=author)

    people = [threading.Thread(target=say, args=(name,)) for name in "ABCDEF"]
    for person in people:
        person.start()
    for person in people:
        person.join()
    archive.refresh()
    assert sorted(archive.sql("from standing_labels")["author"]) == list("ABCDEF")
    assert len(archive.score().events) == 6


def test_what_cannot_be_scored_keeps_its_row_and_says_why(archive: Archive, tmp_path: Path) -> None:
    late = Label(kind="expectation", onset_s=99.0, expect="yield")
    unsaid = Label(kind="expectation", onset_s=2.0)
    quiet = Label(kind="expectation", onset_s=5.0, expect="yield")
    heard = Label(kind="expectation", expect="hold")
    silent = sound(tmp_path / "silent.wav", caller=(2.0, 4.0), agent=(0.0, 0.0))
    path = sound(tmp_path / "two.wav", caller=(2.1, 4.0), agent=(0.5, 2.5))
    archive.add(
        [
            made(
                "two",
                audio=audio(path),
                labels=[late, unsaid, quiet, heard],
            ),
            made("silent", audio=audio(silent), labels=[heard, late]),
        ]
    )
    labelling.expectation(archive.layout, "mute", onset_s=1.0, expect="yield", author="A")
    archive.measure()
    rows = archive.sql("select call_id, status, reason, onset_s, onset_source from scored_events")
    assert sorted(rows.rows(), key=repr) == sorted(
        [
            ("mute", "INCONCLUSIVE", "no_audio", None, None),
            ("silent", "NOT_SCORABLE", "silent_agent", None, None),
            ("silent", "NOT_SCORABLE", "outside_the_recording", None, None),
            ("two", "NOT_SCORABLE", "outside_the_recording", None, None),
            ("two", "INCONCLUSIVE", "no_expectation", 2.0, "label"),
            ("two", "NOT_SCORABLE", "agent_silent_at_onset", 5.0, "label"),
            ("two", "FAIL", "false_yield", 2.09, "detected"),
        ],
        key=repr,
    )


def test_a_measured_call_without_both_parties_says_what_it_lacks(tmp_path: Path) -> None:
    """Roles that nobody gave, one mixed channel, one party alone, the same sound twice, an offset on both channels."""
    both = sound(tmp_path / "both.wav", caller=(2.0, 4.0), agent=(0.5, 2.5))
    samples, rate = soundfile.read(both, dtype="int16")
    written = {
        "mono": (samples.sum(1, dtype=np.int16), ["mixed"]),
        "unsaid": (samples, ["unknown", "unknown"]),
        "caller": (samples[:, 0], ["caller"]),
        "agent": (samples[:, 1], ["agent"]),
        "twice": (samples[:, [0, 0]], ["unknown", "unknown"]),
        "offset": (samples + np.int16(2000), ["unknown", "unknown"]),
    }
    label = Label(kind="expectation", onset_s=2.0, expect="yield")
    archive = Archive.create(tmp_path / "archive")
    for name, (part, roles) in written.items():
        soundfile.write(tmp_path / f"{name}.wav", part, rate, subtype="PCM_16")
        heard = Audio(path=str(tmp_path / f"{name}.wav"), channels=roles)
        archive.add([made(name, audio=[heard], labels=[label])])
    archive.measure()
    events = {event["call_id"]: event for event in archive.score().events}
    assert {name: event["reason"] for name, event in events.items()} == {
        "mono": "mono",
        "unsaid": "channel_map_unknown",
        "caller": "no_agent_channel",
        "agent": "no_caller_channel",
        "twice": "identical_channels",
        "offset": "dc_offset",
    }
    assert {event["status"] for event in events.values()} == {"NOT_SCORABLE"}
    recordings = dict(archive.sql("select call_id, recording_id from recordings").rows())
    assert {name: event["recording_id"] for name, event in events.items()} == recordings
    held = HeldMoments(archive).events(ScoreConfig())
    stored = archive.sql("from timing_events order by call_id, label_id")
    assert held["reason"].to_list() == stored["reason"].to_list()


def test_the_best_recording_of_a_call_says_what_it_lacks(tmp_path: Path) -> None:
    both = sound(tmp_path / "both.wav", caller=(2.0, 4.0), agent=(0.5, 2.5))
    samples, rate = soundfile.read(both, dtype="int16")
    heard = []
    for name, part, role in (("mix", samples.sum(1, dtype=np.int16), "mixed"), ("one", samples[:, 0], "caller")):
        soundfile.write(tmp_path / f"{name}.wav", part, rate, subtype="PCM_16")
        heard.append(Audio(path=str(tmp_path / f"{name}.wav"), channels=[role], channel_map_source="declared"))
    archive = Archive.create(tmp_path / "archive")
    archive.add([made("a", audio=heard, labels=[Label(kind="expectation", onset_s=2.0, expect="yield")])])
    archive.measure()
    (event,) = archive.score().events
    assert (event["status"], event["reason"]) == ("NOT_SCORABLE", "no_agent_channel")


def test_roles_that_nobody_gave_are_given_by_importing_anew_and_the_label_stays(tmp_path: Path) -> None:
    path = sound(tmp_path / "one.wav", caller=(2.0, 4.0), agent=(0.5, 2.5))
    archive = Archive.create(tmp_path / "archive")
    archive.add([made("one", audio=[Audio(path=str(path), channels=["unknown", "unknown"])])])
    archive.measure()
    archive.label("one", onset_s=2.0, expect="yield", author="A")
    (event,) = archive.score().events
    assert event["reason"] == "channel_map_unknown"
    (step,) = archive.sql("select next_step from input_health")["next_step"]
    assert "workbench import FILE --replace --channels caller,agent" in step
    with pytest.raises(UsageError, match="not caller,agent") as caught:
        labelling.channel_map(archive.layout, "one", ("caller", "agent"), author="A")
    assert "--replace --channels caller,agent" in (caught.value.hint or "")
    archive.add([made("one", audio=audio(path))], replace=True)
    archive.measure()
    (event,) = archive.score().events
    assert (event["status"], event["time_to_yield_s"]) == ("PASS", 0.5)


def test_events_of_another_config_stand_beside(archive: Archive) -> None:
    labelling.expectation(archive.layout, "one", onset_s=2.0, expect="yield", author="A")
    archive.score()
    archive.score(config=ScoreConfig(max_talk_over_s=0.1))
    archive.score(config=ScoreConfig(max_talk_over_s=0.1))
    assert archive.sql("select status from scored_events order by status").rows() == [("FAIL",), ("PASS",)]


def test_a_pair_of_files_is_scored_as_one_call(tmp_path: Path) -> None:
    both = sound(tmp_path / "both.wav", caller=(2.0, 4.0), agent=(0.5, 2.5))
    samples, rate = soundfile.read(both, dtype="int16")
    sides = []
    for ix, role in enumerate(("caller", "agent")):
        soundfile.write(tmp_path / f"{role}.wav", samples[:, ix], rate, subtype="PCM_16")
        sides.append(Audio(path=str(tmp_path / f"{role}.wav"), channels=[role], channel_map_source="declared"))
    label = Label(kind="expectation", onset_s=2.0, expect="yield")
    archive = Archive.create(tmp_path / "archive")
    archive.add(
        [
            made("pair", audio=sides, labels=[label]),
            made("file", audio=audio(both), labels=[label]),
        ]
    )
    archive.measure()
    rows = archive.sql("select did_yield, time_to_yield_s, talk_over_s, turn_end_s, status from scored_events").rows()
    assert rows == [(True, 0.5, 0.5, 4.0, "PASS")] * 2


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("nobody", {"onset_s": 1.0, "expect": "yield"}),
        ("one", {"onset_s": 6.0, "expect": "yield"}),
        ("one", {"onset_s": -1.0, "expect": "yield"}),
        ("one", {"onset_s": float("nan"), "expect": "yield"}),
        ("one", {"onset_s": 1.0, "expect": "stop"}),
        ("one", {"onset_s": 1.0, "expect": "yield", "max_talk_over_s": -1.0}),
        ("one", {"onset_s": 1.0, "expect": "yield", "max_time_to_yield_s": 1e308}),
        ("one", {"onset_s": 1.0, "expect": "yield", "author": " "}),
    ],
)
def test_a_label_that_cannot_be_adds_nothing(archive: Archive, call: str, given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        labelling.expectation(archive.layout, call, **{"author": "A", **given})  # type: ignore[arg-type]
    archive.refresh()
    assert archive.sql("from labels").is_empty()


def test_a_channel_map_is_confirmed_as_it_is_or_refused(archive: Archive) -> None:
    labelling.channel_map(archive.layout, "one", ("caller", "agent"), author="A")
    with pytest.raises(UsageError, match="not agent,caller") as caught:
        labelling.channel_map(archive.layout, "one", ("agent", "caller"), author="A")
    assert "--replace" in (caught.value.hint or "")
    archive.refresh()
    assert archive.sql("select kind from labels").rows() == [("channel_map",)]


def test_a_deleted_call_takes_its_labels_and_scores_along(archive: Archive) -> None:
    from workbench.archive.retention import delete

    labelling.expectation(archive.layout, "one", onset_s=2.0, expect="yield", author="A")
    archive.score()
    delete(archive.layout, "one")
    archive.refresh()
    assert archive.sql("from scored_events").is_empty()
    assert archive.sql("from labels").is_empty()
    assert archive.sql("from moments").is_empty()


def test_what_was_not_heard_to_its_end_decides_nothing(tmp_path: Path) -> None:
    """The agent talks to the end of 6 s; 0.5 s before it, a search of 3 s is cut short."""
    path = sound(tmp_path / "cut.wav", caller=(5.5, 6.0), agent=(0.5, 6.0))
    said = [
        Label(kind="expectation", onset_s=5.5, expect="yield"),
        Label(kind="expectation", onset_s=5.5, expect="hold"),
        Label(kind="expectation", onset_s=5.5, expect="yield", value={"max_time_to_yield_s": 0.3}),
        Label(kind="expectation", onset_s=5.5, expect="yield", value={"max_time_to_yield_s": 1e308}),
        Label(kind="expectation", onset_s=0.1, expect="hold"),
    ]
    archive = Archive.create(tmp_path / "archive")  # a call for each label: of one call they would contradict
    archive.add([made(f"cut{ix}", audio=audio(path), labels=[label]) for ix, label in enumerate(said)])
    archive.measure()
    events = sorted(archive.score().events, key=lambda event: str(event["call_id"]))
    assert [(event["status"], event["reason"]) for event in events] == [
        ("INCONCLUSIVE", "recording_ended"),
        ("INCONCLUSIVE", "recording_ended"),
        ("FAIL", "did_not_yield"),
        ("INCONCLUSIVE", "recording_ended"),
        ("NOT_SCORABLE", "agent_silent_at_onset"),
    ]


def test_a_bound_that_is_no_number_is_told_with_its_label(archive: Archive) -> None:
    """An import refuses it; whoever adds calls in Python is told of the label, and not of a text that is no number."""
    said = Label(kind="expectation", onset_s=2.0, expect="yield", value={"max_talk_over_s": "soon"})
    archive.add([made("odd", turns=[], labels=[said])])
    with pytest.raises(UsageError, match=r"the label 0-[0-9a-f]+ is 'soon' and no number") as refused:
        archive.score()
    assert "--undo" in str(refused.value.hint)


def test_labels_of_one_moment_that_contradict_give_no_verdict(archive: Archive) -> None:
    """Two people hear one moment otherwise, one of them twice; once one view is left it is judged."""

    def verdicts() -> list[tuple[object, ...]]:
        names = ("expect", "status", "reason")
        return sorted(tuple(str(event[name]) for name in names) for event in archive.score().events)

    def label(at_s: float, expect: str, author: str, **more: float) -> str:
        return labelling.expectation(archive.layout, "one", onset_s=at_s, expect=expect, author=author, **more)

    label(2.0, "yield", "A")
    (alone,) = verdicts()
    assert alone[1] in ("PASS", "FAIL")
    label(2.2, "yield", "A", max_talk_over_s=3.0)
    assert [row[1] for row in verdicts()].count("INCONCLUSIVE") == 0
    other = label(2.1, "hold", "B")
    assert {row[1:] for row in verdicts()} == {("INCONCLUSIVE", "labels_disagree")}
    assert [moment.disagree for moment in archive.score().shared] == [True]
    measured = [event["did_yield"] for event in archive.score().events]
    assert None not in measured  # what was measured stays
    labelling.retract(archive.layout, "one", other, author="B")
    assert alone in verdicts()
    assert [(len(moment.label_ids), moment.disagree) for moment in archive.score().shared] == [(2, False)]
