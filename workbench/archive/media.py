"""Audio files of an archive: copied into a content-addressed store, or referenced where they lie."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.archive.layout import Layout
from workbench.errors import ArchiveFailed, ImportFailed
from workbench.plural import plural
from workbench.schema.call import Audio, Call

Storage = Literal["copy", "reference"]


@dataclass(frozen=True)
class Taken:
    """An audio file that was read: its row of `recordings`, and the copy that awaits its place."""

    row: dict[str, Any]
    spooled: Path | None


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hex, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def take(call: Call, audio: Audio, *, storage: Storage, spool: Path, run_id: str) -> Taken:
    """Read an audio file: check that it decodes, hash it, copy it into the spool.

    Parameters
    ----------
    call : Call
        The call it belongs to.
    audio : Audio
        What the importer says about the file; its path exists or an error is raised.
    storage : {'copy', 'reference'}
        Whether its bytes will lie in the archive.
    spool : pathlib.Path
        The importing run's private folder.
    run_id : str
        The importing run.

    Returns
    -------
    Taken
        The row, and the spooled copy (None for a reference, or when a copy is there already).

    Raises
    ------
    ImportFailed
        When the file is missing, is not audio, is damaged, or does not have the channels that were named.
    """
    from workbench.audio import read
    from workbench.audio.file_digest import file_sha256

    path = Path(audio.path)
    if not path.is_file():
        raise ImportFailed(
            "the audio file does not exist",
            where=str(path),
            rule="audio_missing",
            hint="put it beside the file that names it, or correct the path there",
        )
    before = _state(path)
    info = read.probe(path, encoding=audio.encoding, sample_rate_hz=audio.sample_rate_hz)
    if len(audio.channels) != info.channel_count:
        raise ImportFailed(
            f"{plural(len(audio.channels), 'channel role')} given for {plural(info.channel_count, 'channel')}",
            where=str(path),
            rule="channel_count",
            hint="name one role a channel: caller, agent, mixed or unknown",
        )
    recording_id = file_sha256(path)
    pcm_sha256 = read.pcm_sha256(path, encoding=audio.encoding, sample_rate_hz=audio.sample_rate_hz)
    uri = str(path.resolve())
    spooled = None
    if storage == "copy":
        uri = f"media/{recording_id[:2]}/{recording_id}{path.suffix.lower()}"
        spooled = spool / f"{recording_id}{path.suffix.lower()}"
        if not spooled.exists():
            shutil.copyfile(path, spooled)
    if _state(path) != before:
        raise ImportFailed(
            "the audio file changed while it was read",
            where=str(path),
            rule="changed_while_read",
            hint="import it again once it is written to its end",
        )
    row = {
        "recording_id": recording_id,
        "call_id": call.id,
        "pcm_sha256": pcm_sha256,
        "boundary": audio.boundary,
        "uri": uri,
        "storage": storage,
        "container": info.container,
        "codec": info.codec,
        "sample_rate_hz": info.sample_rate_hz,
        "sample_width_bits": info.sample_width_bits,
        "channel_count": info.channel_count,
        "frame_count": info.frame_count,
        "byte_count": before[0],
        "duration_s": info.duration_s,
        "channel_roles": list(audio.channels),
        "offset_s": audio.offset_s,
        "channel_map_source": audio.channel_map_source,
        "run_id": run_id,
    }
    return Taken(row, spooled)


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def place(layout: Layout, taken: list[Taken]) -> None:
    """Move spooled copies to their place; called under the write lock, before the commit.

    A copy that is there already is kept. A process killed between this and the commit leaves a file that
    no row names: `verify` lists it, `compact` removes it.
    """
    for item in taken:
        if item.spooled is None or not item.spooled.exists():
            continue
        target = layout.root / item.row["uri"]
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            item.spooled.unlink()
        else:
            item.spooled.replace(target)


def require(layout: Layout, recording: dict[str, Any], *, hashed: bool = True) -> Path:
    """Return the path of a recording's audio, or say that it is missing or has changed.

    Parameters
    ----------
    layout : Layout
        The archive.
    recording : dict
        `uri`, `recording_id`, `byte_count` and `call_id` of its row.
    hashed : bool
        Whether its bytes are hashed again; without it only their number is compared.

    Raises
    ------
    ArchiveFailed
        When the file is gone or its bytes are not the ones that were imported. It is never read as silence.
    """
    path = layout.media_path(recording["uri"])
    problem = None
    if not path.is_file():
        problem = "the audio file is missing"
    elif path.stat().st_size != recording["byte_count"] or (hashed and sha256_of(path) != recording["recording_id"]):
        problem = "the audio file is not the one that was imported (its bytes differ)"
    if problem:
        raise ArchiveFailed(
            f"{problem}; call {recording['call_id']}",
            where=str(path),
            hint="restore the file, or workbench delete the call and import it again",
        )
    return path
