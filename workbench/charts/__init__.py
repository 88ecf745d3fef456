"""Charts: a frame in, a Vega-Lite chart out, one file each, found by listing this folder.

A file `NAME.py` holds one function `chart`, which gives a :class:`~workbench.charts.drawn.Drawn`. `theme` is the
look they share, `speech_bars` what a bar is, `shown` a table with its SQL, `pairs` facts in a line, `presses` buttons.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.charts.drawn import Drawn

_NOT_CHARTS = {"theme", "shown", "speech_bars", "drawn", "pairs", "presses"}


def charts() -> dict[str, Callable[..., Drawn]]:
    """Return the function of every chart by name, in the order of the names."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in _NOT_CHARTS)
    return {name: importlib.import_module(f"{__name__}.{name}").chart for name in names}
