"""What a scan says beside its share: files without their other side, and calls that its page does not draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.plural import plural

MOST_NAMED = 3


def one_sided(mono: Mapping[str, Any]) -> str | None:
    """Say which mono calls are named like one side of a call whose other side is not there.

    Parameters
    ----------
    mono : mapping
        From :func:`workbench.analysis.folder_health.mono_block`.

    Returns
    -------
    str or None
        None where there is none.
    """
    files = mono["one_side_files"]
    if not files:
        return None
    shown = ", ".join(files[:MOST_NAMED]) + (f" and {len(files) - MOST_NAMED} more" if files[MOST_NAMED:] else "")
    are, them = ("is", "it") if len(files) == 1 else ("are", "them")
    return (
        f"{len(files)} of these {are} named like one side of a call, but the other side is not beside {them}; "
        f"a silence of that side counts as one of the call: {shown}"
    )


def undrawn(worst: Sequence[Mapping[str, Any]], *, drawn: int, changed: int, most: int) -> str | None:
    """Say how many of the worst calls a page does not draw, and why.

    Parameters
    ----------
    worst : sequence of mapping
        From :func:`workbench.analysis.folder_health.worst_calls`.
    drawn, changed : int
        How many are drawn, and how many cannot be, as their file is another one by now or gone.
    most : int
        How many a page draws.

    Returns
    -------
    str or None
        Sentences; None where each of them is drawn.
    """
    two = sum(row["file_count"] > 1 for row in worst)
    beyond = len(worst) - drawn - two - changed
    why = [
        (two, "in two files, and such calls are not drawn"),
        (changed, "in a file that was changed or moved since it was scanned"),
        (beyond, f"after the first {most} that can be"),
    ]
    reasons = [f"{count} {said}" for count, said in why if count]
    if not reasons:
        return None
    left_out = len(worst) - drawn
    if drawn == 0:
        none = "This call is not drawn" if left_out == 1 else f"None of these {plural(left_out, 'call')} is drawn"
        return f"{none}: {'; '.join(reasons)}."
    return f"{left_out} of these {'is' if left_out == 1 else 'are'} not drawn below: {'; '.join(reasons)}."
