"""Where things lie inside an archive folder, and what makes a folder an archive."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from workbench import guarded
from workbench.errors import ArchiveFailed, UsageError
from workbench.small_file import read_json

FORMAT = f"{guarded.ARCHIVE}4"

DEFAULT = "archive"
"""Folder of the archive where nobody names one."""

ROW_GROUP = 122_880
"""Most rows of a row group in a Parquet file: one call is read in milliseconds, and all as fast as from larger ones."""


@dataclass(frozen=True)
class Layout:
    """Paths of an archive folder.

    Parameters
    ----------
    root : pathlib.Path
        The archive folder.
    """

    root: Path

    @property
    def marker(self) -> Path:
        """File that says this folder is an archive, and of which format."""
        return self.root / guarded.MARKER

    @property
    def making(self) -> Path:
        """File that is there while an archive is being made, and where a process was killed at that."""
        return self.root / guarded.MAKING

    @property
    def catalog(self) -> Path:
        """SQLite catalogue of the DuckLake."""
        return self.root / guarded.CATALOG

    @property
    def data(self) -> Path:
        """Folder of the Parquet files."""
        return self.root / guarded.DATA

    @property
    def media(self) -> Path:
        """Content-addressed store of copied audio."""
        return self.root / "media"

    @property
    def lock(self) -> Path:
        """File whose lock every writer takes."""
        return self.root / "write.lock"

    @property
    def purge_mark(self) -> Path:
        """File that is there while a committed deletion is not physical yet."""
        return self.root / "purge.pending"

    def spools(self) -> list[Path]:
        """Folders in which writers gather rows before their transaction."""
        return sorted(self.root.glob(".spool-*"))

    def command(self, text: str) -> str:
        """Return a command as a user would type it for this archive: with --archive, where that is not the default."""
        default = os.environ.get("WORKBENCH_ARCHIVE") or DEFAULT
        if self.root == Path(default).absolute():
            return text
        near = self.root.is_relative_to(Path.cwd())
        return f"{text} --archive {shlex.quote(str(self.root.relative_to(Path.cwd()) if near else self.root))}"

    def media_path(self, uri: str) -> Path:
        """Return where the audio of a ``recordings.uri`` lies: inside the archive, or where it was referenced."""
        return self.root / uri if uri.startswith("media/") else Path(uri)

    @property
    def writable(self) -> bool:
        """Whether this process may write to the archive, as far as permissions tell."""
        places = [self.root, self.catalog, *([self.lock] if self.lock.exists() else [])]
        return all(os.access(place, os.W_OK) for place in places)

    def require(self) -> None:
        """Refuse a folder that is not an archive of a known format.

        Raises
        ------
        ArchiveFailed
            When the folder, its marker or its catalogue is missing, or the format is newer.
        """
        if not self.root.is_dir():
            raise ArchiveFailed(
                "no such archive",
                where=str(self.root),
                hint=f"workbench init --archive {self.root}, or name another with --archive",
            )
        lost = self.without_marker()
        if lost is not None:
            raise lost
        if self.marker.is_file() and not self.catalog.is_file():
            raise ArchiveFailed(
                "the archive has lost its catalogue",
                where=str(self.catalog),
                hint="restore catalog.sqlite from a backup; nothing was changed",
            )
        if not self.marker.is_file():
            raise ArchiveFailed(
                "this folder is not an archive",
                where=str(self.root),
                hint="an archive holds archive.json and catalog.sqlite; workbench init makes one in an empty folder",
            )
        try:
            found = read_json(self.marker)["format"]
        except (UsageError, KeyError, TypeError) as error:
            why = error.what if isinstance(error, UsageError) else "it names no format"
            raise ArchiveFailed(
                f"archive.json cannot be read ({why})",
                where=str(self.marker),
                hint="restore it from a backup",
            ) from error
        if found != FORMAT:
            raise ArchiveFailed(
                f"the archive has the format {found!r}, this version reads {FORMAT!r}",
                where=str(self.marker),
                hint="import its sources into a new archive, or install the version of callbench that wrote it",
            )

    def without_marker(self) -> ArchiveFailed | None:
        """Return the error for a folder that holds all of an archive but its marker; None for any other."""
        if self.marker.exists() or self.making.exists() or not self.catalog.is_file():
            return None
        return ArchiveFailed(
            "the folder holds an archive that has lost its file archive.json",
            where=str(self.root),
            hint=f"restore it from a backup, or write {json.dumps({'format': FORMAT})} into it; nothing was changed",
        )
