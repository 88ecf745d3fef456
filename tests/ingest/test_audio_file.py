"""Audio alone: channel maps, pairs, sidecars; lengths counted from the sizes of the files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench import ingest
from workbench.assets import folder
from workbench.ingest.protocol import Options
from workbench.schema.call import Audio, Call, ChannelRole, Refusal

CALLS = folder("data") / "calls"
STEREO = CALLS / "vapi-defaults" / "audio" / "vapi-default-05-hold-on.example.wav"
TRACKS = Path(__file__).parents[1] / "data" / "harper-valley-tracks"
CALLER, AGENT = "ff0296d00e5e4184.caller.wav", "ff0296d00e5e4184.agent.wav"


def read(path: Path, options: Options | None = None) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path], options))
    return (
        [item for item in found if isinstance(item, Call)],
        [item for item in found if isinstance(item, Refusal)],
    )


def noise(path: Path, *, channels: int = 1, frames: int = 800, subtype: str = "PCM_16") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = np.random.default_rng(frames).uniform(-0.1, 0.1, (frames, channels))
    soundfile.write(path, samples, 8_000, subtype=subtype)
    return path


def audios(call: Call) -> list[tuple[str, list[str], str, float]]:
    found: list[Audio] = call.audio or []
    return [(Path(one.path).name, list(one.channels), one.channel_map_source, one.offset_s) for one in found]


def test_two_channels_of_unknown_sides_stay_unknown_and_the_option_is_named(tmp_path: Path) -> None:
    shutil.copy(STEREO, tmp_path / "c.wav")
    (call,), (note,) = read(tmp_path)
    assert (call.id, call.source_format, call.turns) == ("c", "audio", None)
    assert audios(call) == [("c.wav", ["unknown", "unknown"], "unknown", 0.0)]
    # 512,044 bytes less a header of 44, two channels of two bytes at 16 kHz
    assert call.duration_s == 512_000 / 4 / 16_000
    assert (note.rule, note.scope, note.hint) == (
        "channel_map_unknown",
        "note",
        "import it again with --replace --channels caller,agent",
    )


def test_the_option_says_who_speaks(tmp_path: Path) -> None:
    shutil.copy(STEREO, tmp_path / "c.wav")
    (call,), refusals = read(tmp_path, Options(channels=("agent", "caller")))
    assert audios(call) == [("c.wav", ["agent", "caller"], "option", 0.0)]
    assert refusals == []


def test_the_sidecar_says_who_speaks_and_more(tmp_path: Path) -> None:
    shutil.copy(STEREO, tmp_path / "c.wav")
    turns = [{"role": "caller", "text": "hold on", "start_s": 0.5, "end_s": 1.25}]
    sidecar = {
        "channels": ["user", "agent"],
        "id": "call-17",
        "language": "en",
        "offset_s": 1.5,
        "turns": turns,
    }
    (tmp_path / "c.json").write_text(json.dumps(sidecar))
    (call,), refusals = read(tmp_path)
    assert refusals == []
    assert (call.id, call.language, call.source_format) == ("call-17", "en", "audio")
    assert audios(call) == [("c.wav", ["caller", "agent"], "sidecar", 1.5)]
    assert call.duration_s == 1.5 + 8.0
    assert [turn.text for turn in call.turns or ()] == ["hold on"]


def test_one_channel_is_mixed(tmp_path: Path) -> None:
    noise(tmp_path / "c.wav")
    (call,), refusals = read(tmp_path)
    assert audios(call) == [("c.wav", ["mixed"], "format", 0.0)]
    assert refusals == []


def test_four_channels_stay_unknown(tmp_path: Path) -> None:
    noise(tmp_path / "c.wav", channels=4)
    (call,), (note,) = read(tmp_path)
    assert audios(call) == [("c.wav", ["unknown"] * 4, "unknown", 0.0)]
    assert note.rule == "channel_map_unknown"


@pytest.mark.parametrize(("channels", "roles"), [(2, ("caller",)), (3, ("caller", "agent"))])
def test_roles_for_another_number_of_channels_refuse_the_file(
    tmp_path: Path, channels: int, roles: tuple[ChannelRole, ...]
) -> None:
    noise(tmp_path / "c.wav", channels=channels)
    calls, (refusal,) = read(tmp_path, Options(channels=roles))
    assert calls == []
    assert (refusal.rule, refusal.scope) == ("channel_count", "file")
    assert refusal.message == f"the file has {channels} channels, --channels names {len(roles)}"
    assert read(tmp_path, Options(channels=("agent",) * channels))[1] == []


def test_in_a_folder_of_mono_and_stereo_the_option_speaks_of_the_stereo_files(tmp_path: Path) -> None:
    noise(tmp_path / "mono.wav")
    noise(tmp_path / "stereo.wav", channels=2)
    (mono, stereo), (note,) = read(tmp_path, Options(channels=("caller", "agent")))
    assert [audios(mono)[0][1:3], audios(stereo)[0][1:3]] == [(["mixed"], "format"), (["caller", "agent"], "option")]
    assert (note.rule, note.call_id, note.message) == (
        "channel_map_unused",
        "mono",
        "the file has 1 channel, --channels names 2",
    )


def test_a_sidecar_that_fits_counts_where_the_option_does_not(tmp_path: Path) -> None:
    noise(tmp_path / "c.wav", channels=2)
    (tmp_path / "c.json").write_text('{"channels": ["agent", "caller"]}')
    (call,), (note,) = read(tmp_path, Options(channels=("caller",)))
    assert audios(call)[0][1:3] == (["agent", "caller"], "sidecar")
    assert note.rule == "channel_map_unused"
    (tmp_path / "c.json").write_text('{"channels": ["agent"]}')
    calls, (refusal,) = read(tmp_path)
    assert (calls, refusal.rule, refusal.message) == (
        [],
        "channel_count",
        "the file has 2 channels, its sidecar names 1",
    )


def test_a_real_pair_is_one_call_with_a_note_that_offsets_are_assumed() -> None:
    (call,), (note,) = read(TRACKS)
    assert call.id == "ff0296d00e5e4184"
    assert audios(call) == [(CALLER, ["caller"], "name", 0.0), (AGENT, ["agent"], "name", 0.0)]
    # 863,598 bytes less 44, two bytes a sample at 8 kHz
    assert call.duration_s == pytest.approx(863_554 / 2 / 8_000, abs=0.01)
    assert (note.rule, note.scope) == ("pair_offset_assumed", "note")
    assert note.hint.startswith('if they do not, write for instance {"offset_s": ')  # an example, and nothing measured


def test_the_offsets_of_a_pair_come_from_its_sidecar(tmp_path: Path) -> None:
    noise(tmp_path / "c.caller.wav", frames=8_000)
    noise(tmp_path / "c.agent.wav", frames=4_000)
    (tmp_path / "c.json").write_text('{"offset_s": {"caller": 0.0, "agent": 1.9}}')
    (call,), refusals = read(tmp_path)
    assert refusals == []
    assert audios(call) == [
        ("c.caller.wav", ["caller"], "name", 0.0),
        ("c.agent.wav", ["agent"], "name", 1.9),
    ]
    assert call.duration_s == pytest.approx(2.4)


@pytest.mark.parametrize(
    ("one", "other"),
    [("c_customer.wav", "c_bot.wav"), ("c-user.wav", "c-assistant.flac"), ("c.Caller.wav", "c_AGENT.WAV")],
)
def test_other_names_of_the_sides(tmp_path: Path, one: str, other: str) -> None:
    noise(tmp_path / one)
    noise(tmp_path / other)
    (call,), _ = read(tmp_path)
    assert [(name, roles) for name, roles, _, _ in audios(call)] == [(one, ["caller"]), (other, ["agent"])]


def test_left_and_right_are_two_calls(tmp_path: Path) -> None:
    noise(tmp_path / "c.left.wav")
    noise(tmp_path / "c.right.wav", frames=900)
    calls, _ = read(tmp_path)
    assert [call.id for call in calls] == ["c.left", "c.right"]
    assert [audios(call)[0][1] for call in calls] == [["mixed"], ["mixed"]]


def test_a_folder_a_call_may_name_its_files_after_the_sides_alone(tmp_path: Path) -> None:
    for ix, name in enumerate(("c1", "c2", "x/c2")):
        for frames, one in ((800, "caller"), (900, "agent")):
            noise(tmp_path / name / f"{one}.wav", frames=frames + ix)
    calls, _ = read(tmp_path)
    assert sorted(call.id for call in calls) == ["c1", "c2", "x--c2"]
    assert audios(calls[0]) == [("caller.wav", ["caller"], "name", 0.0), ("agent.wav", ["agent"], "name", 0.0)]


@pytest.mark.parametrize("names", [["c.agent.wav"], ["c.caller.wav"], ["c.agent.wav", "c.caller.wav"]])
def test_either_side_that_is_named_brings_the_pair(tmp_path: Path, names: list[str]) -> None:
    noise(tmp_path / "c.caller.wav")
    noise(tmp_path / "c.agent.wav", frames=900)
    calls = [item for item in ingest.read([tmp_path / name for name in names]) if isinstance(item, Call)]
    assert [[roles for _, roles, _, _ in audios(call)] for call in calls] == [[["caller"], ["agent"]]]


@pytest.mark.parametrize("offset_s", [-1e9, -86_401.0, 86_401.0])
def test_an_offset_of_more_than_a_day_is_refused_to_either_side(tmp_path: Path, offset_s: float) -> None:
    noise(tmp_path / "c.wav")
    (tmp_path / "c.json").write_text(f'{{"offset_s": {offset_s}}}')
    calls, refusals = read(tmp_path)
    assert (calls, refusals[-1].rule) == ([], "time_unit")


def test_half_a_pair_is_mixed_and_noted(tmp_path: Path) -> None:
    noise(tmp_path / "c.caller.wav")
    (call,), (note,) = read(tmp_path)
    assert audios(call)[0][1] == ["mixed"]
    assert note.rule == "pair_incomplete"


def test_a_pair_of_files_with_two_channels_is_refused(tmp_path: Path) -> None:
    noise(tmp_path / "c.caller.wav", channels=2)
    noise(tmp_path / "c.agent.wav")
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert (refusal.rule, refusal.scope) == ("pair_not_mono", "file")


def test_calls_of_the_same_name_are_named_by_their_paths(tmp_path: Path) -> None:
    noise(tmp_path / "monday" / "call.wav", frames=800)
    noise(tmp_path / "tues day" / "x" / "call.wav", frames=900)
    noise(tmp_path / "other.wav", frames=1000)
    calls, _ = read(tmp_path)
    assert [call.id for call in calls] == ["monday--call", "other", "tues day--x--call"]


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT", "ULAW", "ALAW"])
def test_wav_of_every_kind(tmp_path: Path, subtype: str) -> None:
    noise(tmp_path / "a b é.wav", channels=2, frames=12_000, subtype=subtype)
    (call,), _ = read(tmp_path)
    assert (call.id, call.duration_s) == ("a b é", 1.5)


def test_headerless_audio_beside_another_of_its_name_is_told_to_be_imported_apart(tmp_path: Path) -> None:
    """A sidecar alone would make two calls of one id, of which the second is refused."""
    (tmp_path / "yes.ulaw").write_bytes(bytes(range(256)) * 50)
    noise(tmp_path / "yes.wav", channels=2, frames=12_000, subtype="PCM_16")
    (refusal,) = [item for item in read(tmp_path)[1] if item.rule == "headerless"]
    assert "yes.wav would be a call of the same id" in (refusal.hint or "")
    assert "--id-prefix" in (refusal.hint or "")
    (tmp_path / "yes.wav").unlink()
    _, (refusal,) = read(tmp_path)
    assert "--id-prefix" not in (refusal.hint or "")


def test_headerless_audio_needs_a_sidecar(tmp_path: Path) -> None:
    (tmp_path / "c.ulaw").write_bytes(bytes(range(256)) * 50)
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert (refusal.rule, refusal.scope) == ("headerless", "file")
    (tmp_path / "c.json").write_text('{"encoding": "ulaw", "sample_rate_hz": 8000}')
    (call,), refusals = read(tmp_path)
    assert refusals == []
    assert call.duration_s == 256 * 50 / 8_000
    assert call.audio is not None
    assert (call.audio[0].encoding, call.audio[0].sample_rate_hz) == ("ulaw", 8_000)


@pytest.mark.parametrize(
    ("data", "rules"),
    [
        (b"", {"empty_file"}),
        (b"RIFF\x00", {"truncated_audio", "not_audio"}),
        (b"this is no sound at all", {"not_audio"}),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, data: bytes, rules: set[str]) -> None:
    (tmp_path / "c.wav").write_bytes(data)
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert refusal.rule in rules
    assert refusal.scope == "file"
    assert refusal.hint


def test_a_file_of_no_samples_is_refused(tmp_path: Path) -> None:
    noise(tmp_path / "c.wav", frames=0)
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert refusal.rule == "no_samples"


@pytest.mark.parametrize(
    "sidecar",
    [
        {"channels": "caller"},
        {"channels": ["left", "right"]},
        {"channels": ["caller", 2]},
        {"offset_s": "1"},
        {"offset_s": {"left": 1}},
        {"channels": ["caller", "agent"], "id": 7},
        {"encoding": 3},
    ],
)
def test_a_wrong_sidecar_refuses_its_audio(tmp_path: Path, sidecar: dict[str, Any]) -> None:
    noise(tmp_path / "c.wav", channels=2)
    (tmp_path / "c.json").write_text(json.dumps(sidecar))
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert (refusal.rule, refusal.scope) == ("sidecar_invalid", "file")
    assert "c.json" in refusal.location


def test_json_of_the_same_name_that_is_no_sidecar_is_none(tmp_path: Path) -> None:
    noise(tmp_path / "c.wav")
    turns = [{"speaker": "user", "text": "hi", "start_s": 0.5, "end_s": 1.5}]
    (tmp_path / "c.json").write_text(json.dumps({"id": "other", "turns": turns}))
    calls, refusals = read(tmp_path)
    assert [(call.id, call.source_format) for call in calls] == [("other", "voiceeval"), ("c", "audio")]
    assert refusals == []


def test_a_copy_of_a_recording_is_taken_once(tmp_path: Path) -> None:
    noise(tmp_path / "a.wav", frames=800)
    noise(tmp_path / "b" / "a.wav", frames=800)
    noise(tmp_path / "c.wav", frames=900)
    calls, (note,) = read(tmp_path)
    assert [call.id for call in calls] == [f"{tmp_path.name}--a", "c"]
    assert (note.rule, note.scope) == ("duplicate_source", "note")
    assert note.source_uri == str(tmp_path / "b" / "a.wav")
