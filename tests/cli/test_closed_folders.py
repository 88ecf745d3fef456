"""A path that the system will not look at is refused with its name and what to do, whatever the command."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
CLOSED = "/closed/"

COMMANDS = {
    "import": ("import", "{}/calls", "--archive", "{}/a"),
    "init": ("init", "--archive", "{}/a"),
    "sql": ("sql", "from calls", "--archive", "{}/a"),
    "trust": ("trust", "{}/x.wav"),
    "autopsy": ("autopsy", "{}/x.wav"),
    "scan": ("scan", "{}/calls"),
    "prove": ("prove", "{}/contracts"),
    "pack": ("pack", "{}/contract", "-o", "x.zip"),
    "unpack": ("unpack", "{}/x.zip", "contract"),
    "demo": ("demo", "{}/demo"),
    "pin": ("pin", "{}/a.wav#1", "--expect", "yield"),
    "report": ("report", "timing", "-o", "x.html", "--archive", "{}/a"),
    "label": ("label", "--file", "{}/x.csv", "--archive", "{}/a"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_folder_that_may_not_be_entered(
    command: tuple[str, ...], tmp_path: Path, at: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a user who may not search the folder meets it: every look at a path in it fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "closed").mkdir()
    monkeypatch.setattr(os, "stat", refusing(os.stat))
    monkeypatch.setattr(os, "lstat", refusing(os.lstat))
    monkeypatch.setattr(os, "mkdir", refusing(os.mkdir))
    code, out, err = at(*(part.format(tmp_path / "closed") for part in command))
    assert (code, out) == (2, "")
    assert CLOSED in err
    assert "Hint: " in err
    assert "Traceback" not in err


def refusing(look: Callable[..., object]) -> Callable[..., object]:
    def refused(path: object, *args: object, **options: object) -> object:
        if isinstance(path, str | os.PathLike) and CLOSED in os.fspath(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
        return look(path, *args, **options)

    return refused
