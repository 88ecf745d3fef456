"""Small settings files: JSON, or YAML where its reader is installed."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.small_file import decoded, read_bytes

MOST_VALUES = 10_000
"""Of YAML, in which a value may be named again: a line can stand for more than can be held."""


def settings(path: str | Path) -> dict[str, Any]:
    """Return the settings of a file.

    Parameters
    ----------
    path : path
        ``.json``, ``.yaml`` or ``.yml``.

    Returns
    -------
    dict
        Never empty.

    Raises
    ------
    UsageError
        When the file cannot be read, holds no settings or anything but settings by name, or is YAML and its reader
        is not installed.
    """
    where, path = str(path), Path(path)
    hint = "write an object of settings by name, as JSON or YAML"
    content = read_bytes(path)
    found = _yaml(content, where) if path.suffix.lower() in (".yaml", ".yml") else _json(content, where)
    if not isinstance(found, dict) or not found or not all(isinstance(name, str) for name in found):
        what = "it is empty" if not found else "it holds no settings by name"
        raise UsageError(what, where=where, hint=hint)
    return found


def _json(content: bytes, where: str) -> Any:
    if not content.strip():
        return None
    try:
        return decoded(content, where=where)
    except UsageError as error:
        raise UsageError(error.what, where=where, hint="a YAML file ends in .yaml; " + (error.hint or "")) from error


def _yaml(content: bytes, where: str) -> Any:
    if importlib.util.find_spec("yaml") is None:
        raise UsageError("YAML cannot be read here", where=where, hint="write it as JSON, or pip install pyyaml")
    yaml: Any = importlib.import_module("yaml")
    try:
        found = yaml.safe_load(content)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"it is no YAML ({error})", where=where, hint="indent with spaces, name: value") from error
    _require_plain(found, where)
    return found


def _require_plain(value: Any, where: str) -> None:
    """Hold YAML to what JSON is held to: how deep, how much, and numbers that a float holds."""
    from workbench.strict_json import MAX_DEPTH, MAX_DIGITS

    depth = count = 0
    level = [value]
    while level:
        depth, count, inner = depth + 1, count + len(level), list[Any]()
        for item in level:
            if isinstance(item, int) and abs(item) >= 10**MAX_DIGITS:
                what = f"a number has more than {MAX_DIGITS} digits"
                raise UsageError(what, where=where, hint="the largest number a reader can hold has 308 digits")
            inner += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
            if depth > MAX_DEPTH or count + len(inner) > MOST_VALUES:
                what = f"it nests deeper than {MAX_DEPTH} levels or stands for more than {MOST_VALUES:,} values"
                raise UsageError(what, where=where, hint="write it flat, without names for what is there already")
        level = inner
