"""Bad input to a verdict: each its status and its reason; and contracts that somebody made up."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import threading
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soundfile
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.cli import unpack
from workbench.errors import ImportFailed, NotScorable, UsageError, WorkbenchError
from workbench.timing.contracts import members, validity
from workbench.timing.contracts.comparing import compare
from workbench.timing.contracts.document import Contract, Tampered, contract_id, decode
from workbench.timing.contracts.judging import judge
from workbench.timing.contracts.packing import packed, unpacked, verified
from workbench.timing.contracts.proving import STATUSES, contracts_in, prove
from workbench.timing.contracts.validity import FRAME_COLUMNS, stored_frames

RATE = 16_000


def speech(*, caller: float = 2000.0, agent: float = 2000.0) -> np.ndarray:
    """The agent speaks 0.5 to 2.5 s, the caller 2.0 to 4.0 s, over a floor."""
    rng = np.random.default_rng(3)
    samples = rng.normal(0, 3, (6 * RATE, 2))
    samples[2 * RATE : 4 * RATE, 0] = rng.normal(0, 1, 2 * RATE) * caller
    samples[RATE // 2 : 5 * RATE // 2, 1] = rng.normal(0, 1, 2 * RATE) * agent
    return samples


Change = Callable[[np.ndarray], np.ndarray]
CASES: dict[str, tuple[Change, dict[str, Any], str | None]] = {
    "right": (lambda s: s, {}, None),
    "mono": (lambda s: s[:, :1], {"roles": ("mixed",)}, "mono"),
    "identical": (lambda s: np.repeat(s[:, :1], 2, axis=1), {}, "identical_channels"),
    "silent caller": (lambda s: s * [0, 1], {}, "silent_caller"),
    "silent agent": (lambda s: s * [1, 0], {}, "silent_agent"),
    "unnamed": (lambda s: s, {"roles": ("unknown", "unknown")}, "channel_map_unknown"),
    "one sample": (lambda s: s[:1], {}, "too_short"),
    "outside": (lambda s: s, {"onset_s": 60.0}, "outside_the_recording"),
    "agent silent": (lambda s: s, {"onset_s": 3.5}, "agent_silent_at_onset"),
    "leaking": (lambda s: s + s[:, ::-1] * [0.2, 0], {}, "leakage"),
    "three channels": (lambda s: np.c_[s, s[:, 0] * 0], {"roles": ("caller", "agent", "unknown")}, None),
    "offset": (lambda s: s + 20, {}, None),
    "clipped": (lambda s: s * 30, {}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_a_recording_is_judged_or_says_why_not(tmp_path: Path, name: str) -> None:
    change, options, reason = CASES[name]
    path = tmp_path / "a.wav"
    soundfile.write(path, np.clip(change(speech()), -32768, 32767).astype(np.int16), RATE, subtype="PCM_16")
    found = judge(path, **{"expect": "yield", "onset_s": 2.0} | options)
    if reason is None:
        assert (found.event["status"], found.event["time_to_yield_s"]) == ("PASS", pytest.approx(0.5, abs=0.011))
        return
    assert found.event["reason"] == reason or reason in found.health["reason"]
    assert found.event["status"] in ("NOT_SCORABLE", "INCONCLUSIVE")
    good = tmp_path / "b.wav"
    soundfile.write(good, speech().astype(np.int16), RATE, subtype="PCM_16")
    with pytest.raises(NotScorable, match="the recording before") as caught:
        compare(found, judge(good, expect="yield", onset_s=2.0), where="")
    assert caught.value.hint


def test_a_suspected_swap_has_no_verdict_until_somebody_says_whose_channel_is_which(tmp_path: Path) -> None:
    samples = speech()
    samples[RATE // 2 : 2 * RATE - RATE // 5, 1] = 0
    soundfile.write(tmp_path / "a.wav", samples.astype(np.int16), RATE, subtype="PCM_16")
    given: dict[str, Any] = {"expect": "yield", "onset_s": 2.0}
    assert judge(tmp_path / "a.wav", **given).event["reason"] == "possible_swap"
    assert judge(tmp_path / "a.wav", **given, channel_map_confirmed=True).event["status"] == "PASS"


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000])
def test_every_rate_gives_the_verdict(tmp_path: Path, rate: int) -> None:
    from scipy.signal import resample_poly

    soundfile.write(tmp_path / "a.wav", resample_poly(speech(), rate, RATE, axis=0).astype(np.int16), rate)
    found = judge(tmp_path / "a.wav", expect="yield", onset_s=2.0)
    assert (found.event["status"], found.event["time_to_yield_s"]) == ("PASS", pytest.approx(0.5, abs=0.03))


def forged(folder: Path, path: str, value: Any) -> None:
    """Change a value of the document, name the contract anew and write a new manifest."""
    files = {name: members.read(folder)[name] for name in members.EVIDENCE}
    document = json.loads(files[members.DOCUMENT])
    part, (*parents, last) = document, path.split(".")
    for name in parents:
        part = part[name]
    part[last] = value
    contract = decode(files[members.DOCUMENT], where="")
    if not path.startswith(("format", "contract_id")):
        try:
            import msgspec

            made = msgspec.convert(document, Contract)
            document["contract_id"] = contract_id(made.label, made.policy, made.digests.clip_pcm_sha256)
        except msgspec.ValidationError:
            document["contract_id"] = contract.contract_id
    files[members.DOCUMENT] = json.dumps(document).encode()
    for name, content in members.sealed(files).items():
        (folder / name).write_bytes(content)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "workbench.contract/2"),
        ("format", 1),
        ("label.onset_s", 1e300),
        ("label.onset_s", -1.0),
        ("label.onset_s", "2"),
        ("label.expect", "stop"),
        ("label.mood", "good"),
        ("policy.max_talk_over_s", 1e308),
        ("policy.score.max_search_s", 1e300),
        ("policy.score.max_search_s", -1.0),
        ("policy.score.max_search_s", "3"),
        ("policy.score.echo_coherence", 2.0),
        ("policy.measure.hop_ms", 0.0),
        ("policy.measure.hop_ms", 1e12),
        ("policy.measure.hangover_s", 1e300),
        ("policy.measure.backend", "guess"),
        ("policy.measure", []),
        ("evidence_level", "proven"),
    ],
)
def test_a_document_that_cannot_be_is_refused(folder: Path, path: str, value: Any) -> None:
    forged(folder, path, value)
    (proof,) = prove([folder], engine="1")
    assert (proof.status, bool(proof.reason)) == ("REFUSED", True)
    _not_unpacked(folder)


def _not_unpacked(folder: Path) -> None:
    """Packed as it is by somebody else's hand, it is refused and leaves nothing."""
    archive, place = folder.parent / "a.zip", folder.parent / "new" / "contracts"
    archive.write_bytes(packed(members.read(folder)))
    done = CliRunner().invoke(unpack.command, [str(archive), str(place)])
    assert isinstance(done.exception, UsageError | ImportFailed | Tampered)
    assert done.exception.where == str(archive)
    assert done.exception.exit_code == 2
    assert not place.parent.exists()
    with pytest.raises(WorkbenchError):
        verified(folder)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x" * 500, b"PAR1" + b"\0" * 99 + b"PAR1"])
