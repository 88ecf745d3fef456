"""Texts that may name a file of the machine they were written on."""

from __future__ import annotations

import re

_SIGNS = r"\s'\"`<>()"
_PLAIN = rf"(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\](?:[^/\\{_SIGNS}]+[/\\])+(?=[^/\\{_SIGNS}])"
_QUOTED = r"(?<=['\"`])(?:[A-Za-z]:)?[/\\](?:[^/\\'\"`]+[/\\])+(?=[^/\\'\"`]+['\"`])"
_FOLDERS = re.compile(f"{_QUOTED}|{_PLAIN}")


def without_folders(text: str | None) -> str | None:
    r"""Return a text in which absolute paths are cut to their last name; None stays None.

    A path with spaces in it is seen as one where it stands between quotes.

    Examples
    --------
    >>> without_folders("cannot read '/srv/my calls/x.wav' (12/30 bytes)")
    "cannot read 'x.wav' (12/30 bytes)"
    >>> without_folders("C:\\calls\\x.wav and /srv/calls/y.wav, not https://h.example/a/b")
    'x.wav and y.wav, not https://h.example/a/b'
    """
    return None if text is None else _FOLDERS.sub("", text)
