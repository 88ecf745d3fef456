r"""Text that is valid UTF-8, also where a file name or a piece of JSON is not.

A name of a file is bytes. Where they are no UTF-8, the system hands them over as lone surrogates, which no
table, JSON or terminal takes. They are shown escaped: the file ``b"bad\xff.json"`` as ``bad\xff.json``, and a
surrogate that came from elsewhere as ``\ud800``.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

_BYTE: Final = re.compile("[\udc80-\udcff]")


def is_valid(text: str) -> bool:
    """Return whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def valid(text: str) -> str:
    r"""Return the text with what is no Unicode escaped.

    Parameters
    ----------
    text : str
        Any text, such as the path of a file.

    Returns
    -------
    str
        The same text where it is valid; else with ``\xff`` for a byte of a file name, ``\ud800`` for another
        surrogate.
    """
    if is_valid(text):
        return text
    escaped = _BYTE.sub(lambda match: f"\\x{ord(match.group()) - 0xDC00:02x}", text)
    return escaped.encode("utf-8", "backslashreplace").decode()


def mend(value: Any) -> Any:
    """Return a value with every text in it valid; structs are changed in place.

    Parameters
    ----------
    value : object
        A struct of :mod:`workbench.schema.call`, or a value as JSON gives it. Keys of objects are mended too.
    """
    if isinstance(value, str):
        return valid(value)
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            setattr(value, name, mend(getattr(value, name)))
        return value
    if isinstance(value, dict):
        return {mend(key): mend(inner) for key, inner in value.items()}
    return [mend(inner) for inner in value] if isinstance(value, list) else value
