"""What `pin` writes into the archive, what it says of that, and an archive that cannot be written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
Run = Callable[..., tuple[int, str, str]]
# root may write everywhere; without CAP_DAC_OVERRIDE it is bound by the modes as everybody is
BOUND = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override") if os.getuid() == 0 else ()


@pytest.fixture
def archive(run: Run, tmp_path: Path) -> Iterator[Path]:
    shutil.copy(CLIP, tmp_path / "call.wav")
    place = tmp_path / "archive"
    said = ("import", tmp_path / "call.wav", "--channels", "caller,agent", "--measure", "--archive", place)
    assert run(*said)[0] == 0
    yield place
    for path in [place, *place.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)


def test_a_label_that_pinning_adds_is_told_of(run: Run, archive: Path, tmp_path: Path) -> None:
    at = ("pin", "call", "--archive", archive, "--at", "2.0", "--expect", "yield", "--author", "A")
    code, out, err = run(*at, "--json", "-o", tmp_path / "one")
    told = json.loads(out)
    assert (code, told["label_added"], told["recorded"]) == (0, True, True)
    assert err.startswith(f"note: added the label {told['label_id']} by A to the archive; workbench label call --undo")
    code, out, err = run(*at, "-o", tmp_path / "two")
    assert (code, err) == (0, "")  # the same label stands: nothing new
    code, out, err = run(*at, "--max-talk-over-s", "3", "-o", tmp_path / "three", "-q")
    assert (code, out, err) == (0, "", "")
    said = ("pin", "call", "--archive", archive, "--label", told["label_id"], "-o", tmp_path / "four", "--json")
    code, out, err = run(*said)
    assert (code, err, json.loads(out)["label_added"]) == (0, "", False)
    undo = ("label", "call", "--undo", told["label_id"], "--archive", archive)
    assert run(*undo)[0] == 0


def test_a_label_of_an_archive_that_cannot_be_written_is_pinned(run: Run, archive: Path, tmp_path: Path) -> None:
    label = ("label", "call", "--at", "2.0", "--expect", "yield", "--archive", archive, "--json")
    label_id = json.loads(run(*label)[1])["label_id"]
    for path in [archive, *archive.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    bound = [*BOUND, sys.executable, "-m", "workbench", "pin", "call", "--archive", str(archive)]

    def pin(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*bound, *args], capture_output=True, text=True, timeout=120, check=False)

    done = pin("--label", label_id, "-o", str(tmp_path / "pins"), "--json")
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr == "note: the archive cannot be written: the contract is made, and the archive has no row of it\n"
    )
    told = json.loads(done.stdout)
    assert (told["recorded"], told["label_added"]) == (False, False)
    assert run("prove", told["folder"])[0] == 0
    refused = pin("--at", "2.0", "--expect", "yield", "--max-talk-over-s", "3", "-o", str(tmp_path / "others"))
    assert refused.returncode == 2
    assert "cannot be written" in refused.stderr
    assert not (tmp_path / "others").exists()
