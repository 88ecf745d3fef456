"""What holds voices is never taken into the repository by accident: archives and contracts that commands make."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
MADE = (
    "archive/media/a.wav",
    "my.archive/x",
    "contracts/ct-1.contract/clip.wav",
    "deep/contracts/c",
    "calls/archive/x",
)
KEPT = (
    "workbench/archive/archive.py",
    "workbench/timing/contracts/clip.py",
    "tests/archive/test_new.py",
    "tests/timing/contracts/test_new.py",
    "data/calls/archive/NOTICE.md",
    "notebooks/archive.py",
)


def test_what_commands_make_is_ignored_and_what_is_source_is_not(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".gitignore", tmp_path)
    git = shutil.which("git")
    assert git is not None
    subprocess.run([git, "init", "-q", tmp_path], check=True)
    asked: list[str | Path] = [git, "-C", tmp_path, "check-ignore", *MADE, *KEPT]
    found = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    assert found == list(MADE)
