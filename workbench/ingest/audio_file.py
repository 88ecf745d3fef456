"""Audio alone: one file, or two mono files with the two sides of a call, each with an optional sidecar.

Who speaks on which channel is taken from the sidecar ``<stem>.json``, from `--channels` or, for a pair of
mono files, from their names; never from the sound. Where nothing says it the roles are ``unknown``. A file of
several channels is refused when `--channels` or the sidecar names another number of them (a mono file is not: its
one channel is ``mixed``, and a note says that the roles were not used).

The call is named after the file (without the side, for a pair; after the folder, for ``c1/caller.wav`` and
``c1/agent.wav``). When several audio files of one import
have the same name, each of them is named by its relative path, with ``--`` for the slashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from workbench.errors import ImportFailed, WorkbenchError
from workbench.ingest.audio_names import HEADERLESS, MAGIC, SUFFIXES, call_stem, partner, side, without_other_side
from workbench.ingest.audio_sidecar import Sidecar, is_sidecar, load_sidecar, require_header
from workbench.ingest.intake import digest
from workbench.ingest.protocol import Options
from workbench.plural import plural
from workbench.schema.call import Audio, Call, ChannelRole, Refusal
from workbench.timing.stated_roles import PARTIES, contradicts, remedy

if TYPE_CHECKING:
    from workbench.audio.read import AudioInfo

FORMAT = "audio"
ABOUT = (
    "Audio alone: WAV, FLAC, MP3, OGG/Opus (m4a with an extra), two channels or a pair of mono files, "
    "with an optional sidecar JSON; `--channels` gives each a role."
)
CLAIMS: Literal["file", "folder"] = "file"


def sniff(path: Path, head: bytes) -> bool:
    """Return whether the name or the first bytes are those of audio, or the file is the sidecar of one."""
    suffix = path.suffix.lower()
    if suffix in SUFFIXES | HEADERLESS:
        return True
    if suffix == ".json":
        return is_sidecar(path, head)
    return not suffix and head.startswith(MAGIC)


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the call of an audio file; nothing for a sidecar and for the agent's half of a pair.

    Raises
    ------
    ImportFailed
        When the file cannot be decoded, is headerless without a sidecar that says how, has another number of
        channels than were named, or when its sidecar is wrong.
    """
    if path.suffix.lower() == ".json":
        return
    sidecar = load_sidecar(path, options)
    other = partner(path)
    named = side(path)
    if other is None or named is None:
        yield from _single(path, sidecar, options)
    elif named[1] == "caller":
        yield from _pair(path, other, sidecar)


def _single(path: Path, sidecar: Sidecar, options: Options) -> Iterator[Call | Refusal]:
    info = _probe(path, sidecar)
    roles, source, notes = _channel_map(path, info.channel_count, sidecar=sidecar, options=options)
    offset = sidecar.offsets.get("", 0.0)
    audio = Audio(
        path=str(path),
        channels=list(roles),
        channel_map_source=source,
        offset_s=offset,
        encoding=sidecar.encoding,
        sample_rate_hz=sidecar.sample_rate_hz,
    )
    yield from sidecar.refusals
    yield from notes
    yield _call([path], [audio], sidecar, end=offset + info.duration_s)


def _pair(caller: Path, agent: Path, sidecar: Sidecar) -> Iterator[Call | Refusal]:
    audios: list[Audio] = []
    end = 0.0
    sides: list[tuple[Path, Literal["caller", "agent"]]] = [(caller, "caller"), (agent, "agent")]
    for path, role in sides:
        try:
            info = _probe_side(path, role, sidecar)
        except WorkbenchError as error:
            error.what = without_other_side(error.what, agent if path == caller else caller)
            raise
        offset = sidecar.offset_of(role)
        end = max(end, offset + info.duration_s)
        audios.append(
            Audio(
                path=str(path),
                channels=[role],
                channel_map_source="name",
                boundary="client_capture" if role == "caller" else "agent_output",
                offset_s=offset,
                encoding=sidecar.encoding,
                sample_rate_hz=sidecar.sample_rate_hz,
            )
        )
    yield from sidecar.refusals
    yield from _named_roles(caller, agent, sidecar)
    if not {"caller", "agent"} & sidecar.offsets.keys():
        example = f'{{"offset_s": {{"caller": 0.0, "agent": 1.9}}}} to {_sidecar_path(caller, sidecar)}'
        message = f"it and {agent.name} are taken to start at the same moment"
        yield _note(caller, "pair_offset_assumed", message, hint=f"if they do not, write for instance {example}")
    yield _call([caller, agent], audios, sidecar, end=end)


def _named_roles(caller: Path, agent: Path, sidecar: Sidecar) -> Iterator[Refusal]:
    """Yield a note where a sidecar gives the two files other roles than their names do."""
    if sidecar.path is None or sidecar.channels is None or _agrees(sidecar.channels):
        return
    in_vain = f'"channels" of {sidecar.path.name}, {",".join(sidecar.channels)}, is not used'
    message = f"it is the caller's and {agent.name} the agent's by their names; {in_vain}"
    hint = remedy(caller.name, "name", document="", source_format=FORMAT, sidecar="")
    yield _note(caller, "channel_map_stated", message, hint=hint)


