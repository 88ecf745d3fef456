"""Links that lead nowhere: their target is gone, or they lead to themselves."""

from __future__ import annotations

import os
from pathlib import Path


def leads_nowhere(path: str | os.PathLike[str]) -> str | None:
    """Return what a path is where it is a link without a target.

    Parameters
    ----------
    path : path
        Whatever was named; it need not be a path at all.

    Returns
    -------
    str or None
        What to say of it; None for anything else, also for what is not there or may not be looked at.
    """
    try:
        target = Path(path).readlink()
        return None if Path(path).exists() else f"it is a link that leads nowhere (to {target})"
    except (OSError, ValueError):  # no link, too long for a path, or with a NUL in it
        return None


REMEDY = "mend the link, or name another file or folder"
