"""Names of files that would forge a line, and links that lead nowhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

Run = Callable[..., tuple[int, str, str]]
FORGED = "b.wav\nforged: eligible for scan.wav"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "calls"
    place.mkdir()
    rng = np.random.default_rng(1)
    for name in ("a.wav", FORGED):
        soundfile.write(place / name, rng.normal(0, 0.1, (16000, 2)), 8000)
    return place


def test_a_name_with_a_line_feed_forges_no_line(folder: Path, at: Run) -> None:
    broken = folder / "c\nforged: broken.wav"
    broken.write_bytes(b"no sound")
    told = [at(command, path) for command in ("trust", "autopsy") for path in (folder / FORGED, broken)]
    told += [at("scan", folder), at("import", folder, "--archive", folder.parent / "a")]
    for _, out, err in told:
        assert "⏎forged" in out + err
        assert not any(line.startswith("forged") for line in (out + err).splitlines())


@pytest.mark.parametrize("target", ["nowhere", "link.wav"])
@pytest.mark.parametrize(
    "command",
    [
        ("trust", "{}"),
        ("autopsy", "{}"),
        ("scan", "{}"),
        ("prove", "{}"),
        ("pack", "{}", "-o", "x.zip"),
        ("unpack", "{}", "x"),
        ("sql", "from calls", "--archive", "{}"),
        ("init", "--archive", "{}"),
    ],
    ids=lambda command: command[0],
)
def test_a_link_that_leads_nowhere_is_called_one(
    command: tuple[str, ...], target: str, tmp_path: Path, at: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    link = tmp_path / "link.wav"
    link.symlink_to(target)
    code, out, err = at(*(part.format(link) for part in command))
    assert code == 2
    assert f"it is a link that leads nowhere (to {target})" in out + err
    assert "mend the link" in out + err
    assert "no such file" not in out + err
