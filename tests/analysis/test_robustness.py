"""A verdict under sound that gets worse: levels that can be checked by ear or by arithmetic."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench.analysis.robustness import Curve, robustness
from workbench.analysis.robustness_archive import of_archive
from workbench.archive.archive import Archive
from workbench.assets import folder
from workbench.audio.config import MeasureConfig
from workbench.audio.perturb import Sound, perturbations, write_wav
from workbench.audio.read import pcm_sha256
from workbench.cli import main
from workbench.errors import NotScorable, UsageError
from workbench.ingest import read
from workbench.plural import plural
from workbench.schema.call import Call, Turn
from workbench.timing.score_config import ScoreConfig

CLIP = folder("data") / "calls" / "vapi-defaults" / "audio" / "vapi-default-01-hard-interruption.example.wav"
LABEL = {"call_id": "c", "label_id": "l", "onset_s": 2.0, "expect": "yield", "value": None}


def one(path: Path, name: str, label: dict[str, Any] | None = None, **more: Any) -> Curve:
    (curve,) = robustness(path, [label or LABEL], only=[name], **more)
    return curve


@pytest.fixture(scope="module")
def bursts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Agent from 0.5 to 2.5 s, caller from 2.0 to 3.0 s, each at -20 dBFS over a floor of about -84 dBFS."""
    rng = np.random.default_rng(3)
    wave = rng.normal(0.0, 2.0, (5 * 8000, 2))
    wave[4000:20_000, 1] = rng.normal(0.0, 3277.0, 16_000)
    wave[16_000:24_000, 0] = rng.normal(0.0, 3277.0, 8000)
    path = tmp_path_factory.mktemp("bursts") / "bursts.wav"
    write_wav(path, Sound(samples=np.rint(wave).astype(np.int16), sample_rate_hz=8000))
    return path


def test_gain_silences_a_channel_where_arithmetic_says(bursts: Path) -> None:
    """Speech at -20 dBFS sinks below the gate of -60 dBFS at a gain of -40 dB; the loudest frames lie 1 dB higher."""
    curve = one(bursts, "gain")
    assert (curve.original.status, curve.original.did_yield) == ("PASS", True)
    assert curve.original.time_to_yield_s == pytest.approx(0.5, abs=0.02)
    assert curve.withheld_at in (-39.0, -42.0)
    assert (curve.wrong_at, curve.yield_changes_at) == (None, None)
    assert {step.reason for step in curve.steps if step.level <= -48} == {"both_silent"}


def test_noise_hides_the_stop_below_the_margin_of_the_method(bursts: Path) -> None:
    """The threshold is never closer than 22 dB to the loudest frame: noise above that is heard as speech."""
    curve = one(bursts, "noise")
    assert curve.yield_changes_at is not None
    assert 19 <= curve.yield_changes_at <= 23  # single frames differ by about 1 dB, of speech and of noise
    assert curve.wrong_at == curve.yield_changes_at
    gated = one(bursts, "noise", scoring=ScoreConfig(snr_gate_db=25.0))
    assert gated.wrong_at is None
    assert gated.withheld_at is not None
    assert gated.withheld_at > curve.wrong_at


def test_leakage_is_seen_before_it_is_believed(bursts: Path) -> None:
    curve = one(bursts, "leak_to_caller")
    assert curve.withheld_at is not None
    assert -46 <= curve.withheld_at <= -20
    assert curve.wrong_at is None


def test_a_verdict_that_holds_is_said_to_hold_up_to_the_last_level() -> None:
    curve = one(CLIP, "telephone")
    assert (curve.withheld_at, curve.wrong_at, curve.yield_changes_at, curve.hardest) == (None, None, None, 3.0)
    assert [step.status for step in curve.steps] == ["PASS"] * 3


def test_every_curve_tells_where_it_comes_from(bursts: Path) -> None:
    curves = robustness(bursts, [LABEL], seed=7)
    assert [curve.perturbation for curve in curves] == [kind.name for kind in perturbations()]
    assert {curve.parent_pcm_sha256 for curve in curves} == {pcm_sha256(bursts)}
    assert {curve.seed for curve in curves} == {7}
    assert all(curve.recipe and curve.unit for curve in curves)
    assert robustness(bursts, [LABEL], seed=7) == curves


def test_a_moment_without_a_verdict_has_no_curve(bursts: Path) -> None:
    with pytest.raises(NotScorable, match="agent_silent_at_onset") as refused:
        robustness(bursts, [{**LABEL, "onset_s": 4.0}], only=["gain"])
    assert refused.value.hint == "check the onset and which channel is whose"
    with pytest.raises(UsageError, match="'hum'"):
        robustness(bursts, [LABEL], only=["hum"])
    with pytest.raises(UsageError, match="mixed"):
        robustness(bursts, [LABEL], roles=["mixed"])


