"""What a check's recordings are to a baseline's, also when those are gone from the archive."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.archive import baseline_sounds
from workbench.archive.archive import Archive
from workbench.archive.baselines import Checked, check_baseline, set_baseline
from workbench.archive.labelling import retract
from workbench.archive.retention import delete
from workbench.errors import UsageError
from workbench.schema.call import Audio, Call, Label, Scenario

RATE = 8000


def call(folder: Path, name: str, samples: np.ndarray, *, version: str, scenario: str) -> Call:
    path = folder / f"{name}.wav"
    soundfile.write(path, np.rint(samples).astype(np.int16), RATE, subtype="PCM_16")
    return Call(
        id=name,
        source_format="made",
        source_uri=f"{name}.json",
        origin="synthetic",
        source_sha256=name.encode().hex().zfill(64),
        agent_version=version,
        scenario=Scenario(scenario_id=scenario, required_facts=[], forbidden_facts=[]),
        audio=[Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")],
        labels=[Label(kind="expectation", onset_s=2.0, expect="yield", value={})],
    )


def speech(seed: int) -> np.ndarray:
    """The agent speaks from 0.5 to 2.5 s, the caller from 2.0 to 4.0 s, each seed otherwise."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 3, (8 * RATE, 2))
    for channel, start, end in ((1, 0.5, 2.5), (0, 2.0, 4.0)):
        part = slice(round(start * RATE), round(end * RATE))
        loud = np.repeat(10 ** rng.uniform(2.6, 3.6, 200), 400)[: part.stop - part.start]
        samples[part, channel] = rng.normal(0, 1, part.stop - part.start) * loud
    return samples


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Version 1 twice; 2 has a copy of the first at half the level and one other take; 3 has the first's samples."""
    made = Archive.create(tmp_path / "archive")
    one, two = speech(1), speech(2)
    takes = {"1-a": one, "1-b": two, "2-a": one * 0.5, "2-b": speech(3), "3-a": one}
    made.add([call(tmp_path, name, take, version=name[0], scenario=name[2]) for name, take in takes.items()])
    made.measure(workers=1)
    set_baseline(made.layout, "first", agent_version="1")
    return made


def checked(archive: Archive, version: str | None) -> Checked:
    return check_baseline(archive.layout, "first", tolerances={"talk_over_s": "+50%"}, agent_version=version)


def test_a_copy_among_takes_is_found(archive: Archive) -> None:
    found = checked(archive, "2")
    assert sorted(found.states) == ["different", "same_envelope"]
    assert found.withheld == "1 of 2 recordings copied from the baseline's"
    assert found.evidence_level == "re-verified same audio"


def test_the_baselines_own_recordings_are_measured_again_and_another_versions_same_samples_are_withheld(
    archive: Archive,
) -> None:
    found = checked(archive, "1")
    assert (found.states, found.withheld) == (["same_pcm", "same_pcm"], None)
    found = checked(archive, "3")
    assert (found.states, found.withheld) == (["same_pcm"], "1 of 1 recording copied from the baseline's")


def test_a_recording_that_is_gone_leaves_the_others_unknown(archive: Archive) -> None:
    """3-a still has the samples of 1-a, which tell its copies; nothing has those of 1-b."""
    delete(archive.layout, "1-a")
    assert sorted(checked(archive, "2").states) == ["different", "same_envelope"]
    delete(archive.layout, "1-b")
    assert sorted(checked(archive, "2").states) == ["same_envelope", "unknown"]
    delete(archive.layout, "2-a")
    found = checked(archive, "2")
    assert (found.states, found.evidence_level, found.withheld) == (["unknown"], "re-verified same audio", None)


def test_where_every_recording_of_the_baseline_is_gone_nothing_is_told_of_drift(archive: Archive) -> None:
    """3-a has the samples of 1-a, so the baseline's recording is there until that goes too."""
    for name in ("1-a", "1-b"):
        delete(archive.layout, name)
    assert checked(archive, "2").withheld is not None
    assert checked(archive, "3").withheld == "1 of 1 recording copied from the baseline's"
    delete(archive.layout, "3-a")
    found = checked(archive, "2")
    assert found.states == ["unknown", "unknown"]
    assert found.withheld == "the baseline's recordings (2) are in the archive no more"
    assert "could be measured again" in found.claim
    assert "was measured again" not in found.claim


def test_where_nothing_is_scored_with_the_baselines_config_the_check_says_so(archive: Archive) -> None:
    for name in ("1-a", "1-b", "2-a", "2-b", "3-a"):
        delete(archive.layout, name)
    with pytest.raises(UsageError, match="nothing could be measured: no moment is scored with the config") as error:
        checked(archive, "1")
    assert "--config" not in str(error.value)


def test_of_many_recordings_those_of_a_scenario_are_compared(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline_sounds, "MOST_PAIRS", 3)
    assert sorted(checked(archive, "2").states) == ["different", "same_envelope"]


def test_no_text_of_a_call_is_kept_with_a_baseline(archive: Archive) -> None:
    """Only digests: a deleted call leaves nothing readable in the run that set the baseline."""
    ((config,),) = archive.reader.rows("select config from runs where kind = 'baseline'", {})[1]
    assert all(len(mark) == 12 and int(mark, 16) >= 0 for mark in json.loads(config)["recordings"])
    assert "1-a" not in config


def test_the_figures_of_a_moment_that_left_are_no_drift_and_no_improvement(archive: Archive) -> None:
    """3-a holds the samples of 1-a; nothing holds those of 1-b, whose moment was one of two."""
    assert (checked(archive, "1").lost.moments, checked(archive, "1").withheld) == (0, None)
    delete(archive.layout, "1-b")
    found = checked(archive, "1")
    assert (found.states, found.kept, found.left, found.kept_moments) == (["same_pcm"], 2, 1, 2)
    said = "1 of the baseline's 2 moments, in 1 recording, gone or no longer judged: recording "
    assert found.withheld is not None
    assert found.withheld.startswith(said)
    assert found.withheld.endswith(" (in the archive no more)")
    assert checked(archive, "2").lost.moments == 2  # of another version none is measured again: nothing is lost by it
    assert not checked(archive, "2").again


def test_a_moment_whose_label_was_taken_back_is_named_by_its_call(archive: Archive) -> None:
    ((label_id,),) = archive.reader.rows("select label_id from labels where call_id = '1-b'", {})[1]
    retract(archive.layout, "1-b", label_id, author="A")
    archive.score_calls(["1-b"])
    found = checked(archive, "1")
    assert found.lost.named == ("1-b (no such moment of it is labelled among those checked)",)
    archive.label("1-b", onset_s=2.1, expect="yield", author="A")
    archive.score_calls(["1-b"])
    assert checked(archive, "1").withheld is None  # within 0.25 s: the same moment
