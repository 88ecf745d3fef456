"""Whose channel is which, of one sound file: its sidecar, what the user says, its name, a convention."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from workbench.analysis.incidents_health import plain_reason
from workbench.audio.source import Source, identify
from workbench.errors import ImportFailed, NotScorable, UsageError
from workbench.ingest.audio_names import partner, side
from workbench.ingest.audio_sidecar import Sidecar, load_sidecar, require_header
from workbench.ingest.protocol import Options
from workbench.plural import plural
from workbench.timing.channels_hint import channels_hint
from workbench.timing.file_steps import file_step
from workbench.timing.measuring import ROLES
from workbench.timing.stated_roles import contradicts

MapSource = Literal["option", "sidecar", "name", "assumed", "format"]
CONFIRMED: tuple[MapSource, ...] = ("option", "sidecar", "name")
"""Somebody says it, so that a verdict may rest on it."""

_BOTH_FILES = (
    "leave --channels out: workbench trust FILE then reads both, as workbench scan FOLDER does; autopsy, pin, compare "
    "and robustness take one file with a channel for each party"
)


def roles_asked(text: str | None) -> tuple[str, ...] | None:
    """Return what `--channels` says.

    Parameters
    ----------
    text : str or None
        Roles with commas between; None where it was not given.

    Returns
    -------
    tuple of {'caller', 'agent', 'mixed', 'unknown'}, or None

    Raises
    ------
    UsageError
        When a role is none of these.
    """
    if text is None:
        return None
    roles = tuple(part.strip().lower() for part in text.split(","))
    wrong = [role for role in roles if role not in ROLES]
    if wrong:
        raise UsageError(
            f"{wrong[0]!r} is none of {', '.join(ROLES)}",
            where="--channels",
            hint=channels_hint(max(2, len(roles))),
        )
    return roles


def recognised(path: Path) -> tuple[Source, Sidecar]:
    """Return what a sound file is and what its sidecar says, without decoding it.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Returns
    -------
    tuple of Source and Sidecar

    Raises
    ------
    ImportFailed, MissingExtra
        When it is missing, empty or no sound file.
    UsageError
        When it is a folder, a device or a pipe.
    """
    if path.is_dir():
        raise UsageError("it is a folder", where=str(path), hint=f"workbench scan {path}")
    if not path.exists():
        raise ImportFailed("there is no such file", where=str(path), hint="check the spelling")
    if not path.is_file():
        raise UsageError("it is a device or a pipe", where=str(path), hint="write the sound to a file first")
    sidecar = load_sidecar(path, Options())
    require_header(path, sidecar, for_import=False)
    return identify(path, encoding=sidecar.encoding, sample_rate_hz=sidecar.sample_rate_hz), sidecar


def roles_of(
    source: Source, sidecar: Sidecar, *, channels: Sequence[str] | None = None
) -> tuple[tuple[str, ...], MapSource]:
    """Return the role of each channel, and who says so.

    Parameters
    ----------
    source : Source
        The file.
    sidecar : Sidecar
        What lies beside it.
    channels : sequence of str, optional
        What the user says. It goes before everything but a sidecar, and may not contradict one. Of one side of a
        pair either says no more than the name, where it is what the name says.

    Returns
    -------
    tuple of tuple of str, and str
        Of two channels that nothing is said about, the first is taken for the caller's.

    Raises
    ------
    UsageError
        When `channels` does not fit or is not what the sidecar says, or nothing says whose three channels or more are.
    """
    count = source.channel_count
    other = partner(Path(source.path)) if count == 1 else None
    if channels is not None:
        if len(channels) != count:
            beside = "" if other is None else f"; the other side of the call lies beside it in {other.name}"
            raise UsageError(
                f"the file has {plural(count, 'channel')}, --channels names {len(channels)}{beside}",
                where=source.path,
                hint=channels_hint(count) if other is None else _BOTH_FILES,
            )
        if contradicts(sidecar.channels, channels):
            raise UsageError(
                f"its sidecar {_name(sidecar)} says {','.join(sidecar.channels or ())}, "
                f"--channels says {','.join(channels)}",
                where=source.path,
                hint=f'if the sidecar is wrong, correct "channels" in {_name(sidecar)}; if it is right, leave '
                "--channels out (a file without a sidecar that is compared with it then needs one too)",
            )
        return tuple(channels), "name" if says_its_name(Path(source.path), channels) else "option"
    if sidecar.channels is not None and len(sidecar.channels) == count:
        return tuple(sidecar.channels), "name" if says_its_name(Path(source.path), sidecar.channels) else "sidecar"
    if other is not None:
        return (str((side(Path(source.path)) or ("", "mixed"))[1]),), "name"
    if count == 1:
        return ("mixed",), "format"
    if count == 2:
        return ("caller", "agent"), "assumed"
    raise UsageError(
        f"the file has {count} channels and nothing says whose they are",
        where=source.path,
        hint=channels_hint(count),
    )


def says_its_name(path: Path, channels: Sequence[str]) -> bool:
    """Return whether `channels` names the one side of a call that a file is named after, beside the other side's.

    Parameters
    ----------
    path : pathlib.Path
        A file that is there.
    channels : sequence of str
        One role a channel.

    Returns
    -------
    bool
    """
    return list(channels) == [(side(path) or ("", ""))[1]] and partner(path) is not None


def is_one_side(path: Path, roles: Sequence[str]) -> bool:
    """Return whether a file holds one party of a call whose other one lies beside it, whichever of the two it is.

    Parameters
    ----------
    path : pathlib.Path
        A file that is there.
    roles : sequence of str
        Its channels'.

    Returns
    -------
    bool
        False of a file that is said to be mixed, whatever its name.
    """
    return len(roles) == 1 and roles[0] in ("caller", "agent") and partner(path) is not None


def roles_in_folder(
    source: Source, sidecar: Sidecar, *, channels: Sequence[str] | None = None
) -> tuple[tuple[str, ...], MapSource]:
    """Return the role of each channel of a file of a folder that `channels` was said of.

    Parameters
    ----------
    source, sidecar, channels
        As for :func:`roles_of`; what is said of a folder does not speak of a file with one channel, nor of one whose
        sidecar says otherwise.

    Returns
    -------
    tuple of tuple of str, and str
        As :func:`roles_of`; "sidecar" for a file with several channels where that says otherwise than `channels`.

    Raises
    ------
    UsageError
        As :func:`roles_of`.
    """
    stated, count = sidecar.channels, source.channel_count
    fits = channels is not None and len(channels) == count and not contradicts(stated, channels)
    if count == 1 or (stated is not None and len(stated) == count and not fits):
        channels = None
    return roles_of(source, sidecar, channels=channels)


def _name(sidecar: Sidecar) -> str:
    return sidecar.path.name if sidecar.path is not None else ""


def roles_said(path: str | Path, *, channels: Sequence[str] | None) -> tuple[tuple[str, ...], MapSource]:
    """Return the role of each channel for a verdict, which rests on no assumption.

    Parameters
    ----------
    path : path
        A sound file; a sidecar ``<stem>.json`` beside it is read too.
    channels : sequence of str, optional
        As for :func:`roles_of`.

    Returns
    -------
    tuple of tuple of str, and str
        As :func:`roles_of`, and never "assumed".

    Raises
    ------
    NotScorable
        When nothing says whose its two channels are, or it holds one party of a call whose other one lies beside it.
    ImportFailed, MissingExtra, UsageError
        As :func:`recognised` and :func:`roles_of`.
    """
    source, sidecar = recognised(Path(path))
    roles, said_by = roles_of(source, sidecar, channels=channels)
    reason = (
        "pair_of_files" if is_one_side(Path(path), roles) else "channel_map_unknown" if said_by == "assumed" else None
    )
    if reason is not None:
        raise NotScorable(
            f"no verdict can rest on it: {plain_reason(reason)} ({reason})",
            where=str(path),
            hint=file_step(reason, count=len(roles)),
        )
    return roles, said_by
