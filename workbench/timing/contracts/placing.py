"""Puts the files of a contract in their place: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench import commits, unfinished
from workbench.errors import ExportFailed
from workbench.guarded import require_outside


@contextmanager
def placed(target: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """Write files into a hidden folder, run the block, and give the folder its name when the block ends well.

    What killed processes left of contracts in the same place is removed first.

    Parameters
    ----------
    target : pathlib.Path
        A folder that does not exist.
    files : mapping of str to bytes
        By name, with `/` between folder and file.

    Yields
    ------
    None

    Raises
    ------
    ExportFailed
        When the target exists, lies in an archive or another contract, or the disk refuses. Nothing is left then, nor
        where the block fails.
    """
    target = Path(target)
    require_outside(target)
    try:
        if target.exists() or target.is_symlink():
            raise ExportFailed(
                "it exists already", where=str(target), hint="name another folder; nothing is written over"
            )
        made = [parent for parent in (target.parent, *target.parent.parents) if not parent.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(error, target) from error
    done = False
    try:
        with unfinished.folder(target) as hidden:
            inner = hidden / target.name  # made with the rights that a new folder gets here
            for name, content in files.items():
                path = inner / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            yield
            inner.replace(target)
            done = True
            commits.written(target)
    except OSError as error:
        raise _refused(error, target) from error
    finally:
        if not done:
            for parent in made:
                with suppress(OSError):  # somebody put something there meanwhile
                    parent.rmdir()


def _refused(error: OSError, target: Path) -> ExportFailed:
    return ExportFailed(
        f"the contract cannot be written ({error.strerror or error}); nothing is left of it",
        where=str(target),
        hint="free disk space, or name a folder you may write to",
    )