def test_labelled_moments_of_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "archive"
    with Archive.create(place) as archive:
        archive.add(read([folder("data") / "calls" / "ami-floor-exchange"]))
        archive.measure(workers=1)
        statuses = {row["call_id"]: row["status"] for row in archive.sql("from scored_events").to_dicts()}
        before = archive.sql("from runs").height
        curves, left_out = of_archive(archive, only=["packet_loss", "gain"])
        assert archive.sql("from runs").height == before
    assert {curve.call_id: curve.original.status for curve in curves} | {
        gone["call_id"]: statuses[gone["call_id"]] for gone in left_out
    } == statuses
    assert len(curves) == 2 * (len(statuses) - len(left_out))
    asked = ["robustness", "--archive", str(place), "--only", "gain"]
    with pytest.raises(SystemExit) as ended:
        main(asked)
    printed = capsys.readouterr().out
    assert ended.value.code == 0
    assert "withheld" in printed
    assert "expected to yield: PASS" in printed
    assert f"over {plural(len(statuses) - len(left_out), 'moment')} of" in printed
    with pytest.raises(SystemExit):
        main([*asked, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert {row["perturbation"] for row in told["curves"]} == {"gain"}
    assert told["shares"][0]["holds_count"] == told["shares"][0]["moment_count"] == len(told["curves"])


def test_an_archive_is_made_worse_from_what_it_was_measured_with(tmp_path: Path) -> None:
    """With speech only within 8 dB of the loudest frame other verdicts stand there."""
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([folder("data") / "calls" / "vapi-defaults"]))
        archive.measure(workers=1)
        published = of_status(archive)
        archive.measure(workers=1, config=MeasureConfig(rel_db=90.0, dyn_margin_db=8.0))
        stored = of_status(archive)
        curves, _ = of_archive(archive, only=["gain"])
    assert stored != published
    found = {curve.call_id: curve.original.status for curve in curves}
    assert found == {call_id: status for call_id, status in stored.items() if status in ("PASS", "FAIL")}


def of_status(archive: Archive) -> dict[str, str]:
    return {row["call_id"]: row["status"] for row in archive.sql("from scored_events").to_dicts()}


def test_a_call_that_is_asked_for_and_has_no_labelled_moment_is_named(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([folder("data") / "calls" / "vapi-defaults"]))
        turns = [Turn(role="caller", text="Hello.")]
        archive.add([Call(id="nobody", source_format="made", source_uri="x", source_sha256="0" * 64, turns=turns)])
        archive.measure(workers=1)
        asked = ["vapi-default-03-backchannel-mhm", "nobody"]
        curves, left_out = of_archive(archive, calls=asked, only=["gain"])
        assert {curve.call_id for curve in curves} == {asked[0]}
        assert [(gone["call_id"], gone["reason"]) for gone in left_out] == [("nobody", "no moment of it is labelled")]
        archive.label(asked[0], onset_s=2.0, expect="yield", author="other")
        _, left_out = of_archive(archive, only=["gain"])
        assert [(gone["call_id"], gone["reason"]) for gone in left_out] == [(asked[0], "its labels disagree")]
        with pytest.raises(UsageError, match="nobody: no moment of it is labelled") as refused:
            of_archive(archive, calls=["nobody"])
        with pytest.raises(UsageError, match="noone: there is no such call") as unknown:
            of_archive(archive, calls=["noone"])
    assert "--at SECONDS --expect yield" in str(refused.value.hint)
    assert "select call_id from calls" in str(unknown.value.hint)


def test_a_moment_whose_labels_disagree_is_named_beside_those_of_its_call_that_are_tried(tmp_path: Path) -> None:
    call = "vapi-default-03-backchannel-mhm"
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([folder("data") / "calls" / "vapi-defaults"]))
        archive.measure(workers=1)
        archive.label(call, onset_s=4.0, expect="yield", author="one")
        archive.label(call, onset_s=4.1, expect="hold", author="two")
        curves, left_out = of_archive(archive, only=["gain"])
    assert call in {curve.call_id for curve in curves}
    assert [(gone["call_id"], gone["reason"]) for gone in left_out] == [(call, "labels disagree at 4 s")]
    assert f"workbench label {call} --undo LABEL" in str(left_out[0]["next_step"])


