"""Files that are parts of a folder which an importer reads as a whole: used, passed over, or named alone."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from workbench.ingest.intake.discovery import importers
from workbench.ingest.protocol import Importer

DEPTH: Final = 4
"""Folders above a file that are asked whether it is a part of them."""

RULE: Final = "part_of_folder"

ONE_PART: Final = "it is one part of calls"

Problem = tuple[str, str, str]


def parts_of(folder: Path, importer: Importer) -> set[Path] | None:
    """Return the files that a folder importer reads of a folder, or None when it does not say."""
    parts: Callable[[Path], Iterable[Path]] | None = getattr(importer, "parts", None)
    return None if parts is None else set(parts(folder))


def passed_over(folder: Path, files: Iterable[Path], importer: Importer, *, walked: bool) -> list[Path]:
    """Return what an importer leaves of a folder that it claims.

    Parameters
    ----------
    folder : Path
        The folder.
    files : iterable of Path
        All files below it.
    importer : Importer
        Whoever claims it.
    walked : bool
        Whether the subfolders that the importer does not own are walked on their own, and so left out here.

    Returns
    -------
    list of Path
        Files that are not read, in byte order; a hidden folder counts once. Empty when the importer does not say
        what it reads.
    """
    used = parts_of(folder, importer)
    if used is None:
        return []
    owned = getattr(importer, "OWNS", None) if walked else None
    left = set()
    for file in files:
        names = file.relative_to(folder).parts
        hidden = next((ix for ix, name in enumerate(names) if name.startswith(".")), None)
        if file not in used and (hidden == 0 or owned is None or len(names) == 1 or names[0] in owned):
            left.add(file if hidden is None else folder.joinpath(*names[: hidden + 1]))
    return sorted(left, key=os.fsencode)


class FoldersAbove:
    """The folders above files that no importer takes by themselves; each folder is asked once."""

    def __init__(self) -> None:
        self._parts: dict[tuple[Path, str], set[Path]] = {}

    def problem(self, path: Path, forced: Importer | None = None) -> Problem | None:
        """Return rule, message and hint when a file is a part of a folder above it that an importer reads.

        Parameters
        ----------
        path : Path
            A file that no importer takes by itself.
        forced : Importer, optional
            The only importer that is asked; None asks all.

        Returns
        -------
        tuple of str or None
            The hint names the folder. None when the file belongs to no folder.
        """
        path = path.parent.resolve() / path.name
        for folder in list(path.parents)[:DEPTH]:
            for importer in [forced] if forced else importers().values():
                if importer.CLAIMS == "folder" and path in self._claimed(folder, importer):
                    message = f"{ONE_PART} that {importer.FORMAT} reads from a folder as a whole"
                    return RULE, message, f"name the folder: workbench import {shlex.quote(str(folder))}"
        return None

    def _claimed(self, folder: Path, importer: Importer) -> set[Path]:
        """Return the parts of a folder if the importer claims it; none of one that cannot be looked into."""
        key = folder, importer.FORMAT
        if key not in self._parts:
            try:
                claims = importer.sniff(folder, b"")
                self._parts[key] = (parts_of(folder, importer) or set()) if claims else set()
            except OSError:
                self._parts[key] = set()
        return self._parts[key]


def folder_problem(problems: list[Problem]) -> Problem:
    """Return one problem for several files of a folder that are parts of the same folder above it."""
    rule, message, hint = problems[0]
    return rule, message.replace(ONE_PART, f"its {len(problems)} files are parts of calls", 1), hint
