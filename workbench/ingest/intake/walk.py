"""Walks files and folders into a list of inputs, each with the importer that claims it."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from workbench.errors import UsageError
from workbench.ingest.audio_names import is_audio_name, partner, side, without_other_side
from workbench.ingest.intake.discovery import importers
from workbench.ingest.intake.folder_parts import RULE, FoldersAbove, folder_problem, passed_over
from workbench.ingest.intake.unclaimed import UNKNOWN, is_json_schema, not_a_folder, unknown
from workbench.ingest.protocol import HEAD_BYTES, Importer

IRRELEVANT: Final = (
    "*.outcome.json",  # beside a transcript, and read with it
    *("notice*", "readme*", "license*", "licence*", "copying*", "changelog*", "thumbs.db", "desktop.ini"),
    *("*.md", "*.py", "*.ipynb", "*.html", "*.htm", "*.css", "*.js", "*.ts", "*.sh", "*.pdf", "*.rst"),
    *("*.png", "*.jpg", "*.jpeg", "*.svg", "*.gif", "*.lock"),
)
"""Names, in lower case, of files that lie beside calls and are none. Skipped without a word, but counted."""


class Input(Struct, frozen=True):
    """A file or folder to read. `problem` says why no importer takes it."""

    path: Path
    relative: str
    size: int
    importer: Importer | None
    problem: tuple[str, str, str] | None = None


class Survey(Struct, frozen=True):
    """What a walk found: inputs in byte order of their relative names, and files of which no call is made."""

    inputs: list[Input]
    skipped: list[Path]

    @property
    def total_bytes(self) -> int:
        """Bytes of all inputs."""
        return sum(item.size for item in self.inputs)


def survey(
    paths: Sequence[str | os.PathLike[str]],
    *,
    format: str = "auto",  # noqa: A002 - named as the option is
) -> Survey:
    """List the inputs under some paths.

    Parameters
    ----------
    paths : sequence of path
        Files and folders. Folders are walked to any depth; hidden files and folders are left out; a folder
        that an importer claims as a whole is one input; a file or folder reached twice, by a link or by two
        of the paths, is taken once, so loops of links end.
    format : str, default 'auto'
        Format of every file, or 'auto' to ask each importer.

    Returns
    -------
    Survey
        Inputs in the order of `paths`, under each in byte order of the relative name.

    Raises
    ------
    UsageError
        When a path does not exist, no path is given or the format is unknown.
    """
    if format != "auto" and format not in importers():
        known = ", ".join(importers())
        raise UsageError(f"unknown format {format!r}", where="--format", hint=f"one of: auto, {known}")
    if not paths:
        raise UsageError("no file or folder was given", hint="name at least one file or folder")
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError("there is no such file or folder", where=str(path), hint="check the spelling")
    walker = _Walker(None if format == "auto" else importers()[format])
    inputs: list[Input] = []
    for path in map(_callers_side, map(Path, paths)):
        found = list(walker.visit(path, path.name or str(path), named=True))
        inputs += sorted(found, key=lambda item: os.fsencode(item.relative))
    return Survey(inputs, walker.skipped)


def _callers_side(path: Path) -> Path:
    """Return the caller's file in place of the agent's of one call, since the pair is read from there."""
    found = side(path)
    other = partner(path) if found is not None and found[1] == "agent" and path.is_file() else None
    return path if other is None else other


class _Walker:
    def __init__(self, forced: Importer | None) -> None:
        self.forced = forced
        self.skipped: list[Path] = []
        self.seen: set[str] = set()
        self.above = FoldersAbove()

    def visit(self, path: Path, relative: str, *, named: bool = False) -> Iterator[Input]:
        try:
            status = path.stat()
        except OSError as error:
            yield _unreadable(path, relative, error)
            return
        real = os.path.realpath(path)
        if real in self.seen:
            return
        self.seen.add(real)
        if path.is_dir():
            yield from self._folder(path, relative, named=named)
        elif not path.is_file():
            yield Input(path, relative, 0, None, ("unreadable", "not a file", "name a file or a folder"))
        elif not named and (_irrelevant(path.name) or self._other_kind(path)):
            self.skipped.append(path)
        else:
            found = _of_pair(self._file(path, relative, status.st_size))
            if not named and found.problem is not None and found.problem[0] == UNKNOWN and is_json_schema(path):
                self.skipped.append(path)
            else:
                yield found

    def _other_kind(self, path: Path) -> bool:
        """Whether a format was given that is for audio and this is not, or the other way round."""
        return self.forced is not None and is_audio_name(path.name) != (self.forced.FORMAT == "audio")

    def _folder(self, path: Path, relative: str, *, named: bool) -> Iterator[Input]:
        if (path / "archive.json").is_file() and (path / "catalog.sqlite").is_file():
            self.skipped.append(path)  # an archive of ours, as when `.` is imported into ./archive
            return
        claimants = [self.forced] if self.forced else list(importers().values())
        claimed = [one for one in claimants if one.CLAIMS == "folder" and one.sniff(path, b"")]
        if claimed:
            files = [file for file in path.rglob("*") if file.is_file()]
            yield _claimed(path, relative, size=sum(file.stat().st_size for file in files), claimed=claimed)
            if len(claimed) == 1:
                self.skipped += passed_over(path, files, claimed[0], walked=self.forced is None)
            owned = getattr(claimed[0], "OWNS", None)
            if owned is None or len(claimed) > 1 or self.forced:
                return
            inside = (p for p in path.iterdir() if p.is_dir() and p.name not in owned and not p.name.startswith("."))
            left = sorted(inside, key=os.fsencode)
            for inner in left:
                yield from self.visit(inner, inner.name if named else f"{relative}/{inner.name}")
            return
        try:
            names = sorted((inner.name for inner in path.iterdir()), key=os.fsencode)
        except OSError as error:
            yield _unreadable(path, relative, error)
            return
        parts: list[Input] = []
        for name in names:
            inner = path / name
            if name.startswith("."):
                self.skipped.append(inner)
                continue
            for found in self.visit(inner, name if named else f"{relative}/{name}"):
                if found.problem is not None and found.problem[0] == RULE and found.path == inner:
                    parts.append(found)
                else:
                    yield found
        if len({found.problem for found in parts}) == 1 and len(parts) > 1:
            problem = folder_problem([found.problem for found in parts if found.problem])
            yield Input(path, relative, sum(found.size for found in parts), None, problem)
        else:
            yield from parts

    def _file(self, path: Path, relative: str, size: int) -> Input:
        try:
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
        except OSError as error:
            return _unreadable(path, relative, error)
        if self.forced is not None and self.forced.CLAIMS == "file":
            return Input(path, relative, size, self.forced)
        if not head:
            return Input(path, relative, 0, None, ("empty_file", "the file is empty", "export it again"))
        if self.forced is not None:
            return Input(path, relative, size, None, self.above.problem(path, self.forced) or not_a_folder(self.forced))
        claimed = [one for one in importers().values() if one.CLAIMS == "file" and one.sniff(path, head)]
        if not claimed:
            return Input(path, relative, size, None, unknown(path, size, head, above=self.above))
        return _claimed(path, relative, size=size, claimed=claimed)


def _of_pair(found: Input) -> Input:
    """An input; one side of a pair that cannot be read names the other side, of which no call is made either."""
    other = partner(found.path) if found.problem is not None and is_audio_name(found.path.name) else None
    if found.problem is None or other is None:
        return found
    rule, message, hint = found.problem
    return structs.replace(found, problem=(rule, without_other_side(message, other), hint))


def _claimed(path: Path, relative: str, *, size: int, claimed: list[Importer]) -> Input:
    if len(claimed) == 1:
        return Input(path, relative, size, claimed[0])
    names = ", ".join(importer.FORMAT for importer in claimed)
    hint = f"say which with --format ({names})"
    return Input(path, relative, size, None, ("ambiguous_format", f"reads as {names}", hint))


def _unreadable(path: Path, relative: str, error: OSError) -> Input:
    reason = error.strerror or str(error)
    hint = "check its permissions"
    if path.is_symlink() and not path.exists():
        hint = f"it is a link that leads nowhere (to {path.readlink()}); mend the link, or leave it out"
    return Input(path, relative, 0, None, ("unreadable", f"cannot be read: {reason}", hint))


def _irrelevant(name: str) -> bool:
    lower = name.lower()
    return any(fnmatch.fnmatchcase(lower, pattern) for pattern in IRRELEVANT)
