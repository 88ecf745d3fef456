"""Small settings files: JSON, or YAML where its reader is installed."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import msgspec

from workbench.errors import UsageError
from workbench.plural import plural

MAX_BYTES = 1 << 20


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
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"it cannot be read ({error.strerror})", where=where, hint="check the path") from error
    if len(content) > MAX_BYTES:
        raise UsageError(
            f"it has {plural(len(content), 'byte')}, and settings have at most {MAX_BYTES:,}", where=where, hint=hint
        )
    found = _yaml(content, where) if path.suffix.lower() in (".yaml", ".yml") else _json(content, where)
    if not isinstance(found, dict) or not found or not all(isinstance(name, str) for name in found):
        what = "it is empty" if not found else "it holds no settings by name"
        raise UsageError(what, where=where, hint=hint)
    return found


def _json(content: bytes, where: str) -> Any:
    if not content.strip():
        return None
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"it is no JSON ({error})", where=where, hint="a YAML file ends in .yaml") from error


def _yaml(content: bytes, where: str) -> Any:
    if importlib.util.find_spec("yaml") is None:
        raise UsageError("YAML cannot be read here", where=where, hint="write it as JSON, or pip install pyyaml")
    yaml: Any = importlib.import_module("yaml")
    try:
        return yaml.safe_load(content)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"it is no YAML ({error})", where=where, hint="indent with spaces, name: value") from error
