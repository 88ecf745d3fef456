"""The recording of a vCon dialog, beside the file under the dialog's filename or the conversation's uuid."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from workbench.errors import ImportFailed, WorkbenchError
from workbench.ingest.intake.references import inlined, resolve
from workbench.ingest.protocol import Options
from workbench.schema.call import Audio, ChannelRole

SUFFIXES: Final = (".wav", ".mp3", ".flac", ".ogg", ".opus", ".m4a")


def audio_of(path: Path, *, filename: str | None, uuid: str, options: Options, offset_s: float) -> Audio | None:
    """Return the recording, or None when it is not beside the file.

    Parameters
    ----------
    path : Path
        The vCon.
    filename, uuid : str
        What the dialog calls its recording, and the conversation's identifier.
    options : Options
        `channels` says whose voice each channel carries; a vCon does not.
    offset_s : float
        Start of the dialog on the call's clock, in seconds.

    Returns
    -------
    Audio or None
        One channel is ``mixed``; more are ``unknown`` until `channels` names them.

    Raises
    ------
    ImportFailed
        When no name leads to a file, and one of them cannot be looked up (:func:`resolve`).
    """
    names = [filename if inlined(filename) else Path(filename).name] if filename else []
    place = _place(path.parent, [*names, *(f"{uuid}{suffix}" for suffix in SUFFIXES)])
    if place is None:
        return None
    count = _channel_count(place)
    if options.channels and len(options.channels) == count:
        return Audio(path=str(place), channels=list(options.channels), channel_map_source="option", offset_s=offset_s)
    channels: list[ChannelRole] = ["mixed"] if count == 1 else ["unknown"] * count
    source = "format" if count == 1 else "unknown"
    return Audio(path=str(place), channels=channels, channel_map_source=source, offset_s=offset_s)  # type: ignore[arg-type]


def _place(folder: Path, names: list[str]) -> Path | None:
    failure = None
    for name in names:
        try:
            found = resolve(folder, name)
        except ImportFailed as error:
            failure = failure or error
            continue
        if found is not None:
            return found
    if failure is not None:
        raise failure
    return None


def _channel_count(path: Path) -> int:
    """Return the channels of a recording, or 1 where it cannot be decoded (the import will say so)."""
    from workbench.audio.read import probe

    try:
        return probe(path).channel_count
    except WorkbenchError:
        return 1
