"""Buttons of a notebook whose page takes a while to be drawn anew: a press counts for what was shown with it, once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

APART = 8
"""Drawings whose buttons are told apart: a press is never so late that another eight came between."""


class Presses:
    """The buttons of a cell. marimo gives a cell's buttons the same ids each time it draws them.

    A press on a page that still shows what was before would so reach the button of what came after.
    """

    def __init__(self) -> None:
        self._drawn = count()

    def drawn(self, buttons: int) -> Callable[[Callable[[], None]], Callable[[object], None]]:
        """Begin to draw the cell: its buttons get other ids than the last time, and one press of them all counts.

        Parameters
        ----------
        buttons : int
            How many the cell has at most; it has no other inputs.

        Returns
        -------
        callable
            Makes what a button does into its `on_click`. A press does nothing after another one of the same drawing,
            nor once the cell was drawn anew. What it does has to draw the cell anew.
        """
        import marimo as mo

        for _ in range(next(self._drawn) % APART * buttons):
            mo.ui.button()  # takes an id
        taken: list[bool] = []

        def first(act: Callable[[], None]) -> Callable[[object], None]:
            def pressed(_value: object) -> None:
                if not taken:
                    taken.append(True)
                    act()

            return pressed

        return first