def test_frames_that_are_no_table_are_refused(folder: Path, content: bytes) -> None:
    files = {name: members.read(folder)[name] for name in members.EVIDENCE} | {members.FRAMES: content}
    for name, made in members.sealed(files).items():
        (folder / name).write_bytes(made)
    assert prove([folder], engine="1")[0].status == "REFUSED"
    _not_unpacked(folder)


def _frames_of(files: dict[str, bytes]) -> pa.Table:
    return pq.read_table(io.BytesIO(files[members.FRAMES]))


def _with_levels(table: pa.Table, levels: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index("caller_dbfs"), "caller_dbfs", levels)


OTHER_FRAMES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a type no reader of tables has": lambda t: _with_levels(t, pa.nulls(len(t), pa.decimal256(70, 2))),
    "a time zone that is none": lambda t: _with_levels(t, pa.nulls(len(t), pa.timestamp("ms", tz="Mars/X"))),
    "text that repeats": lambda t: _with_levels(t, pa.array(["x" * 1_000_000] * len(t), pa.large_string())),
    "single precision": lambda t: _with_levels(t, t["caller_dbfs"].cast(pa.float32())),
    "a column more": lambda t: t.append_column("mood", t["caller_dbfs"]),
    "another name": lambda t: t.rename_columns(["n", *t.column_names[1:]]),
}


