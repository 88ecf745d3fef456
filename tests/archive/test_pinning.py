"""Pinning: label, row and folder together, or nothing at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench.archive import labelling
from workbench.archive.archive import Archive
from workbench.archive.pinning import pin
from workbench.errors import ArchiveFailed, ExportFailed, NotScorable, UsageError
from workbench.schema.call import Audio, Call
from workbench.timing.contracts.members import FRAMES
from workbench.timing.contracts.proving import prove

RATE = 8000
AT = {"onset_s": 12.0, "expect": "yield"}


def sound(path: Path, *, noise: float = 3.0, seconds: float = 30.0) -> Path:
    """The agent speaks 10.5 to 12.5 s and 16 to 17 s, the caller 12.0 to 14.0 s."""
    rng = np.random.default_rng(2)
    samples = rng.normal(0, noise, (round(seconds * RATE), 2))
    for channel, start, end in ((1, 10.5, 12.5), (0, 12.0, 14.0), (1, 16.0, 17.0)):
        part = slice(round(start * RATE), round(end * RATE))
        samples[part, channel] = rng.normal(0, 2000, len(samples[part]))
    soundfile.write(path, samples.astype(np.int16), RATE, subtype="PCM_16")
    return path


def call(call_id: str, *audio: Audio) -> Call:
    source: dict[str, Any] = {
        "source_format": "made",
        "source_uri": f"{call_id}.json",
        "source_sha256": f"{len(call_id):064x}",
    }
    return Call(id=call_id, origin="synthetic", audio=list(audio), **source)


def both(path: Path, **more: Any) -> Audio:
    return Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared", **more)


@pytest.fixture
def measured(tmp_path: Path, archive: Archive) -> Archive:
    archive.add([call("one", both(sound(tmp_path / "one.wav")))])
    archive.measure()
    return archive


def counts(archive: Archive) -> dict[str, int]:
    archive.refresh()
    return {name: archive.sql(f"from {name}").height for name in ("labels", "contracts")}


def test_a_moment_becomes_label_row_and_folder(measured: Archive, tmp_path: Path) -> None:
    """By hand: the agent is quiet from frame 1250 on, 0.5 s after the onset; the clip begins 2 s before it."""
    place = tmp_path / "pins"
    pinned = pin(measured.layout, "one", author="A", expectation=AT, folder=place)
    contract = pinned.contract
    assert (contract.label.onset_s, contract.measurement["time_to_yield_s"]) == (2.0, 0.5)
    assert pinned.differences == []
    assert contract.digests.source_sha256 == measured.sql("from recordings")["recording_id"].to_list()
    assert "one" not in {contract.contract_id, *contract.encode().decode().split('"')}
    assert counts(measured) == {"labels": 1, "contracts": 1}
    (row,) = measured.sql(
        "select call_id, label_id, contract_id, document->>'contract_id' as said from contracts"
    ).to_dicts()
    assert row == {
        "call_id": "one",
        "label_id": pinned.label_id,
        "contract_id": contract.contract_id,
        "said": contract.contract_id,
    }
    assert [proof.status for proof in prove([pinned.folder], engine="1")] == ["PASS"]
    assert [path.name for path in place.iterdir()] == [pinned.folder.name]


def test_the_frames_of_the_clip_are_those_of_the_call(measured: Archive, tmp_path: Path) -> None:
    """An onset between two frames: the clip begins on a frame of the recording, so every whole frame is the same."""
    import polars as pl

    pinned = pin(measured.layout, "one", author="A", expectation=AT | {"onset_s": 12.0037}, folder=tmp_path / "pins")
    clip = pl.read_parquet(pinned.folder / FRAMES)
    first = 1200 - 200
    whole = measured.sql("from frames where frame_ix >= $first order by frame_ix", {"first": first}).head(clip.height)
    for name in ("caller_dbfs", "agent_dbfs"):
        assert clip[name].to_list()[:-2] == pytest.approx(whole[name].to_list()[:-2])


def test_the_same_moment_again_adds_nothing(measured: Archive, tmp_path: Path) -> None:
    first = pin(measured.layout, "one", author="A", expectation=AT, folder=tmp_path / "a")
    second = pin(measured.layout, "one", author="A", label_id=first.label_id, folder=tmp_path / "b")
    assert counts(measured) == {"labels": 1, "contracts": 1}
    names = sorted(str(path.relative_to(first.folder)) for path in first.folder.rglob("*") if path.is_file())
    assert len(names) == 5
    for name in names:
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes(), name
    with pytest.raises(ExportFailed, match="exists already"):
        pin(measured.layout, "one", author="A", label_id=first.label_id, folder=tmp_path / "a")


def test_two_files_of_one_party_each_give_one_clip(tmp_path: Path, archive: Archive) -> None:
    """The agent's file begins 3 s into the call; the clip is that of a file with both."""
    samples, rate = soundfile.read(sound(tmp_path / "both.wav"), dtype="int16")
    soundfile.write(tmp_path / "caller.wav", samples[:, 0], rate, subtype="PCM_16")
    soundfile.write(tmp_path / "agent.wav", samples[3 * rate :, 1], rate, subtype="PCM_16")
    sides = [
        Audio(path=str(tmp_path / f"{role}.wav"), channels=[role], channel_map_source="declared", offset_s=offset)
        for role, offset in (("caller", 0.0), ("agent", 3.0))
    ]
    archive.add([call("pair", *sides), call("file", both(tmp_path / "both.wav"))])
    archive.measure()
    pair, file = (
        pin(archive.layout, name, author="A", expectation=AT, folder=tmp_path / name) for name in ("pair", "file")
    )
    assert pair.contract.digests.clip_pcm_sha256 == file.contract.digests.clip_pcm_sha256
    assert len(pair.contract.digests.source_sha256) == 2


