"""Which archive is meant when none is named."""

from __future__ import annotations

import os
from pathlib import Path

PLACES = ("archive", "out/demo/archive")
"""Where an archive is looked for, in this order; the second is the demo's."""


def default_archive(named: str | None = None, *, beside: Path | None = None) -> Path:
    """Return the folder of the archive that is meant.

    Parameters
    ----------
    named : str, optional
        What the user said; it is taken as it is.
    beside : pathlib.Path, optional
        A second folder to look in after the current one.

    Returns
    -------
    pathlib.Path
        `named`, else `$WORKBENCH_ARCHIVE`, else the first of :data:`PLACES` that is an archive, else the
        first of them, which may not exist.
    """
    if named or os.environ.get("WORKBENCH_ARCHIVE"):
        return Path(named or os.environ["WORKBENCH_ARCHIVE"])
    for root in (Path(), *([beside] if beside else [])):
        for place in PLACES:
            if (root / place / "archive.json").is_file():
                return root / place
    return Path(PLACES[0])
