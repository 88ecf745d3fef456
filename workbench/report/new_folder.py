"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench import commits, unfinished
from workbench.errors import ExportFailed
from workbench.guarded import require_outside


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Give a hidden folder beside the target; rename it to the target when the block ends well.

    A process that is killed leaves no target, only the hidden folder ``.NAME.unfinished-...``, which goes when that
    target is made the next time.

    Parameters
    ----------
    target : pathlib.Path
        A folder that does not exist, or is empty.

    Yields
    ------
    pathlib.Path
        Where to write.

    Raises
    ------
    ExportFailed
        When the target holds something, is a file, lies in an archive or a contract, or the disk refuses to be
        written. Nothing is left then.
    """
    require_outside(target)
    target = Path(os.path.realpath(target))
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise ExportFailed(
                "it is a folder that is not empty" if target.is_dir() else "it is a file",
                where=str(target),
                hint="name a new folder; an export never writes over another",
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.folder(target) as hidden:
            inner = hidden / target.name  # made with the rights that a new folder gets here
            inner.mkdir()
            yield inner
            inner.replace(target)
    except OSError as error:
        raise _refused(error, target) from error
    commits.written(target)


def _refused(error: OSError, target: Path) -> ExportFailed:
    return ExportFailed(
        f"the export cannot be written ({error.strerror or error}); nothing is left of it",
        where=str(target),
        hint="free disk space, or name a folder you may write to",
    )
