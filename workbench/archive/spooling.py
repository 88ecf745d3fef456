"""Rows on their way into the archive: checked against their schema, gathered as Parquet files in a spool.

An import of any size holds only one batch in memory; the transaction then reads the spool.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from pathlib import Path
from typing import Any

from workbench.archive.rows import Rows

BATCH_ROWS = 20_000
BATCH_CHARACTERS = 8_000_000
LARGE_FILES = 4


LONG = ("text", "heard", "truth", "attributes", "record", "arguments", "result", "document", "policy", "message")
"""Columns that hold what may be long; the others are small change."""


@functools.cache
def _long(table: str) -> tuple[str, ...]:
    """Return the columns of a table that hold what may be long."""
    from workbench.schema import tables

    return tuple(name for name in LONG if name in tables()[table].columns())


def shown(value: Any) -> str:
    """Return a part of a key as a message shows it, valid text and cut after 80 letters."""
    return str(value).encode("utf-8", "backslashreplace").decode()[:80]


class Spool:
    """Gathers rows of several tables.

    Parameters
    ----------
    folder : pathlib.Path
        Where the Parquet files go; owned by one writer.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._files: dict[str, list[Path]] = defaultdict(list)
        self._count = 0
        self._characters = 0
        self.failures: list[tuple[str, str, str, int]] = []

    def add(self, rows: Rows) -> None:
        """Add rows by table name."""
        for table, values in rows.items():
            if values:
                self._rows[table].extend(values)
                self._count += len(values)
                for name in _long(table):
                    self._characters += sum(len(text) for row in values if isinstance(text := row.get(name), str))
        if self._count >= BATCH_ROWS or self._characters >= BATCH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Check what is gathered and write it out.

        Rows that break a rule of their schema, or hold a value that does not fit its column (rule ``type``),
        are left out and kept in `failures` as (table, key of the first such row, rule, count).
        """
        from workbench.schema import tables

        for name, values in self._rows.items():
            schema = tables()[name]
            fitting, misfits = schema.fitting(values)
            if misfits:
                first = values[min(misfits)]
                key = ", ".join(shown(first.get(part)) for part in schema.primary_key())
                self.failures.append((name, f"{key}: {misfits[min(misfits)]}", "type", len(misfits)))
            frame, failure = schema.filter(fitting)
            if len(failure):
                bad = failure.invalid()
                key = ", ".join(str(part) for part in bad.select(schema.primary_key()).row(0))
                self.failures += [(name, key, rule, count) for rule, count in failure.counts().items()]
            path = self.folder / f"{name}-{len(self._files[name]):05d}.parquet"
            frame.write_parquet(path, compression="zstd", compression_level=1)
            self._files[name].append(path)
        self._rows.clear()
        self._count = 0
        self._characters = 0

    @property
    def large(self) -> bool:
        """Whether the rows were too many for one batch."""
        return any(len(files) > LARGE_FILES for files in self._files.values())

    def tables(self) -> list[str]:
        """Return the names of the tables that have rows, sorted."""
        return sorted(self._files)

    def source(self, table: str) -> str:
        """Return the SQL table function that reads a table's rows."""
        files = ", ".join("'" + str(path).replace("'", "''") + "'" for path in self._files[table])
        return f"read_parquet([{files}])"
