"""What every importer is: a module of this folder with `FORMAT`, `ABOUT`, `CLAIMS`, `sniff` and `read`.

``FORMAT`` is the name `--format` takes, ``ABOUT`` one line for the documentation, ``CLAIMS`` says whether
the importer takes files or whole folders. `sniff` looks at a path (and, for files, at its first 64 KiB)
and answers without raising. `read` yields one :class:`~workbench.schema.call.Call` or
:class:`~workbench.schema.call.Refusal` at a time, so that no file is ever held in memory whole unless its
format makes a file one call.

An importer does only what its format asks for. :func:`workbench.ingest.read` does the rest for every call:
it fills `source_format`, `source_uri` and `source_sha256` where the importer left them empty, applies the
prefix and the other statements of :class:`Options` (all but `time_unit`; `channels` where the importer left roles
``unknown``, with a note where a stated role is another one), checks clocks, roles and ids, strips secrets, and turns
an :class:`~workbench.errors.ImportFailed` into a refusal of the file. Times go through
:func:`workbench.ingest.intake.units.scale`, JSON through :mod:`workbench.ingest.intake.jsonl`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from workbench.schema.call import Call, ChannelRole, Origin, Refusal

HEAD_BYTES = 65_536
"""How much of a file `sniff` sees."""

TimeUnit = Literal["s", "ms", "us", "ns"]


class Options(Struct, kw_only=True, frozen=True):
    """What the user said about the input.

    ``channels`` maps channel index to role where the file does not; ``time_unit`` overrides the unit of
    every time; ``outcome`` and ``expected_outcome`` are stated beside a transcript; ``id_prefix`` is put
    before every call id.
    """

    channels: tuple[ChannelRole, ...] | None = None
    time_unit: TimeUnit | None = None
    origin: Origin | None = None
    outcome: str | None = None
    expected_outcome: str | None = None
    language: str | None = None
    agent_id: str | None = None
    agent_version: str | None = None
    id_prefix: str = ""
    strict: bool = False


class Importer(Protocol):
    """The shape of an importer module.

    A folder importer may also have ``OWNS``, the names of the subfolders it reads: others are walked on their
    own. And ``parts(path)``, the files it reads of a folder that it claims: the others are counted as passed over,
    and whoever names one of the parts alone is told to name the folder.
    """

    FORMAT: str
    ABOUT: str
    CLAIMS: Literal["file", "folder"]

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether this importer reads the path; `head` is empty for folders."""

    def read(self, path: Path, options: Options) -> Iterator[Call | Refusal]:
        """Yield the calls of the path, and a refusal for each that is not accepted."""