@pytest.mark.parametrize("name", OTHER_FRAMES)
def test_frames_of_another_shape_are_refused_unread_and_stop_nothing_else(
    folder: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "good.contract")
    files = {item: members.read(folder)[item] for item in members.EVIDENCE}
    out = io.BytesIO()
    pq.write_table(OTHER_FRAMES[name](_frames_of(files)), out, compression="zstd")
    for item, made in members.sealed(files | {members.FRAMES: out.getvalue()}).items():
        (folder / item).write_bytes(made)
    bad, good = prove([folder, tmp_path / "good.contract"], engine="1")
    assert (bad.status, good.status) == ("REFUSED", "PASS")
    assert str(bad.reason).startswith("frames.parquet has other columns")
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(UsageError, match="has other columns"):
        stored_frames(out.getvalue(), rows=len(_frames_of(files)), names=FRAME_COLUMNS)


def _set(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), table.schema.field(name), values)


def _one_level_off(table: pa.Table) -> pa.Table:
    levels = table["agent_dbfs"].to_pylist()
    return _set(table, "agent_dbfs", pa.array([levels[0] + 0.02, *levels[1:]]))


MADE_UP_FRAMES: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "three rows": (lambda t: t.slice(0, 3), "frames.parquet holds 3 frames, and the clip has"),
    "no rows": (lambda t: t.slice(0, 0), "frames.parquet holds 0 frames, and the clip has"),
    "all empty": (
        lambda t: pa.table([pa.nulls(len(t), field.type) for field in t.schema], schema=t.schema),
        "without a number",
    ),
    "no number": (lambda t: _with_levels(t, pa.array([float("nan")] * len(t))), "without a number"),
    "endless": (lambda t: _with_levels(t, pa.array([float("-inf")] * len(t))), "without a number"),
    "turned round": (lambda t: t.take(list(reversed(range(len(t))))), "out of order"),
    "another time": (lambda t: _set(t, "time_s", pa.array([0.0] * len(t))), "what the clip gives"),
    "a level a little off": (_one_level_off, "1 of "),
    "silence": (lambda t: _with_levels(t, pa.array([-120.0] * len(t))), "what the clip gives"),
}


@pytest.mark.parametrize("name", MADE_UP_FRAMES)
def test_frames_that_were_not_measured_from_the_clip_are_tampered_with(folder: Path, tmp_path: Path, name: str) -> None:
    """Whoever changes them can write a new manifest: the clip tells what its frames are."""
    shutil.copytree(folder, tmp_path / "good.contract")
    change, reason = MADE_UP_FRAMES[name]
    _with_frames(folder, change)
    bad, good = prove([folder, tmp_path / "good.contract"], engine="1")
    assert (bad.status, bad.now, bad.evidence_level, good.status) == ("TAMPERED", None, None, "PASS")
    assert reason in str(bad.reason)


@pytest.mark.parametrize("name", ["three rows", "all empty", "no number", "turned round"])
def test_frames_that_no_clip_gives_are_neither_packed_nor_unpacked(folder: Path, name: str) -> None:
    _with_frames(folder, MADE_UP_FRAMES[name][0])
    _not_unpacked(folder)


def test_another_version_may_hear_speech_otherwise_and_the_same_one_may_not(folder: Path) -> None:
    """The contract says that 0.0.1 made it."""
    _with_frames(folder, lambda t: _set(t, "caller_active", pa.array([False] * len(t))))
    (other,) = prove([folder], engine="0.0.2")
    assert other.status == "PASS"
    assert other.frames_drift
    (same,) = prove([folder], engine="0.0.1")
    assert (same.status, same.frames_drift) == ("TAMPERED", None)
    assert str(same.reason).startswith(f"{other.frames_drift} of ")


