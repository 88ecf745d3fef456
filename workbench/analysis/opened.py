"""The archive a notebook is about, or one clear reason why there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.analysis.tried import tried

if TYPE_CHECKING:
    from workbench.archive.archive import Archive


def opened(path: str | Path) -> Archive:
    """Open an archive from a cell; where that is refused, say why and stop the cell, or end the script.

    Parameters
    ----------
    path : path
        Folder of the archive.

    Returns
    -------
    Archive
    """
    import marimo

    import workbench

    archive, problem = tried(lambda: workbench.open(path))
    if problem is not None and marimo.app_meta().mode == "script":
        sys.exit(problem)
    said = f"{problem}\nWithout calls of your own: workbench demo out/demo"
    marimo.stop(archive is None, marimo.callout(marimo.plain_text(said), kind="danger"))
    assert archive is not None
    return archive
