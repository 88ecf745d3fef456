"""The first value of a file, whole or mended."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ingest.intake.peek import first_object, peek

TURNS: list[dict[str, Any]] = [{"role": "caller", "text": 'a, "b" {c', "start_s": 1.5}, {"role": "agent"}]
CALL = {"id": "c", "turns": TURNS, "x": 1}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_whole_value_is_itself(indent: int | None) -> None:
    assert peek(b"\xef\xbb\xbf \n" + json.dumps(CALL, indent=indent).encode()) == CALL
    assert peek(json.dumps([CALL, CALL], indent=indent).encode()) == [CALL, CALL]
    assert first_object(json.dumps([CALL]).encode() + b"\n{") == CALL


@given(st.integers(0, len(json.dumps(CALL))))
def test_a_value_that_breaks_off_keeps_its_whole_members(at: int) -> None:
    found = peek(json.dumps(CALL)[:at].encode())
    if found is None:
        assert at <= len('{"id": "c",')
    else:
        assert found["id"] == "c"
        assert found.keys() <= CALL.keys()
        for turn, whole in zip(found.get("turns", []), TURNS, strict=False):
            assert turn.items() <= whole.items()


@pytest.mark.parametrize("head", [b"", b"hello", b"12", b"{]", b'{"a"', b"]", b'"a"', b"{" * 5000])
def test_what_is_no_value_is_none(head: bytes) -> None:
    assert peek(head) is None


def test_lines_after_a_broken_one_are_seen_but_not_the_inside_of_a_document() -> None:
    assert peek(b'{"a": NaN}\n{"b": 1}\n') == {"b": 1}
    assert peek(b'{\n  "a": NaN,\n  "turns": [\n  {"b": 1}\n]}') is None
