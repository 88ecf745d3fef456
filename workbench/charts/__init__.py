"""Charts: a frame in, an altair chart out, one file each, found by listing this folder.

A file `NAME.py` holds one function `chart`. `theme` is the look they share, `shown` a table with its SQL.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import altair as alt

_NOT_CHARTS = {"theme", "shown"}


def charts() -> dict[str, Callable[..., alt.TopLevelMixin]]:
    """Return the function of every chart by name, in the order of the names."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in _NOT_CHARTS)
    return {name: importlib.import_module(f"{__name__}.{name}").chart for name in names}
