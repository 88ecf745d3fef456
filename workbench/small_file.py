"""Small files that a user names, such as settings, prices and labels: read whole, and JSON without its traps."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from workbench.errors import ImportFailed, UsageError
from workbench.plural import plural
from workbench.strict_json import decode

MAX_BYTES = 1 << 20


def read_bytes(path: str | Path, *, max_bytes: int | None = MAX_BYTES) -> bytes:
    """Return what a file holds.

    Parameters
    ----------
    path : path
        The file.
    max_bytes : int, optional
        Most bytes that are read.

    Returns
    -------
    bytes

    Raises
    ------
    UsageError
        When it cannot be read, is a device or a pipe, which would be waited for, or is larger.
    """
    path, where = Path(path), str(path)
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise UsageError("it is a device or a pipe", where=where, hint="write it to a file first")
        with path.open("rb") as file:
            content = file.read(-1 if max_bytes is None else max_bytes + 1)
    except OSError as error:
        raise UsageError(f"it cannot be read ({error.strerror})", where=where, hint="check the path") from error
    if max_bytes is not None and len(content) > max_bytes:
        raise UsageError(f"it has more than {plural(max_bytes, 'byte')}", where=where, hint="is it the right file?")
    return content


def read_stdin() -> bytes:
    """Return all that is piped into this process.

    Raises
    ------
    UsageError
        When stdin is closed, or cannot be read.
    """
    hint = "pipe it in, or name a file"
    if sys.stdin is None:
        raise UsageError("it is closed", where="stdin", hint=hint)
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"it cannot be read ({error.strerror})", where="stdin", hint=hint) from error


def read_json(path: str | Path, *, max_bytes: int | None = MAX_BYTES) -> Any:
    """Return the value that a JSON file holds.

    Parameters
    ----------
    path, max_bytes
        As for :func:`read_bytes`.

    Returns
    -------
    object
        dict, list, str, int, float, bool or None.

    Raises
    ------
    UsageError
        As :func:`read_bytes`, and when it is no JSON, nests too deep, gives a key twice, or holds what is no number:
        the same that calls are held to.
    """
    return decoded(read_bytes(path, max_bytes=max_bytes), where=str(path))


def decoded(content: bytes, *, where: str) -> Any:
    """Return the value of JSON.

    Parameters
    ----------
    content : bytes
        UTF-8.
    where : str
        Its file, for errors.

    Returns
    -------
    object

    Raises
    ------
    UsageError
        As :func:`read_json`.
    """
    try:
        return decode(content, where=where)
    except ImportFailed as error:
        hint = "write it flat, as in the documentation" if error.rule == "too_deep" else error.hint
        raise UsageError(error.what, where=where, hint=hint) from error