@pytest.mark.parametrize(
    ("became", "reason"),
    [
        ("gone", "the audio file is missing"),
        ("another call", "its bytes differ"),
        ("as many other bytes", "its bytes differ"),
        ("a pipe", "the audio file is missing"),
    ],
)
def test_a_call_whose_sound_is_not_there_as_imported_is_left_out_and_the_others_are_tried(
    tmp_path: Path, became: str, reason: str
) -> None:
    """Another sound would get a verdict of its own and be counted as the call's; a pipe would be waited for."""
    source = tmp_path / "calls"
    shutil.copytree(folder("data") / "calls" / "vapi-defaults", source)
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([source]), storage="reference")
        archive.measure(workers=1)
        tried = {curve.call_id for curve in of_archive(archive, only=["gain"])[0]}
        gone, other, *_ = sorted(tried)
        (uri,) = archive.sql("from recordings where call_id = $call", {"call": gone})["uri"]
        (another,) = archive.sql("from recordings where call_id = $call", {"call": other})["uri"]
        path = archive.layout.media_path(uri)
        held = path.read_bytes()
        path.unlink()
        if became == "another call":
            shutil.copyfile(archive.layout.media_path(another), path)
        elif became == "as many other bytes":
            path.write_bytes(held[:-2] + bytes(byte ^ 1 for byte in held[-2:]))
        elif became == "a pipe":
            os.mkfifo(path)
        curves, left_out = of_archive(archive, only=["gain"])
    assert {curve.call_id for curve in curves} == tried - {gone}
    (row,) = [row for row in left_out if row["call_id"] == gone]
    assert reason in str(row["reason"])
    assert "restore the file" in str(row["next_step"])


def test_an_archive_in_which_nothing_can_be_tried_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A channel with both voices has no verdict that could change."""
    mono, place = tmp_path / "mono.wav", tmp_path / "archive"
    write_wav(mono, Sound(samples=np.full((8000, 1), 900, np.int16), sample_rate_hz=8000))
    with Archive.create(place) as archive:
        archive.add(read([mono]))
        archive.measure(workers=1)
        archive.label("mono", onset_s=0.5, expect="yield", author="a")
    for more in ([], ["--json"]):
        with pytest.raises(SystemExit) as ended:
            main(["robustness", "--archive", str(place), *more])
        assert ended.value.code == 2
        out, err = capsys.readouterr()
        assert "mono" in (out if more else err)
        assert "does not change" not in out


def test_a_file_needs_its_moment(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["robustness", str(CLIP)])
    assert ended.value.code == 2
    assert "--onset" in capsys.readouterr().err
    moment = ["--onset", "2.0", "--expect", "yield", "--only", "packet_loss"]
    with pytest.raises(SystemExit) as ended:
        main(["robustness", str(CLIP), *moment])
    assert ended.value.code == 2
    assert "nobody has said which channel is whose" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["robustness", str(CLIP), *moment, "--channels", "caller,agent"])
    assert ended.value.code == 0
    assert "packet_loss" in capsys.readouterr().out


@pytest.mark.parametrize("channels", [1, 3])
def test_a_file_of_other_channels_is_named_and_no_copy_of_it(
    channels: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "call.wav"
    write_wav(path, Sound(samples=np.full((8000, channels), 900, np.int16), sample_rate_hz=8000))
    with pytest.raises(SystemExit) as ended:
        main(["robustness", str(path), "--onset", "0.5", "--expect", "yield", "--channels", "caller,agent"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"workbench: {path}: ")
    assert "changed.wav" not in said
    assert ("export a two-channel recording" in said) == (channels == 1)


def test_a_call_in_two_files_is_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Labels, verdicts and pins read both files; sound that is made worse has to be one recording."""
    samples, rate = soundfile.read(CLIP, dtype="int16")
    (tmp_path / "calls").mkdir()
    soundfile.write(tmp_path / "calls" / "whole.wav", samples, rate, subtype="PCM_16")
    (tmp_path / "calls" / "whole.json").write_text('{"channels": ["caller", "agent"]}', encoding="utf-8")
    for ix, role in enumerate(("caller", "agent")):
        for nth in (1, 2):  # two takes: the second ends sooner
            sound = samples[: len(samples) - nth * 800, ix]
            soundfile.write(tmp_path / "calls" / f"c{nth}.{role}.wav", sound, rate, subtype="PCM_16")
    place = tmp_path / "archive"
    with Archive.create(place) as archive:
        archive.add(read([tmp_path / "calls"]))
        archive.measure(workers=1)
        for call in ("whole", "c1", "c2"):
            archive.label(call, onset_s=2.0, expect="yield", author="one")
        curves, left_out = of_archive(archive, only=["gain"])
    assert {curve.call_id for curve in curves} == {"whole"}
    assert [gone["call_id"] for gone in left_out] == ["c1", "c2"]
    assert {gone["reason"] for gone in left_out} == {"its two sides lie in two files, and one file with both is needed"}
    with pytest.raises(SystemExit) as ended:
        main(["robustness", "--archive", str(place), "--only", "gain"])
    assert ended.value.code == 0
    told = capsys.readouterr().err
    assert told.endswith("2 calls in two files are left out\n")
    assert "left out: c1: its two sides lie in two files" in told
    assert "that was measured" not in told


def test_leakage_is_named_by_its_direction(bursts: Path) -> None:
    with pytest.raises(UsageError, match="no perturbation is named 'leakage'") as refused:
        robustness(bursts, [LABEL], only=["leakage"])
    assert str(refused.value.hint).startswith("leakage goes from one channel to the other, and each way has a name")
    with pytest.raises(UsageError) as other:
        robustness(bursts, [LABEL], only=["hum"])
    assert str(other.value.hint).startswith("one of noise, gain, ")
