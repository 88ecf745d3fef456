"""Finds the folders that ship beside the code: `sql/`, `notebooks/` and `data/`, installed or not."""

from __future__ import annotations

from pathlib import Path

from workbench.errors import WorkbenchError


def folder(name: str) -> Path:
    """Return the path of a shipped folder.

    Parameters
    ----------
    name : {'sql', 'notebooks', 'data'}
        Folder to find.

    Returns
    -------
    pathlib.Path
        Inside the installed package, or beside it in a checkout.

    Raises
    ------
    WorkbenchError
        When the installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package / "_shipped" / name, package.parent / name):
        if candidate.is_dir():
            return candidate
    raise WorkbenchError(
        f"the folder {name!r} did not come with this installation",
        where=str(package),
        hint="install callbench again",
    )
