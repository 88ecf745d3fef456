"""The wheel carries what it needs: installed into an empty environment, it runs its demo."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel
LARGEST = 15_000_000


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the checkout with the installed build backend."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=root,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_sql_notebooks_and_data(wheel: Path, files: list[Path]) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = [file for file in files if file.parts[0] in {"sql", "notebooks", "data"} and file.name != ".gitkeep"]
    assert {file.parts[0] for file in shipped} == {"sql", "notebooks", "data"}
    code = [file for file in files if file.parts[0] == "workbench"]
    missing = [str(f) for f in shipped if f"workbench/_shipped/{f.as_posix()}" not in names]
    missing += [str(f) for f in code if f.as_posix() not in names]
    assert not missing
    assert not [name for name in names if "__pycache__" in name or "__marimo__" in name]
    assert wheel.stat().st_size < LARGEST


def uv(root: Path) -> str:
    """Return uv: the one on the PATH, or the one that the set-up fetched."""
    found = shutil.which("uv") or shutil.which(str(root / ".uv" / "bin" / "uv"))
    assert found, "uv is neither on the PATH nor in .uv/: run make setup"
    return found


def test_the_installed_wheel_runs_its_demo(wheel: Path, root: Path, tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "VIRTUAL_ENV", "WORKBENCH_ARCHIVE"}
    }
    place = tmp_path / "environment"
    python = place / "bin" / "python"

    def run(*command: str) -> str:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    run(uv(root), "venv", "--python", sys.executable, str(place))
    lock = str(root / "requirements.lock")
    run(uv(root), "pip", "install", "--python", str(python), "--constraints", lock, str(wheel))
    home = run(str(python), "-c", "import workbench; print(workbench.__file__)")
    assert Path(home.strip()).is_relative_to(place)
    said = run(str(place / "bin" / "workbench"), "demo", str(tmp_path / "demo"))
    assert "workbench " in said, "the demo says what to do next"
    assert list((tmp_path / "demo").rglob("*.html")), "the demo wrote no report"
