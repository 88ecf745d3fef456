"""What `--channels` is worth beside what a file, its sidecar or its document says of its own channels.

One order everywhere: what is said of this recording goes before `--channels`, which may speak of a whole folder. A
role ``unknown`` says nothing, so the option gives it. Where the two contradict, the import keeps what is stated, with
a note, and a command that reads one file refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.ingest.audio_names import call_stem
from workbench.ingest.intake.refusing import of_call
from workbench.schema.call import Audio, Call, ChannelRole, Refusal
from workbench.timing.stated_roles import PARTIES, contradicts, remedy


def settle(call: Call, asked: tuple[ChannelRole, ...] | None) -> Iterator[Refusal]:
    """Give the channels of a call the roles of `--channels` where nothing states them, and say where it does.

    Parameters
    ----------
    call : Call
        Its audio is changed in place where a channel is ``unknown`` and the option fits.
    asked : tuple of str or None
        What `--channels` says.

    Yields
    ------
    Refusal
        A note for each recording of which something else is stated, ``channel_map_stated``, or of which another
        number of channels is, ``channel_map_unused``. Two files of a party each are one recording here, the caller's
        first. Any other one channel beside an option for more is passed over: in a folder of both the option speaks
        of the others.
    """
    said = ",".join(asked or ())
    pair = _pair(call)
    if pair is not None and contradicts(PARTIES, asked):
        caller, agent = pair
        files = f"{_file(call, caller)} is the caller's and {_file(call, agent)} the agent's"
        by = "their names" if caller.channel_map_source == "name" else _stated_by(caller)
        message = f"{files} by {by}; --channels {said} is not used"
        yield of_call(call, "channel_map_stated", message=message, hint=remedy_of(call, caller), scope="note")
    for audio in call.audio or () if asked is not None else ():
        name = _file(call, audio)
        if contradicts(audio.channels, asked):
            message = f"{name} is {','.join(audio.channels)} as {_stated_by(audio)} says; --channels {said} is not used"
            yield of_call(call, "channel_map_stated", message=message, hint=remedy_of(call, audio), scope="note")
        elif asked is not None and len(asked) == len(audio.channels):
            if "unknown" in audio.channels:
                audio.channels, audio.channel_map_source = list(asked), "option"
        elif len(audio.channels) > 1 and audio.channel_map_source != "sidecar":
            count = len(audio.channels)
            message = f"{name} has {count} channels as {_stated_by(audio)} says, --channels {said} is not used"
            yield of_call(call, "channel_map_unused", message=message, hint=f"name {count} roles", scope="note")


def remedy_of(call: Call, audio: Audio) -> str:
    """Return how the stated roles of a recording are exchanged, in a sentence."""
    document = Path(call.source_uri or audio.path).name
    sidecar = f"{call_stem(Path(audio.path))}.json beside it"
    return remedy(
        Path(audio.path).name,
        audio.channel_map_source,
        document=document,
        source_format=call.source_format or "",
        sidecar=sidecar,
    )


def _pair(call: Call) -> tuple[Audio, Audio] | None:
    """Return the caller's file and the agent's, where a call has a file of each alone."""
    by_roles = {tuple(audio.channels): audio for audio in call.audio or ()}
    caller, agent = (by_roles.get((role,)) for role in PARTIES)
    return None if caller is None or agent is None else (caller, agent)


def _file(call: Call, audio: Audio) -> str:
    """Return what a message calls a recording: by its name, but where that stands before the message already."""
    return "it" if audio.path == call.source_uri else Path(audio.path).name


def _stated_by(audio: Audio) -> str:
    said = {"sidecar": "its sidecar", "name": "its name", "format": "its format or document", "unknown": "the file"}
    return said.get(audio.channel_map_source, "its document")
