"""The recording of a transcript: audio of the same name in the same folder, one file or a pair."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.ingest import audio_file
from workbench.ingest.audio_names import call_stem, is_audio_name
from workbench.ingest.protocol import Options
from workbench.schema.call import Audio, Refusal


class Recording(Struct):
    """What the audio importer makes of the recording."""

    audio: list[Audio]
    duration_s: float | None
    notes: list[Refusal]


def recording_beside(path: Path, options: Options) -> Recording | None:
    """Return the recording of a transcript.

    Parameters
    ----------
    path : Path
        The transcript: ``c1.txt`` has the recording ``c1.wav``, or ``c1.caller.wav`` and ``c1.agent.wav``.
    options : Options
        Channel roles, as for audio alone.

    Returns
    -------
    Recording or None
        The first by name, if several could be it. None when there is none or it cannot be read: the audio is
        then an input of its own, and refused as such.
    """
    for file in sorted(path.parent.iterdir()):
        if not is_audio_name(file.name) or call_stem(file) != path.stem:
            continue
        try:
            found = list(audio_file.read(file, options))
        except WorkbenchError:
            return None
        calls = [one for one in found if not isinstance(one, Refusal)]
        if calls and calls[0].audio:
            notes = [one for one in found if isinstance(one, Refusal)]
            return Recording(calls[0].audio, calls[0].duration_s, notes)
    return None
