"""Remembers the ids of an import of any size, on disk once they are many."""

from __future__ import annotations

import sqlite3
import weakref
from hashlib import blake2b

KEY_BYTES = 16


class Seen:
    """Names and what they stood for, as digests; a few megabytes of memory for millions of calls."""

    def __init__(self) -> None:
        self._base = sqlite3.connect("", check_same_thread=False)  # a private file, gone when closed
        weakref.finalize(self, self._base.close)
        self._base.execute("CREATE TABLE seen (name BLOB PRIMARY KEY, content BLOB) WITHOUT ROWID")

    def meet(self, name: str, content: str) -> str | None:
        """Remember a name with its content when it is new.

        Parameters
        ----------
        name : str
            Such as the id of a call.
        content : str
            Such as the SHA-256 of its source.

        Returns
        -------
        {None, 'same', 'other'}
            None for a new name, else whether it stood for the same content.
        """
        key, value = _digest(name), _digest(content)
        added = self._base.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (key, value))
        if added.rowcount:
            return None
        known = self._base.execute("SELECT content FROM seen WHERE name = ?", (key,)).fetchall()
        return "same" if known == [(value,)] else "other"

    def forget(self, name: str) -> None:
        """Forget a name, as when what it stood for was refused."""
        self._base.execute("DELETE FROM seen WHERE name = ?", (_digest(name),))

    def close(self) -> None:
        """Remove the file."""
        self._base.close()


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()