def _with_frames(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the stored frames and write a new manifest."""
    files = {name: members.read(folder)[name] for name in members.EVIDENCE}
    out = io.BytesIO()
    pq.write_table(change(_frames_of(files)), out, compression="zstd")
    for name, made in members.sealed(files | {members.FRAMES: out.getvalue()}).items():
        (folder / name).write_bytes(made)


def test_frames_that_unfold_to_more_than_their_rows_are_refused_unread(
    files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validity, "MOST_BYTES_A_ROW", 1)
    monkeypatch.setattr(validity, "MOST_BYTES_BESIDE", 100)
    with pytest.raises(UsageError, match="bytes unpacked"):
        stored_frames(files[members.FRAMES], rows=len(_frames_of(files)), names=FRAME_COLUMNS)


@pytest.mark.parametrize("name", [*members.EVIDENCE, members.MANIFEST, members.SIGNATURE])
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    with waiting_pipe(folder / name):
        (proof,) = prove([folder], engine="now")
    assert (proof.status, proof.reason) == ("REFUSED", f"{name} is not a plain file")


def test_a_pipe_in_place_of_a_packed_contract_is_refused(tmp_path: Path) -> None:
    packed_file = tmp_path / f"pipe{members.PACKED}"
    with waiting_pipe(packed_file):
        (proof,) = prove(contracts_in([tmp_path]), engine="now")
    assert (proof.status, proof.reason) == ("REFUSED", "it is not a plain file")


@contextmanager
def waiting_pipe(path: Path) -> Iterator[None]:
    """A pipe with something to read at its other end only once somebody reads it: no test waits for ever."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"x",), daemon=True)
    writer.start()
    try:
        yield
    finally:
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        writer.join(5)
        os.close(reader)


def _three_channels(wav: bytes) -> bytes:
    out = io.BytesIO()
    samples, rate = soundfile.read(io.BytesIO(wav), dtype="int16")
    soundfile.write(out, np.c_[samples, samples[:, 0]], rate, format="WAV", subtype="PCM_16")
    return out.getvalue()


@pytest.mark.parametrize("change", [lambda _: b"", lambda _: b"RIFF", lambda wav: wav[:-1000], _three_channels])
def test_a_clip_that_cannot_be_measured_is_refused(folder: Path, change: Callable[[bytes], bytes]) -> None:
    files = {name: members.read(folder)[name] for name in members.EVIDENCE}
    files[members.CLIP] = change(files[members.CLIP])
    document = json.loads(files[members.DOCUMENT])
    document["digests"]["clip_sha256"] = hashlib.sha256(files[members.CLIP]).hexdigest()
    files[members.DOCUMENT] = json.dumps(document).encode()
    for name, made in members.sealed(files).items():
        (folder / name).write_bytes(made)
    (proof,) = prove([folder], engine="1")
    assert (proof.status, bool(proof.reason)) == ("REFUSED", True)
    _not_unpacked(folder)


def test_the_frames_a_contract_holds_have_the_columns_that_are_looked_for(files: dict[str, bytes]) -> None:
    with wave.open(io.BytesIO(files[members.CLIP])) as wav:
        rows = -(-wav.getnframes() // (wav.getframerate() // 100))
    assert stored_frames(files[members.FRAMES], rows=rows, names=FRAME_COLUMNS) is not None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), name=st.sampled_from(members.EVIDENCE))
def test_no_damage_is_a_bug_of_ours(folder: Path, files: dict[str, bytes], name: str, data: st.DataObject) -> None:
    """Any byte of any file changed, with a new manifest over it: a state with a reason, never an exception."""
    content = bytearray(files[name])
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255))
    evidence = {item: files[item] for item in members.EVIDENCE} | {name: bytes(content)}
    for item, made in members.sealed(evidence).items():
        (folder / item).write_bytes(made)
    (proof,) = prove([folder], engine="1")
    assert proof.status in STATUSES
    assert proof.status == "PASS" or proof.reason


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_changed_byte_of_an_archive_is_refused_or_changes_nothing(
    tmp_path: Path, files: dict[str, bytes], data: st.DataObject
) -> None:
    content = bytearray(packed(files))
    directory = content.index(b"PK\x01\x02")
    region = data.draw(st.sampled_from([(0, 200), (directory, len(content)), (0, len(content))]))
    at = data.draw(st.integers(region[0], region[1] - 1))
    content[at] = data.draw(st.integers(0, 255))
    (tmp_path / "a.zip").write_bytes(content)
    try:
        found = unpacked(tmp_path / "a.zip")
    except WorkbenchError:
        return
    assert found == files
