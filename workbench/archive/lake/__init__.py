"""The DuckDB home: every DuckDB call of the project is made in this folder.

Results are always drained: a half-read one would keep the SQLite catalogue locked for every writer.
"""

from workbench.archive.lake.connection import quote
from workbench.archive.lake.reader import Reader, interrupt
from workbench.archive.lake.reading import read_once
from workbench.archive.lake.writer import Writer, making

__all__ = ["Reader", "Writer", "interrupt", "making", "quote", "read_once"]
