"""Transcripts made safe to show: nothing in them moves, hides, loads or runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_ADDRESS = re.compile(r"(https?|ftp|data|blob|file|javascript)(?=:)", re.IGNORECASE)
_JOINER = "\u2060"
_SUSPECT = (  # what either of the two above finds, as polars (Rust) reads it; no text there holds a surrogate
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    r"\U000e0000-\U000e007f]|(?i:https?|ftp|data|blob|file|javascript):"
)


def marked(text: str) -> str:
    r"""Return a text whose control characters and hidden marks are written as their code points.

    Parameters
    ----------
    text : str
        Untrusted text.

    Returns
    -------
    str
        Line feeds, tabs and joiners of letters stay; nothing is left that moves a cursor or hides a word.

    Examples
    --------
    >>> marked("\x1b[2Jgone")
    '⟨U+001B⟩[2Jgone'
    """
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def visible(text: str) -> str:
    """Return a text as a reader should see it.

    Control characters, bidirectional marks and most characters without a width become their code point in
    brackets, so that they can neither reorder nor hide words (joiners of letters stay: whole scripts need
    them). The scheme of an address is cut by an invisible joiner, so that no table makes a link or a picture
    of it: a picture would be fetched from outside.

    Parameters
    ----------
    text : str
        Untrusted text.

    Returns
    -------
    str
        Still not HTML: escape it before it goes into a page.

    Examples
    --------
    >>> visible("pay \u202e100\u202c now")
    'pay ⟨U+202E⟩100⟨U+202C⟩ now'
    """
    return _ADDRESS.sub(lambda found: found[0][0] + _JOINER + found[0][1:], marked(text))


def visible_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose texts can be shown in a table.

    Parameters
    ----------
    frame : polars.DataFrame
        Any frame; lists and structs are written as text.

    Returns
    -------
    polars.DataFrame
        Same columns and rows; texts as :func:`visible` shows them, numbers untouched.
    """
    import polars as pl

    shown: dict[str, pl.Expr] = {}
    found = frame.select(pl.col(pl.String).str.contains(_SUSPECT).any()).to_dicts()  # one pass over all texts
    suspicious = found[0] if found else {}
    for name, kind in frame.schema.items():
        if suspicious.get(name):
            suspects = frame[name].filter(frame[name].str.contains(_SUSPECT)).unique()
            changed = [visible(text) for text in suspects]
            shown[name] = pl.col(name).replace(suspects, pl.Series(changed, dtype=pl.String))
        elif kind.is_nested():
            shown[name] = pl.col(name).map_elements(
                lambda value: visible(str(value.to_list() if isinstance(value, pl.Series) else value)),
                return_dtype=pl.String,
            )
    return frame.with_columns(**shown)
