"""`--channels` beside what a sidecar, document or format states: what is stated counts, and the import says so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench.archive import labelling
from workbench.archive.archive import Archive
from workbench.errors import UsageError
from workbench.ingest import read
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, ChannelRole, Refusal

VAPI = Path(__file__).parents[2] / "data" / "calls" / "vapi-defaults"
MHM = "vapi-default-03-backchannel-mhm"
OPTION: tuple[ChannelRole, ...] = ("caller", "agent")
EXCHANGED: tuple[ChannelRole, ...] = ("agent", "caller")


def sound(folder: Path, name: str = "c.wav", *, channels: int = 2) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    samples = np.random.default_rng(1).uniform(-0.1, 0.1, (800, channels))
    soundfile.write(folder / name, samples, 8_000, subtype="PCM_16")
    return folder / name


def audio_with_sidecar(folder: Path, roles: list[str]) -> Path:
    sound(folder)
    (folder / "c.json").write_text(json.dumps({"channels": roles}), encoding="utf-8")
    return folder


def native(folder: Path, roles: list[str]) -> Path:
    sound(folder)
    document = {"format": "workbench.call/1", "id": "c", "audio": [{"path": "c.wav", "channels": roles}]}
    (folder / "call.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def scenario(folder: Path, roles: list[str]) -> Path:
    for part, name in (("scenarios", f"{MHM}.json"), ("audio", f"{MHM}.example.wav")):
        (folder / part).mkdir(parents=True, exist_ok=True)
        shutil.copy(VAPI / part / name, folder / part)
    path = folder / "scenarios" / f"{MHM}.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    document["channels"] = {"caller_channel": roles.index("caller"), "agent_channel": roles.index("agent")}
    path.write_text(json.dumps(document), encoding="utf-8")
    return folder


KINDS = [
    (audio_with_sidecar, "sidecar", "c.json"),
    (native, "declared", "call.json"),
    (scenario, "format", f"{MHM}.json"),
]


def imported(folder: Path, asked: tuple[ChannelRole, ...] | None) -> tuple[list[str], str, list[Refusal]]:
    found = list(read([folder], Options(channels=asked)))
    (call,) = (one for one in found if isinstance(one, Call))
    (audio,) = call.audio or []
    return list(audio.channels), audio.channel_map_source, [one for one in found if isinstance(one, Refusal)]


@pytest.mark.parametrize(("make", "source", "document"), KINDS)
def test_what_is_stated_counts_and_a_note_names_where_to_correct_it(
    tmp_path: Path, make: Any, source: str, document: str
) -> None:
    make(tmp_path, ["agent", "caller"])
    roles, said_by, (note,) = imported(tmp_path, OPTION)
    assert (roles, said_by) == (["agent", "caller"], source)
    assert (note.rule, note.scope) == ("channel_map_stated", "note")
    assert "is agent,caller as its " in note.message
    assert "--channels caller,agent is not used" in note.message
    assert f'"channels" of {document}' in note.hint


@pytest.mark.parametrize(("make", "source", "_document"), KINDS)
def test_what_agrees_gives_no_note(tmp_path: Path, make: Any, source: str, _document: str) -> None:
    make(tmp_path, ["agent", "caller"])
    assert imported(tmp_path, None) == (["agent", "caller"], source, [])
    roles, said_by, notes = imported(tmp_path, EXCHANGED)
    assert (roles, said_by in (source, "option"), notes) == (["agent", "caller"], True, [])


@pytest.mark.parametrize("make", [audio_with_sidecar, native])
def test_a_stated_unknown_says_nothing_so_the_option_gives_the_role(tmp_path: Path, make: Any) -> None:
    make(tmp_path, ["unknown", "agent"])
    assert imported(tmp_path, OPTION) == (["caller", "agent"], "option", [])
    assert imported(tmp_path, EXCHANGED)[0] == ["unknown", "agent"]


def test_another_number_of_channels_than_a_document_states_is_said(tmp_path: Path) -> None:
    native(tmp_path, ["agent", "caller"])
    roles, _, (note,) = imported(tmp_path, ("caller", "agent", "mixed"))
    assert (roles, note.rule, note.hint) == (["agent", "caller"], "channel_map_unused", "name 2 roles")


def test_a_sidecar_that_names_another_number_of_channels_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    found = read([audio_with_sidecar(tmp_path, ["caller"])], Options(channels=OPTION))
    note, call = sorted(found, key=lambda one: isinstance(one, Call))
    assert isinstance(call, Call)
    assert isinstance(note, Refusal)
    assert (call.audio or [])[0].channel_map_source == "option"
    assert (note.rule, note.scope, note.hint) == ("channel_map_unused", "note", 'correct "channels" in c.json')
    assert note.message == "the file has 2 channels, its sidecar names 1; --channels is used"


def test_a_pair_is_named_by_its_files(tmp_path: Path) -> None:
    for role in OPTION:
        sound(tmp_path, f"c.{role}.wav", channels=1)
    found = list(read([tmp_path], Options(channels=("caller",))))
    notes = [one for one in found if isinstance(one, Refusal) and one.rule == "channel_map_stated"]
    assert [note.message.partition(" ")[0] for note in notes] == ["c.agent.wav"]
    assert "exchange the names of the two files" in notes[0].hint


@pytest.mark.parametrize(("make", "source", "document"), KINDS)
def test_exchanged_channels_are_corrected_where_they_were_stated(
    tmp_path: Path, make: Any, source: str, document: str
) -> None:
    """The hint of `label --channels` names the file; corrected and imported anew, the roles are the right ones."""
    make(tmp_path / "in", ["agent", "caller"])
    archive = Archive.create(tmp_path / "archive")
    archive.add(read([tmp_path / "in"], Options()))
    ((call,),) = archive.sql("select call_id from calls").rows()
    with pytest.raises(UsageError, match="not caller,agent") as caught:
        labelling.channel_map(archive.layout, call, OPTION, author="A")
    assert f'"channels" of {document}' in (caught.value.hint or "")
    assert "--channels" not in (caught.value.hint or "")
    make(tmp_path / "in", ["caller", "agent"])
    report = archive.add(read([tmp_path / "in"], Options()), replace=True)
    assert report.replaced == 1
    rows = archive.sql("select channel_roles, channel_map_source from recordings").rows()
    assert rows == [(["caller", "agent"], source)]


@pytest.mark.parametrize("make", [native, audio_with_sidecar])
def test_roles_stated_as_unknown_are_given_by_importing_anew(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "in", ["unknown", "unknown"])
    archive = Archive.create(tmp_path / "archive")
    archive.add(read([tmp_path / "in"], Options()))
    archive.add(read([tmp_path / "in"], Options(channels=EXCHANGED)), replace=True)
    rows = archive.sql("select channel_roles, channel_map_source from recordings").rows()
    assert rows == [(["agent", "caller"], "option")]


@pytest.mark.parametrize("asked", [("caller",), EXCHANGED])
def test_an_exchanged_pair_is_told_to_exchange_its_names(tmp_path: Path, asked: tuple[ChannelRole, ...]) -> None:
    for role, frames in (("caller", 800), ("agent", 900)):
        samples = np.random.default_rng(frames).uniform(-0.1, 0.1, frames)
        (tmp_path / "in").mkdir(exist_ok=True)
        soundfile.write(tmp_path / "in" / f"c.{role}.wav", samples, 8_000, subtype="PCM_16")
    archive = Archive.create(tmp_path / "archive")
    archive.add(read([tmp_path / "in"], Options()))
    with pytest.raises(UsageError, match="caller") as caught:
        labelling.channel_map(archive.layout, "c", asked, author="A")
    assert "exchange the names of the two files" in (caught.value.hint or "")
