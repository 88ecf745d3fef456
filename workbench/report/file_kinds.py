"""Kinds of files that are written, told by how they begin: a file is replaced by one of its kind only."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import dropwhile
from pathlib import Path
from typing import Literal

Kind = Literal["csv", "json", "parquet", "html", "xml", "contract"]

_LOOKED_AT = 1 << 16
_BINARY_BOM = b"\xef\xbb\xbf"


def is_of(kind: Kind, path: Path) -> bool:
    """Tell whether a file may be replaced by one of a kind.

    Parameters
    ----------
    kind : str
        What will be written; `contract` is one packed by `workbench pack`.
    path : pathlib.Path
        The file that is there.

    Returns
    -------
    bool
        True for an empty file, and for one that begins as the kind does.

    Raises
    ------
    OSError
        When it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    return not head or _BEGINS[kind](head)


NAMES: dict[Kind, str] = {
    "csv": "CSV file",
    "json": "JSON file",
    "parquet": "Parquet file",
    "html": "HTML page",
    "xml": "XML file",
    "contract": "packed contract",
}
"""What a user reads."""


def _text(head: bytes) -> str:
    """The beginning of a text without its byte order mark and space before it; empty for what is no UTF-8 text."""
    head = head.removeprefix(_BINARY_BOM)
    for cut in range(4):  # the last letter may be cut in two
        try:
            text = head[: len(head) - cut].decode()
        except UnicodeDecodeError:
            if len(head) < _LOOKED_AT - len(_BINARY_BOM):
                return ""
            continue
        return "" if "\0" in text else text.lstrip()
    return ""


def _is_csv(head: bytes) -> bool:
    """Whether every row has as many cells as the first; comments may stand before it."""
    text = _text(head)
    if not text or text[0] in "{[<":
        return False
    lines = dropwhile(lambda line: line.startswith("# "), io.StringIO(text, newline=""))
    try:
        rows = list(csv.reader(lines, strict=True))
    except csv.Error:
        return len(head) == _LOOKED_AT and '"' in text  # a long quoted cell is cut
    if len(head) == _LOOKED_AT:
        rows = rows[:-1] or rows
    return len({len(row) for row in rows if row}) == 1


def _is_xml(head: bytes) -> bool:
    return _text(head).startswith(("<?xml", "<testsuite")) and not _is_html(head)


def _is_html(head: bytes) -> bool:
    return b"<html" in head[:1024].lower()


def _is_contract(head: bytes) -> bool:
    from workbench.timing.contracts.members import EVIDENCE, MANIFEST, SIGNATURE

    names = tuple(name.encode() for name in (*EVIDENCE, MANIFEST, SIGNATURE))
    return head.startswith(b"PK\x03\x04") and head[30:].startswith(names)


_BEGINS: dict[Kind, Callable[[bytes], bool]] = {
    "csv": _is_csv,
    "json": lambda head: _text(head).startswith(("{", "[")),
    "parquet": lambda head: head.startswith(b"PAR1"),
    "html": _is_html,
    "xml": _is_xml,
    "contract": _is_contract,
}
