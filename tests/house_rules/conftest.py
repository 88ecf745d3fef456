"""The files of the project, as the house rules look at them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def files() -> list[Path]:
    """Every file that is or would be part of the project, relative to the checkout; never empty."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    found = sorted({Path(name) for name in listed if name and (ROOT / name).is_file()})
    assert found, "no files found: is this a git checkout?"
    return found


@pytest.fixture(scope="session")
def modules(files: list[Path]) -> list[Path]:
    """Every Python file of the package."""
    found = [file for file in files if file.parts[0] == "workbench" and file.suffix == ".py"]
    assert found
    return found
