"""Facts in a line as notebooks show them: each value under its label."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

from workbench.charts.shown import marimo


def pairs(facts: Iterable[tuple[str, str]]) -> Any:
    """Show labels and values in a line that wraps.

    Parameters
    ----------
    facts : iterable of (str, str)
        Label and value; everything is escaped.

    Returns
    -------
    marimo.Html

    Raises
    ------
    MissingExtra
        When marimo is not installed.
    """
    mo = marimo()
    cells = "".join(
        f"<div><div style='font-size:.75rem;opacity:.65'>{html.escape(label)}</div>"
        f"<div style='font-weight:600'>{html.escape(value)}</div></div>"
        for label, value in facts
    )
    return mo.Html(f"<div style='display:flex;flex-wrap:wrap;gap:.5rem 2rem'>{cells}</div>")
