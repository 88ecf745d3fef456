"""Which files are audio, and which two are the sides of one call, by their names."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Final

from workbench.schema.call import Role

SUFFIXES: Final = frozenset(
    {".wav", ".wave", ".w64", ".rf64", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".aif", ".aiff", ".aifc"}
    | {".au", ".snd", ".caf", ".m4a", ".mp4", ".aac", ".webm", ".mka"}
)
HEADERLESS: Final = frozenset({".ulaw", ".ul", ".mulaw", ".alaw", ".al", ".raw", ".pcm"})
MAGIC: Final = (b"RIFF", b"RF64", b"fLaC", b"OggS", b"ID3")
SIDECAR_KEYS: Final = frozenset({"channels", "encoding", "offset_s"})
"""A JSON object with one of these, beside an audio file of the same stem, is its sidecar."""

_SIDES: Final[dict[str, Role]] = {
    **dict.fromkeys(("caller", "customer", "user"), "caller"),
    **dict.fromkeys(("agent", "assistant", "bot"), "agent"),
}
_PAIR = re.compile(r"^(?:(?P<stem>.+)[._-])?(?P<side>caller|customer|user|agent|assistant|bot)$", re.IGNORECASE)


def is_audio_name(name: str) -> bool:
    """Return whether a file name ends as audio files do, headerless ones included."""
    return Path(name).suffix.lower() in SUFFIXES | HEADERLESS


def side(path: Path) -> tuple[str, Role] | None:
    """Return the stem of the call and the side a file holds, when its name says so.

    ``c1.caller.wav``, ``c1_customer.wav`` and ``c1-user.wav`` are the caller's side of ``c1``; agent,
    assistant and bot the agent's. In a folder a call the name may be the side alone: ``c1/caller.wav`` is of ``c1``.
    Left and right say nothing about who speaks, so they are not understood.
    """
    match = _PAIR.match(path.stem)
    if match is None:
        return None
    return match["stem"] or path.absolute().parent.name, _SIDES[match["side"].lower()]


def named_by_folder(path: Path) -> bool:
    """Return whether a file is called after its side alone, and its call after the folder."""
    return path.stem.lower() in _SIDES and partner(path) is not None


def partner(path: Path) -> Path | None:
    """Return the file with the other side of the call, when each side lies exactly once in the folder."""
    own = side(path)
    if own is None:
        return None
    stem, role = own
    sides = _sides(path.parent, path.parent.stat().st_mtime_ns)
    others = sides.get((stem, "agent" if role == "caller" else "caller"), [])
    return others[0] if len(others) == 1 and len(sides[own]) == 1 else None


def has_pair(folder: Path, stem: str) -> bool:
    """Return whether a folder holds the two sides of a call of that name, a file each."""
    sides = _sides(folder, folder.stat().st_mtime_ns)
    return all(len(sides.get((stem, role), [])) == 1 for role in ("caller", "agent"))


def without_other_side(what: str, other: Path) -> str:
    """Return why one side of a pair is refused, with the name of the other side, which is refused with it."""
    return f"{what}; {other.name}, the other side of the call, is left out with it"


@functools.lru_cache(maxsize=8)
def _sides(folder: Path, _changed: int) -> dict[tuple[str, Role], list[Path]]:
    """Audio files of a folder by stem and side; `_changed` tells a changed folder."""
    found: dict[tuple[str, Role], list[Path]] = {}
    for path in sorted(folder.iterdir()):
        own = side(path) if is_audio_name(path.name) and path.is_file() else None
        if own is not None:
            found.setdefault(own, []).append(path)
    return found


def has_audio(folder: Path, stem: str) -> bool:
    """Return whether a folder holds the audio of a call of that name."""
    return stem in _stems(folder, folder.stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _stems(folder: Path, _changed: int) -> frozenset[str]:
    return frozenset(call_stem(path) for path in folder.iterdir() if is_audio_name(path.name))


def call_stem(path: Path) -> str:
    """Return the name of the call an audio file belongs to: its stem, without the side of a pair."""
    found = side(path)
    return found[0] if found and partner(path) else path.stem
