"""Values as SQL text, for parameters.

To bind a parameter DuckDB asks whether it is one of pandas' missing values, and imports pandas for that where
it is installed, in 0.3 s. Arguments of EXECUTE are bound all the same, and asked nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from workbench.archive.lake.connection import quote

LARGEST = 2**63 - 1


def arguments(params: Mapping[str, Any]) -> str | None:
    """Return parameters as the arguments of an EXECUTE.

    Parameters
    ----------
    params : mapping
        Values by name.

    Returns
    -------
    str or None
        For instance ``call := 'a', limit := 3``; None where a value is of a kind that has no plain text here.
    """
    texts = {name: literal(value) for name, value in params.items()}
    if any(text is None or not name.isidentifier() for name, text in texts.items()):
        return None
    return ", ".join(f"{name} := {text}" for name, text in texts.items())


def literal(value: Any) -> str | None:
    """Return a value as SQL text of the type that DuckDB gives it when it is bound.

    Parameters
    ----------
    value : object
        Text, whole number of 64 bits, finite float, truth value, None, or a list of texts.

    Returns
    -------
    str or None
        None for every other value.
    """
    if value is None:
        return "NULL"
    if type(value) is bool:
        return str(value).lower()
    if type(value) is int:
        return str(value) if abs(value) <= LARGEST else None
    if type(value) is float:
        return f"{value!r}::DOUBLE" if math.isfinite(value) else None
    if type(value) is str:
        return None if "\0" in value else quote(value)
    if type(value) is list and value and all(type(item) is str and "\0" not in item for item in value):
        return f"[{', '.join(map(quote, value))}]"
    return None
