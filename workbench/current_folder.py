"""The folder that a command runs in, which somebody may have removed meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.errors import UsageError


def gone() -> UsageError | None:
    """Return the error for a current folder that is not there any more; None where it is.

    Returns
    -------
    UsageError or None
        It names the folder by the variable PWD, as the shell still calls it.
    """
    try:
        Path.cwd()
    except FileNotFoundError:
        named = os.environ.get("PWD") or "."
        return UsageError(
            "the current folder was removed, and nothing can run in it",
            where=named,
            hint="change to a folder that is there: cd",
        )
    return None
