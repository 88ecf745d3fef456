"""Streaming JSON: what is read, what is refused, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.errors import ImportFailed
from workbench.ingest.intake import jsonl
from workbench.schema.call import Refusal
from workbench.strict_json import MAX_DEPTH, decode

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def values(path: Path) -> list[Any]:
    found = list(jsonl.records(path))
    assert not [item for item in found if isinstance(item, Refusal)]
    return [item.value for item in found if isinstance(item, jsonl.Record)]


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refused(path: Path) -> list[tuple[str, str]]:
    return [(item.location, item.rule) for item in jsonl.records(path) if isinstance(item, Refusal)]


def test_lines_survive_a_byte_order_mark_carriage_returns_and_blank_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", b'\xef\xbb\xbf{"a":1}\r\n\r\n  \r\n{"a":2}\r\n{"a":3}')
    found = list(jsonl.records(path))
    assert [(item.location, item.value["a"]) for item in found if isinstance(item, jsonl.Record)] == [
        ("line 1", 1),
        ("line 4", 2),
        ("line 5", 3),
    ]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
def test_no_other_line_separator_splits_a_row(tmp_path: Path, mark: str) -> None:
    text = json.dumps({"text": f"one{mark}two"}, ensure_ascii=False)
    if mark < " ":  # JSON itself wants these escaped
        text = json.dumps({"text": f"one{mark}two"})
    path = write(tmp_path, "a.jsonl", f'{text}\n{{"text":"x"}}\n'.encode())
    assert values(path) == [{"text": f"one{mark}two"}, {"text": "x"}]


def test_a_bad_line_is_refused_by_number_and_the_others_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", b'{"a":1}\n{"a":\n{"a":NaN}\n{"a":1,"a":2}\n{"a":-Infinity}\n{"a":2}\n')
    assert refused(path) == [
        ("line 2", "invalid_json"),
        ("line 3", "nan_literal"),
        ("line 4", "repeated_key"),
        ("line 5", "nan_literal"),
    ]
    assert [item.value for item in jsonl.records(path) if isinstance(item, jsonl.Record)] == [
        {"a": 1},
        {"a": 2},
    ]


def test_the_word_nan_in_a_text_is_a_text(tmp_path: Path) -> None:
    assert values(write(tmp_path, "a.jsonl", b'{"a":"NaN, said Infinity"}\n')) == [{"a": "NaN, said Infinity"}]


def test_a_key_repeated_in_an_inner_object_is_named() -> None:
    with pytest.raises(ImportFailed, match="'end_s' is given twice") as caught:
        decode(b'{"turns":[{"end_s":1,"x":"\\"end_s\\":"},{"end_s":1,"end_s":2}]}', where="here")
    assert caught.value.rule == "repeated_key"


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 200, 100_000])
def test_a_depth_bomb_is_refused(tmp_path: Path, depth: int) -> None:
    path = write(tmp_path, "a.jsonl", b"[" * depth + b"]" * depth + b'\n{"a":1}\n')
    assert refused(path) == [("line 1", "too_deep")]


def test_the_deepest_allowed_nesting_is_read_and_brackets_in_texts_do_not_count() -> None:
    assert decode(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, where="") is not None
    assert decode(json.dumps(["[" * 500]).encode(), where="") == ["[" * 500]


@pytest.mark.parametrize(
    ("data", "rule", "says"),
    [
        (b'{"a":1e999}', "invalid_json", "not valid JSON"),
        (b'{"a":"\\ud800"}', "invalid_json", "half of a surrogate pair"),
        (b'{"a":"\xff"}', "encoding", "byte 0xff at 6"),
        ('{"a": "schön"}'.encode("latin-1"), "encoding", "perhaps latin-1"),
        ('{"a": 1}'.encode("utf-16"), "encoding", "UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), "encoding", "UTF-16"),
    ],
)
def test_what_is_not_json_is_refused(data: bytes, rule: str, says: str) -> None:
    with pytest.raises(ImportFailed, match=says) as caught:
        decode(data, where="here")
    assert caught.value.rule == rule


def test_an_overlong_line_is_refused_without_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_RECORD_BYTES", 100)
    monkeypatch.setattr(jsonl, "CHUNK_BYTES", 64)
    data = b'{"a":"' + b"x" * 1000 + b'"}\n{"a":1}\n' + b'{"a":"' + b"x" * 91 + b'"}\n' + b"y" * 101
    path = write(tmp_path, "a.jsonl", data)
    assert refused(path) == [("line 1", "record_too_long"), ("line 4", "record_too_long")]
    assert len([item for item in jsonl.records(path) if isinstance(item, jsonl.Record)]) == 2


def test_an_overlong_item_of_an_array_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_RECORD_BYTES", 100)
    monkeypatch.setattr(jsonl, "CHUNK_BYTES", 64)
    path = write(tmp_path, "a.json", b'[{"a":1}, {"a":"' + b"x" * 1000 + b'"}]')
    with pytest.raises(ImportFailed, match="item 2") as caught:
        list(jsonl.records(path))
    assert caught.value.rule == "record_too_long"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(
    items=st.lists(VALUES, max_size=6),
    chunk=st.integers(1, 9),
    indent=st.sampled_from([None, 0, 2]),
    ascii_only=st.booleans(),
)
def test_an_array_in_any_pieces_gives_what_the_standard_library_gives(
    tmp_path: Path, items: list[Any], chunk: int, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    path = write(tmp_path, "a.json", text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "CHUNK_BYTES", chunk)
        assert values(path) == json.loads(text)


@pytest.mark.parametrize("data", [b'[{"a":1}', b'[{"a":1},', b'[{"a":"', b"["])
def test_an_array_that_breaks_off_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ImportFailed, match="breaks off"):
        list(jsonl.records(write(tmp_path, "a.json", data)))


def test_text_after_an_array_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="after the end"):
        list(jsonl.records(write(tmp_path, "a.json", b"[1] [2]")))


@pytest.mark.parametrize(
    ("name", "data", "locations"),
    [
        ("a.json", b'{"a":1}', ["document"]),
        ("a.json", b'{\n "a": 1\n}\n', ["document"]),
        ("a.json", b'{"a":1}\n{"a":2}\n', ["line 1", "line 2"]),
        ("a.jsonl", b'{"a":1}', ["line 1"]),
        ("a.JSONL", b"[1]\n[2]\n", ["line 1", "line 2"]),
        ("a.json", b" [ ] ", []),
        ("a.json", b"\xef\xbb\xbf[1,\r\n2]", ["item 1", "item 2"]),
        ("a.json", b" \n", []),
    ],
)
def test_the_shape_of_a_file_is_seen(tmp_path: Path, name: str, data: bytes, locations: list[str]) -> None:
    found = list(jsonl.records(write(tmp_path, name, data)))
    assert [item.location for item in found] == locations
