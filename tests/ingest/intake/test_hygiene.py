"""Secrets are stripped and counted; words and plain addresses are not touched."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import ingest
from workbench.assets import folder
from workbench.ingest.intake.hygiene import strip_call, strip_refusal
from workbench.ingest.intake.secrets import MARKS, strip_text, strip_value
from workbench.schema.call import Call, Refusal, Span, StateRow, ToolCall, Turn

HEX = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (
            "https://b.s3.amazonaws.com/r.wav?X-Amz-Credential=AB&X-Amz-Signature=12",
            "https://b.s3.amazonaws.com/r.wav?[stripped]",
        ),
        (
            "see https://storage.googleapis.com/b/r.wav?GoogleAccessId=a&Expires=1&Signature=x%2B now",
            "see https://storage.googleapis.com/b/r.wav?[stripped] now",
        ),
        (
            "https://a.blob.core.windows.net/c/r.wav?sv=2022&se=2026&sr=b&sp=r&sig=a%3D",
            "https://a.blob.core.windows.net/c/r.wav?[stripped]",
        ),
        ("https://h/x?a=1&access_token=abc", "https://h/x?[stripped]"),
        ("https://h/x#access_token=abc", "https://h/x#[stripped]"),
        ("wss://user:pass@h:8080/x?room=2", "wss://h:8080/x?room=2"),
        ("key is sk-proj-abcdefghijklmnop1234", "key is [stripped]"),
        ("AKIAIOSFODNN7EXAMPLE", "[stripped]"),
        ("Authorization: Bearer abcdefghijklmnop.qrs", "Authorization: Bearer [stripped]"),
        ("xoxb-123456789012-abcdef", "[stripped]"),
        ("ghp_" + "a1" * 18, "[stripped]"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "[stripped]"),
    ],
)
def test_each_kind_is_stripped_once(text: str, clean: str) -> None:
    assert strip_text(text) == (clean, 1)
    assert strip_text(clean) == (clean, 0)


@pytest.mark.parametrize(
    "text",
    [
        "https://h/calls?id=17&page=2",
        "I asked for the key to room 15, a task-oriented desk-to-desk transfer",
        "the disk-space is low, risk-averse, sk-8 board",
        "mail me at a@b.example",
        "pk_1",
        "order 4411-0000-2222 and call id 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "https://[broken",
    ],
)
def test_ordinary_texts_are_left_alone(text: str) -> None:
    assert strip_text(text) == (text, 0)


@pytest.mark.parametrize(
    ("value", "clean", "count"),
    [
        ({"api_key": "short"}, {"api_key": "[stripped]"}, 1),
        ({"password": "hunter2"}, {"password": "[stripped]"}, 1),
        ({"sessionToken": HEX}, {"sessionToken": "[stripped]"}, 1),
        ({"a": [{"secret": ["x", "y"]}]}, {"a": [{"secret": ["[stripped]", "[stripped]"]}]}, 2),
        ({"max_tokens": 153, "primary_key": "row", "keyboard": "qwerty"}, None, 0),
        ({"authorization": "granted"}, None, 0),
        ({"password dest": "phone", "secret_question": "first pet"}, None, 0),
        ({"secret_hash": HEX}, {"secret_hash": "[stripped]"}, 1),
        (
            {"clientSecret": "x", "DB_PASSWORD": "y"},
            {"clientSecret": "[stripped]", "DB_PASSWORD": "[stripped]"},
            2,
        ),
        ({"id": HEX}, None, 0),
        ({"secret": None, "password": ""}, None, 0),
        (json.dumps({"token": HEX}), '{"token": "[stripped]"}', 1),
        ("{not json", None, 0),
    ],
)
def test_values_under_telling_names(value: object, clean: object, count: int) -> None:
    assert strip_value(value) == (value if clean is None else clean, count)


def test_every_part_of_a_call_is_looked_at_and_counted_once() -> None:
    url = "https://h/x?sig=abc"
    call = Call(
        id="c",
        source_uri="calls.json",
        platform=url,
        policy={"url": url},
        tags={"token": HEX, "plain": "x"},
        turns=[Turn(role="caller", text=f"go to {url} with sk-abcdefghijklmnop1234", entities={"link": url})],
        tool_calls=[ToolCall(name="t", arguments={"u": [url]}, result=url, error=url)],
        spans=[Span(type="x", attributes={"http": {"url": url}})],
        state=[StateRow(snapshot="before", resource="r", record={"api_key": "k"})],
    )
    call, note = strip_call(call)
    assert note is not None
    assert (note.rule, note.scope, note.location) == ("secret_stripped", "note", "call c")
    assert note.message.startswith("11 ")
    assert call.turns is not None
    assert call.turns[0].text == "go to https://h/x?[stripped] with [stripped]"
    assert call.tags == {"token": "[stripped]", "plain": "x"}
    encoded = json.dumps([str(call.tool_calls), str(call.spans), str(call.state), call.platform, call.policy])
    assert "abc" not in encoded
    assert strip_call(call)[1] is None


def test_a_plain_address_in_what_was_said_stays_as_it_was_said() -> None:
    said = "see https://shop.example/orders?id=17&page=2, or key word: basket"
    call, note = strip_call(Call(id="c", turns=[Turn(role="agent", text=said, heard=said, truth=said)]))
    assert note is None
    assert call.turns is not None
    assert {call.turns[0].text, call.turns[0].heard, call.turns[0].truth} == {said}


def test_a_clean_call_is_the_same_call() -> None:
    call = Call(id="c", turns=[Turn(role="agent", text="hello")], policy={"max_refund": 50})
    same, note = strip_call(call)
    assert same is call
    assert note is None


def test_a_refusal_carries_no_secret() -> None:
    refusal = Refusal(
        source_uri="a", location="x", rule="r", message="https://h/x?sig=abc", hint="sk-abcdefghijklmnop1234"
    )
    clean = strip_refusal(refusal)
    assert (clean.message, clean.hint) == ("https://h/x?[stripped]", "[stripped]")


@given(
    st.text(string.printable, max_size=60),
    st.sampled_from(["sk-", "AKIA", "Bearer ", "https://u@h/", "ghp_"]),
)
def test_whatever_is_stripped_has_a_mark_the_quick_look_sees(text: str, seed: str) -> None:
    text = text + seed + text
    if strip_text(text)[1]:
        assert any(mark in text.lower().encode() for mark in MARKS)


def test_no_importer_can_forget(tmp_path: Path) -> None:
    turns = [{"speaker": "user", "text": "hi", "start_s": 0.5, "end_s": 1.5}]
    policy = {"webhook": "https://h/x?token=abc"}
    (tmp_path / "c.json").write_text(json.dumps({"id": "c", "policy": policy, "turns": turns}))
    found = list(ingest.read([tmp_path]))
    (call,) = [item for item in found if isinstance(item, Call)]
    assert call.policy == {"webhook": "https://h/x?[stripped]"}
    assert [item.rule for item in found if isinstance(item, Refusal)] == ["secret_stripped"]


def test_bundled_calls_hold_nothing_that_looks_like_a_secret() -> None:
    found = list(ingest.read([folder("data") / "calls"]))
    assert len([item for item in found if isinstance(item, Call)]) > 20
    assert [item for item in found if isinstance(item, Refusal) and item.rule == "secret_stripped"] == []
