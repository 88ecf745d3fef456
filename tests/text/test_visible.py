"""Untrusted text cannot move, hide, load or run."""

from __future__ import annotations

import polars as pl
import pytest

from workbench.text.visible import visible, visible_frame


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, größe, 你好 ☎", "plain, größe, 你好 ☎"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[2Jgone", "⟨U+001B⟩[2Jgone"),
        ("pay \u202e001\u202c", "pay ⟨U+202E⟩001⟨U+202C⟩"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("</script><img src=x>", "</script><img src=x>"),
    ],
)
def test_what_is_seen(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("address", ["https://a.example/p.png", "HTTP://a.example/p.png", "data:image/png;base64,AA"])
def test_an_address_is_no_longer_one(address: str) -> None:
    """Tables make a picture of a cell in which `https?://...` or `data:image/...` is found."""
    shown = visible(f"see {address} now")
    assert address not in shown
    assert shown.replace("\u2060", "") == f"see {address} now"


def test_a_frame_keeps_its_numbers_and_nulls() -> None:
    frame = pl.DataFrame({"t": ["\u202ex", None], "n": [1.0, None], "l": [["\u202ey"], None]})
    assert visible_frame(frame).to_dict(as_series=False) == {
        "t": ["⟨U+202E⟩x", None],
        "n": [1.0, None],
        "l": ["['\\u202ey']", None],
    }


def test_a_frame_shows_every_text_as_one_is_shown() -> None:
    """A frame is searched by another engine than a text is: both find the same among all characters."""
    texts = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    schemes = ("https:", "HTTP:", "xftp:y", "data :", "Blob:", "file:", "java\u017fcript:", "javascript", "\ufb01le:")
    texts += [*schemes, "twice data: and \u202e", "", *schemes]
    shown = visible_frame(pl.DataFrame({"t": texts}))["t"].to_list()
    assert shown == [visible(text) for text in texts]