def _agrees(stated: Sequence[ChannelRole]) -> bool:
    """Return whether roles say of the caller's file and the agent's, in this order, no more than their names."""
    return len(stated) == len(PARTIES) and not contradicts(stated, PARTIES)


def _sidecar_path(path: Path, sidecar: Sidecar) -> Path:
    return sidecar.path or path.parent / f"{call_stem(path)}.json"


def _call(files: list[Path], audios: list[Audio], sidecar: Sidecar, *, end: float) -> Call:
    path = files[0]
    call = sidecar.call or Call(id=call_stem(path))
    call.source_format = FORMAT
    call.source_uri = str(path)
    sources = [*files, sidecar.path] if sidecar.path else files
    call.source_sha256 = digest.of_file(path) if sources == [path] else digest.of_files(sources)
    call.audio = audios
    if call.duration_s is None:
        call.duration_s = end
    return call


def _probe(path: Path, sidecar: Sidecar) -> AudioInfo:
    from workbench.audio.read import probe

    require_header(path, sidecar)
    return probe(path, encoding=sidecar.encoding, sample_rate_hz=sidecar.sample_rate_hz)


def _probe_side(path: Path, role: str, sidecar: Sidecar) -> AudioInfo:
    info = _probe(path, sidecar)
    if info.channel_count != 1:
        raise ImportFailed(
            f"the {role}'s side of a pair has {plural(info.channel_count, 'channel')}",
            where=str(path),
            hint="a pair is two mono files; rename a file that holds both sides",
            rule="pair_not_mono",
        )
    return info


SAID: Final = {"option": "--channels", "sidecar": "its sidecar"}
"""What says who is on which channel, as a message names it."""

MapSource = Literal["sidecar", "option", "format", "unknown"]


def _channel_map(
    path: Path, count: int, *, sidecar: Sidecar, options: Options
) -> tuple[tuple[ChannelRole, ...], MapSource, list[Refusal]]:
    """Return the role of each channel, what says so, and notes on what does not.

    What the sidecar says goes before `--channels` (the import says where they contradict); where they agree, or only
    one of them names as many roles as there are channels, that is taken. In a folder
    of mono and other files `--channels` speaks of the others, and one channel has no order, so a mono file is taken
    all the same, with a note. A file of more channels is refused where what was said fits it in no way.
    """
    from workbench.timing.channels_hint import channels_hint, roles_example

    notes: list[Refusal] = []
    given: list[tuple[tuple[ChannelRole, ...] | None, MapSource]] = [
        (options.channels, "option"),
        (sidecar.channels, "sidecar"),
    ]
    if contradicts(sidecar.channels, options.channels):
        given.reverse()
    for roles, source in given:
        if roles is not None and len(roles) == count:
            return roles, source, [*notes, *_misfit(path, count, sidecar=sidecar, taken=source)]
        if roles is not None:
            message = f"{_channels(count)}, {SAID[source]} names {len(roles)}"
            hint = f"{channels_hint(count)}; import files of another number of channels apart"
            if count == 1:
                hint = "its channel is taken as mixed; if it holds one side, import it apart with --channels caller"
            notes.append(_note(path, "channel_map_unused", message, hint=hint))
    if count == 1:
        if side(path) is not None:
            message = "it is named like one side of a call, but the other side is not beside it"
            hint = "its channel is taken as mixed; say --channels caller (or agent) if it holds one side"
            notes.append(_note(path, "pair_incomplete", message, hint=hint))
        return ("mixed",), "format", notes
    if notes:
        raise ImportFailed(notes[0].message, where=str(path), hint=notes[0].hint, rule="channel_count")
    hint = f"import it again with --replace --channels {roles_example(count)}"
    message = f"nothing says who speaks on which of the {count} channels"
    notes.append(_note(path, "channel_map_unknown", message, hint=hint))
    role: ChannelRole = "unknown"
    return (role,) * count, "unknown", notes


def _misfit(path: Path, count: int, *, sidecar: Sidecar, taken: MapSource) -> list[Refusal]:
    """Return a note where the option was taken and the sidecar speaks of another number of channels."""
    if taken != "option" or sidecar.path is None or sidecar.channels is None or len(sidecar.channels) == count:
        return []
    message = f"{_channels(count)}, {SAID['sidecar']} names {len(sidecar.channels)}; {SAID['option']} is used"
    hint = f'correct "channels" in {sidecar.path.name}'
    return [_note(path, "channel_map_unused", message, hint=hint)]


def _channels(count: int) -> str:
    return f"the file has {plural(count, 'channel')}"


def _note(path: Path, rule: str, message: str, *, hint: str) -> Refusal:
    return Refusal(source_uri=str(path), location="", rule=rule, message=message, hint=hint, scope="note")