def nothing(measured: Archive, tmp_path: Path) -> None:
    assert counts(measured) == {"labels": 0, "contracts": 0}
    assert not (tmp_path / "pins").exists()


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"onset_s": 5.0}, NotScorable, "agent_silent_at_onset"),
        ({"onset_s": 31.0}, UsageError, "outside the call"),
        ({"expect": "stop"}, UsageError, "expect is"),
        ({"max_talk_over_s": -1.0}, UsageError, "max_talk_over_s"),
    ],
)
def test_a_moment_without_a_verdict_writes_nothing(
    measured: Archive, tmp_path: Path, given: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        pin(measured.layout, "one", author="A", expectation=AT | given, folder=tmp_path / "pins")
    nothing(measured, tmp_path)


def test_a_clip_whose_verdict_is_another_one_is_refused_with_the_remedy(measured: Archive, tmp_path: Path) -> None:
    """A clip that ends 0.3 s after the onset has not seen the agent stop at 0.5 s."""
    with pytest.raises(NotScorable, match="recording_ended") as caught:
        pin(measured.layout, "one", author="A", expectation=AT, folder=tmp_path / "pins", post_s=0.4)
    assert "--post-s" in (caught.value.hint or "")
    nothing(measured, tmp_path)


def test_a_disk_that_refuses_keeps_no_row(measured: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises((ExportFailed, OSError), match="No space"):
        pin(measured.layout, "one", author="A", expectation=AT, folder=tmp_path / "pins")
    nothing(measured, tmp_path)


def test_a_failed_transaction_leaves_no_folder(
    measured: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> str:
        raise ArchiveFailed("the archive is gone")

    monkeypatch.setattr(labelling, "add_within", broken)
    with pytest.raises(ArchiveFailed, match="gone"):
        pin(measured.layout, "one", author="A", expectation=AT, folder=tmp_path / "pins")
    monkeypatch.undo()
    nothing(measured, tmp_path)


def test_audio_that_was_changed_since_is_refused(measured: Archive, tmp_path: Path) -> None:
    uri = measured.sql("from recordings")["uri"].item()
    path = measured.layout.media_path(uri)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-2] + b"\x01\x01")
    with pytest.raises(ArchiveFailed, match="not the one that was imported"):
        pin(measured.layout, "one", author="A", expectation=AT, folder=tmp_path / "pins")
    nothing(measured, tmp_path)


def test_two_channels_of_one_party_cannot_be_pinned(tmp_path: Path, archive: Archive) -> None:
    samples, rate = soundfile.read(sound(tmp_path / "two.wav"), dtype="int16")
    soundfile.write(tmp_path / "three.wav", np.column_stack([samples, samples[:, 1] // 2]), rate, subtype="PCM_16")
    audio = Audio(
        path=str(tmp_path / "three.wav"), channels=["caller", "agent", "agent"], channel_map_source="declared"
    )
    archive.add([call("three", audio)])
    archive.measure()
    with pytest.raises(NotScorable, match="the agent is on 2 channels"):
        pin(archive.layout, "three", author="A", expectation=AT, folder=tmp_path / "pins")
    nothing(archive, tmp_path)


def test_a_deleted_call_takes_its_contract_row_along(measured: Archive, tmp_path: Path) -> None:
    from workbench.archive.retention import delete

    pin(measured.layout, "one", author="A", expectation=AT, folder=tmp_path / "pins")
    delete(measured.layout, "one")
    assert counts(measured) == {"labels": 0, "contracts": 0}


def test_a_mixed_channel_gives_no_contract_and_says_what_to_export(archive: Archive, tmp_path: Path) -> None:
    samples, rate = soundfile.read(sound(tmp_path / "one.wav"), dtype="int16")
    soundfile.write(tmp_path / "mono.wav", samples.sum(1, dtype=np.int16), rate, subtype="PCM_16")
    archive.add([call("one", Audio(path=str(tmp_path / "mono.wav"), channels=["mixed"]))])
    archive.measure()
    with pytest.raises(NotScorable, match="NOT_SCORABLE, mono") as caught:
        pin(archive.layout, "one", author="A", expectation=AT, folder=tmp_path / "contracts")
    assert (caught.value.hint or "").startswith("export a two-channel recording")
