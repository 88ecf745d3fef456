"""The sidecar of two mono files: one offset or one each, its form, its place, and what it may not say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.ingest import read
from workbench.ingest.protocol import Options
from workbench.schema.call import Audio, Call, ChannelRole, Refusal


def pair(folder: Path, *names: str, sidecar: object = None, place: str = "c.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for frames, name in enumerate(names or ("c.caller.wav", "c.agent.wav"), 800):
        samples = np.random.default_rng(frames).uniform(-0.1, 0.1, frames)
        soundfile.write(folder / name, samples, 8_000, subtype="PCM_16")
    if sidecar is not None:
        (folder / place).write_text(json.dumps(sidecar), encoding="utf-8")
    return folder


def found(folder: Path, asked: tuple[ChannelRole, ...] | None = None) -> tuple[list[Call], list[Refusal]]:
    items = list(read([folder], Options(channels=asked)))
    return [one for one in items if isinstance(one, Call)], [one for one in items if isinstance(one, Refusal)]


def starts(call: Call) -> list[tuple[str, float]]:
    audio: list[Audio] = call.audio or []
    return [(one.channels[0], one.offset_s) for one in audio]


def test_one_offset_moves_both_files_and_the_note_that_they_start_together_stays(tmp_path: Path) -> None:
    (call,), (note,) = found(pair(tmp_path, sidecar={"offset_s": 1.0}))
    assert starts(call) == [("caller", 1.0), ("agent", 1.0)]
    assert call.duration_s == pytest.approx(1.0 + 801 / 8_000)
    assert note.rule == "pair_offset_assumed"


def test_an_offset_each_needs_no_note(tmp_path: Path) -> None:
    (call,), notes = found(pair(tmp_path, sidecar={"offset_s": {"caller": 0.5, "agent": 0.25}}))
    assert (starts(call), notes) == ([("caller", 0.5), ("agent", 0.25)], [])


@pytest.mark.parametrize("wrong", [{"offset_s": "late"}, {"offset_s": {"bot": 1.0}}, {"channels": "caller"}])
def test_the_hint_for_a_wrong_sidecar_of_two_files_shows_that_of_two_files(tmp_path: Path, wrong: object) -> None:
    calls, refusals = found(pair(tmp_path, sidecar=wrong))
    assert (calls, {one.rule for one in refusals}) == ([], {"sidecar_invalid"})
    assert all('"offset_s": {"caller": 0.0, "agent": 1.9}' in one.hint for one in refusals)


def test_an_offset_each_beside_one_file_is_refused_and_not_dropped(tmp_path: Path) -> None:
    sidecar = {"channels": ["caller", "agent"], "offset_s": {"caller": 0.0, "agent": 1.9}}
    folder = pair(tmp_path, "c.wav", sidecar=sidecar)
    calls, (refusal,) = found(folder)
    assert (calls, refusal.rule) == ([], "sidecar_invalid")
    assert refusal.message == "offset_s names 'caller', 'agent', and there is one file"
    assert '"offset_s": 0.0' in refusal.hint


@pytest.mark.parametrize("names", [("c.caller.wav", "c.agent.wav"), ("caller.wav", "agent.wav")])
def test_the_hint_says_where_the_sidecar_goes_and_there_it_counts(tmp_path: Path, names: tuple[str, str]) -> None:
    folder = pair(tmp_path / "c", *names)
    _, (note,) = found(folder)
    place = folder / "c.json"
    assert note.hint.endswith(f" to {place}")
    place.write_text('{"offset_s": {"caller": 0.0, "agent": 1.9}}', encoding="utf-8")
    (call,), notes = found(folder)
    assert (starts(call), notes) == ([("caller", 0.0), ("agent", 1.9)], [])


def test_a_note_names_its_file_once(tmp_path: Path) -> None:
    _, (note,) = found(pair(tmp_path / "both"))
    assert (note.source_uri, note.location) == (str(tmp_path / "both" / "c.caller.wav"), "")
    assert note.message == "it and c.agent.wav are taken to start at the same moment"
    _, (note,) = found(pair(tmp_path / "half", "c.caller.wav"))
    assert (note.source_uri, note.location) == (str(tmp_path / "half" / "c.caller.wav"), "")
    assert note.message == "it is named like one side of a call, but the other side is not beside it"


@pytest.mark.parametrize("said", [["agent", "caller"], ["caller"], ["mixed", "agent"], ["unknown", "caller"]])
def test_roles_of_a_sidecar_that_names_contradict_are_said_to_be_in_vain(tmp_path: Path, said: list[str]) -> None:
    (call,), (note, _) = found(pair(tmp_path, sidecar={"channels": said}))
    assert [role for role, _ in starts(call)] == ["caller", "agent"]
    assert (note.rule, note.scope) == ("channel_map_stated", "note")
    assert note.message == (
        "it is the caller's and c.agent.wav the agent's by their names; "
        f'"channels" of c.json, {",".join(said)}, is not used'
    )
    assert note.hint == "if that is wrong, exchange the names of the two files and import it again with --replace"


@pytest.mark.parametrize("said", [["caller", "agent"], ["unknown", "agent"], ["customer", "bot"]])
def test_roles_of_a_sidecar_that_agree_need_no_note(tmp_path: Path, said: list[str]) -> None:
    _, notes = found(pair(tmp_path, sidecar={"channels": said}))
    assert [one.rule for one in notes] == ["pair_offset_assumed"]


def test_an_option_that_names_contradict_is_said_to_be_in_vain(tmp_path: Path) -> None:
    (call,), (_, note) = found(pair(tmp_path), ("agent", "caller"))
    assert [role for role, _ in starts(call)] == ["caller", "agent"]
    assert (note.rule, note.scope) == ("channel_map_stated", "note")
    assert note.message == (
        "it is the caller's and c.agent.wav the agent's by their names; --channels agent,caller is not used"
    )
    assert note.hint == "if that is wrong, exchange the names of the two files and import it again with --replace"
    assert [one.rule for one in found(tmp_path, ("caller", "agent"))[1]] == ["pair_offset_assumed"]


def test_an_option_that_a_document_of_two_files_contradicts_names_the_document(tmp_path: Path) -> None:
    audio = [{"path": f"{name}.wav", "channels": [role]} for name, role in (("a", "agent"), ("b", "caller"))]
    document = {"format": "workbench.call/1", "id": "c", "audio": audio}
    (call,), (note,) = found(pair(tmp_path, "a.wav", "b.wav", sidecar=document), ("agent", "caller"))
    assert [role for role, _ in starts(call)] == ["agent", "caller"]
    assert (
        note.message
        == "b.wav is the caller's and a.wav the agent's by its document; --channels agent,caller is not used"
    )
    assert '"channels" of c.json' in note.hint
