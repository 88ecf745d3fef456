"""File names that are no UTF-8 cost at most their own file, and nothing yielded holds text no table takes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec
import pytest
import soundfile

from workbench import ingest
from workbench.assets import folder
from workbench.ingest.intake.hygiene import strip_call, strip_refusal
from workbench.ingest.intake.valid_text import valid
from workbench.schema.call import Audio, Call, Refusal, Span, Turn

BAD = b"bad\xff\xfe"
CALL = b'{"format":"workbench.call/1","id":"a","turns":[{"role":"caller","text":"Hello"}]}'


def put(root: Path, name: bytes, data: bytes) -> Path:
    path = Path(os.fsdecode(os.fsencode(root) + b"/" + name))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:  # macOS takes UTF-8 names only, so the fault cannot occur there
        pytest.skip(f"the file system refuses such names: {error}")
    return path


def wav(root: Path, name: bytes) -> Path:
    plain = root / "plain.wav"
    soundfile.write(plain, [[0.0, 0.1]] * 8000, 8000)
    data = plain.read_bytes()
    plain.unlink()
    return put(root, name, data)


def read(root: Path) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([root]))
    for one in found:
        msgspec.json.encode(one)  # as every table does: fails for what is no Unicode
    return [one for one in found if isinstance(one, Call)], [one for one in found if isinstance(one, Refusal)]


@pytest.mark.parametrize("name", [BAD + b".json", BAD + b"/a.json", BAD + b".jsonl"])
def test_a_call_under_a_bad_name_is_read_and_its_address_is_escaped(tmp_path: Path, name: bytes) -> None:
    put(tmp_path, name, CALL)
    put(tmp_path, b"good.json", CALL.replace(b'"a"', b'"b"'))
    calls, refusals = read(tmp_path)
    assert sorted(call.id for call in calls) == ["a", "b"]
    assert refusals == []
    expected = f"{tmp_path}/{name.decode('utf-8', 'backslashreplace')}"
    assert next(call.source_uri for call in calls if call.id == "a") == expected


def test_broken_and_unknown_files_under_bad_names_are_refused(tmp_path: Path) -> None:
    put(tmp_path, BAD + b".json", b'{"id": NaN}')
    put(tmp_path, BAD + b".xyz", b"?")
    put(tmp_path, BAD + b"/empty.json", b"")
    _, refusals = read(tmp_path)
    assert sorted(one.rule for one in refusals) == ["empty_file", "nan_literal", "unknown_format"]
    assert all("bad\\xff\\xfe" in one.source_uri for one in refusals)


@pytest.mark.parametrize(
    "names",
    [
        [BAD + b".wav"],
        [BAD + b"/call.wav"],
        [BAD + b".caller.wav", BAD + b".agent.wav"],
    ],
)
def test_audio_under_a_bad_name_is_refused_and_the_rest_is_read(tmp_path: Path, names: list[bytes]) -> None:
    for name in names:
        wav(tmp_path, name)
    put(tmp_path, b"good.json", CALL)
    calls, refusals = read(tmp_path)
    assert [call.id for call in calls] == ["a"]
    assert {one.rule for one in refusals} == {"bad_file_name"}
    assert "bad\\xff\\xfe" in refusals[0].source_uri
    assert refusals[0].location == ""


def test_a_sidecar_under_a_bad_name_goes_with_its_audio(tmp_path: Path) -> None:
    wav(tmp_path, BAD + b".wav")
    put(tmp_path, BAD + b".json", b'{"channels": ["caller", "agent"]}')
    calls, refusals = read(tmp_path)
    assert calls == []
    assert [one.rule for one in refusals] == ["bad_file_name"]


def test_a_call_keeps_its_words_when_its_recording_has_a_bad_name(tmp_path: Path) -> None:
    wav(tmp_path, BAD + b"/r.wav")
    native = CALL.replace(b'"a",', b'"a","audio":[{"path":"r.wav","channels":["caller","agent"]}],')
    put(tmp_path, BAD + b"/c.json", native)
    calls, refusals = read(tmp_path)
    assert [(call.id, call.audio) for call in calls] == [("a", [])]
    assert {(one.rule, one.scope) for one in refusals} >= {("bad_file_name", "row")}


@pytest.mark.parametrize("source", sorted(inner.name for inner in folder("data/calls").iterdir() if inner.is_dir()))
def test_every_bundled_format_under_a_bad_folder_name(tmp_path: Path, source: str) -> None:
    """As many calls as under a good name, but for those that are audio alone."""
    bad = put(tmp_path, BAD + b"/x", b"").parent
    shutil.copytree(folder("data/calls") / source, bad / source)
    plain = [one for one in ingest.read([folder("data/calls") / source]) if isinstance(one, Call)]
    calls, _ = read(bad)
    assert {call.id for call in calls} == {call.id for call in plain if call.source_format != "audio"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "a"), ("\udcff", "\\xff"), ("\ud800é", "\\ud800é"), ("", ""), ("😀", "😀")],
)
def test_only_what_is_no_unicode_is_escaped(text: str, shown: str) -> None:
    assert valid(text) == shown


def test_surrogates_anywhere_in_a_call_are_escaped() -> None:
    lone = "x\ud800"
    call = Call(
        id="c",
        tags={lone: lone},
        turns=[Turn(role="caller", text=lone, entities={"a": [lone]})],
        spans=[Span(type=lone, attributes={"inner": f'["{chr(92)}ud800", "sk-abcdefghijklmnop1234"]'})],
        audio=[Audio(path="a.wav", channels=["caller"])],
    )
    clean, _ = strip_call(call)
    assert b"x\\\\ud800" in msgspec.json.encode(clean)
    refusal = Refusal(source_uri="\udcff", location=lone, rule="r", message=lone, hint="")
    assert strip_refusal(refusal).message == "x\\ud800"
