"""Files people have, as calls: one module a format, found by listing this folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.ingest.intake.discovery import importers

if TYPE_CHECKING:
    from workbench.ingest.intake.reading import Progress, Reading
    from workbench.ingest.protocol import Options

__all__ = ["importers", "read"]


def read(
    paths: Sequence[str | os.PathLike[str]],
    options: Options | None = None,
    *,
    format: str = "auto",  # noqa: A002 - named as the option is
    on_progress: Progress | None = None,
    workers: int = 1,
) -> Reading:
    """Read calls from files and folders, one at a time.

    Parameters
    ----------
    paths : sequence of path
        Files and folders; folders are walked to any depth, in byte order of the relative names. Calls that
        are more than audio come first, so that audio they name is not read a second time as audio alone.
    options : Options, optional
        What the user says about all of it.
    format : str, default 'auto'
        Name of one importer, or 'auto'.
    on_progress : callable, optional
        Called before each input and at the end with the bytes done, the bytes in all, and the path.
    workers : int, default 1
        Threads that take the digests of the audio files to come; 1 takes none ahead.

    Returns
    -------
    Reading
        An iterator over calls, each sound and free of secrets, and refusals; the refusals of a call come
        before it. It also counts the files that were skipped. Nothing for empty folders.

    Raises
    ------
    UsageError
        At once, when a path does not exist or the format is unknown.
    ImportFailed
        While iterating, with ``options.strict``, in place of the first refusal that is not a note.
    """
    from workbench.ingest.intake.reading import Reading
    from workbench.ingest.intake.walk import survey
    from workbench.ingest.protocol import Options

    return Reading(survey(paths, format=format), options or Options(), on_progress=on_progress, workers=workers)
