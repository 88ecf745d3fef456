"""What this process has done that stays: transactions that were committed, files and folders that were written.

What changed an archive is not simply done again, and what is written stays when the report of it is lost.
"""

from __future__ import annotations

_MESSAGES: list[str] = []
_WRITTEN: list[str] = []


def committed(message: str) -> None:
    """Count a transaction.

    Parameters
    ----------
    message : str
        What it was, in the words of the archive's history or better ones.
    """
    _MESSAGES.append(message)


def count() -> int:
    """Return how many transactions of this process were committed, in whatever archive."""
    return len(_MESSAGES)


def written(target: object) -> None:
    """Note a file or folder that a user asked for and that is there now."""
    _WRITTEN.append(str(target))


def kept() -> str:
    """Return what stays, as a clause: "done in the archive: label c1"; empty where nothing was done."""
    done = [f"done in the archive: {', '.join(dict.fromkeys(_MESSAGES))}"] if _MESSAGES else []
    return "; ".join(done + ([f"written: {', '.join(dict.fromkeys(_WRITTEN))}"] if _WRITTEN else []))
