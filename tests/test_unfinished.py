"""Hidden folders and files: a leftover of a dead process goes, one of a living process stays."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench import unfinished
from workbench.report.new_file import write_whole
from workbench.report.new_folder import new_folder
from workbench.timing.contracts.placing import placed

MAKERS = {
    "contract": (
        "ct-1.contract",
        "from workbench.timing.contracts.placing import placed\nwith placed(target, {'audio/event.wav': b'RIFF'}):",
    ),
    "export": (
        "tables",
        "from workbench.report.new_folder import new_folder\nwith new_folder(target) as f:\n (f / 'a').touch()\n if 1:",
    ),
    "page": (
        "scan.html",
        (
            "from workbench.report.new_file import whole\n"
            "with whole(target, kind='html') as f:\n f.write(b'<html>')\n if 1:"
        ),
    ),
}


def _again(kind: str, target: Path) -> None:
    if kind == "contract":
        with placed(target, {"audio/event.wav": b"RIFF"}):
            pass
    elif kind == "export":
        with new_folder(target):
            pass
    else:
        write_whole(target, "<html>", kind="html")


@pytest.fixture
def making() -> Iterator[Callable[[str, Path], subprocess.Popen[bytes]]]:
    """Start a process that stops half-way in making a thing."""
    started: list[Any] = []

    def begin(kind: str, target: Path) -> subprocess.Popen[bytes]:
        wait = "print('there', flush=True); import time; time.sleep(600)"
        code = f"from pathlib import Path\ntarget = Path({str(target)!r})\n{MAKERS[kind][1]}\n  {wait}"
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("kind", MAKERS)
def test_a_leftover_of_a_killed_process_goes_and_one_of_a_living_process_stays(
    kind: str, making: Callable[[str, Path], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    target = tmp_path / MAKERS[kind][0]
    dead, alive = making(kind, target), making(kind, target)
    hidden = list(tmp_path.iterdir())
    assert len(hidden) == 2
    dead.kill()
    dead.wait()
    _again(kind, target)
    left = [path for path in tmp_path.iterdir() if path != target]
    assert len(left) == 1
    assert left[0] in hidden
    assert alive.poll() is None
    alive.kill()
    alive.wait()
    assert unfinished.sweep(tmp_path, like=target.name) == 1
    assert list(tmp_path.iterdir()) == [target]


def test_a_contract_takes_leftovers_of_other_contracts_with_it(
    making: Callable[[str, Path], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    dead = making("contract", tmp_path / "ct-other.contract")
    dead.kill()
    dead.wait()
    _again("contract", tmp_path / "ct-1.contract")
    assert [path.name for path in tmp_path.iterdir()] == ["ct-1.contract"]


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    kept = (".notes.unfinished-1", "a.contract.unfinished-12345678", ".b.html.unfinished-12345678", ".contract")
    for name in kept:
        (tmp_path / name).mkdir()
    (tmp_path / ".c.contract.unfinished-12345678").symlink_to(tmp_path / ".contract")
    os.mkfifo(tmp_path / ".d.contract.unfinished-12345678")
    assert unfinished.sweep(tmp_path, like="ct-1.contract") == 0
    assert len(list(tmp_path.iterdir())) == len(kept) + 2
    assert unfinished.sweep(tmp_path / "missing", like="ct-1.contract") == 0


def test_a_long_name_keeps_its_ending(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 200 + ".html")
    with unfinished.file(target) as hidden:
        assert hidden.name.split(".unfinished-")[0].endswith(".html")
        hidden.replace(target)
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["\U0001f642" * 60, "\U0001f642" * 62 + ".html"], ids=["bare", "ending"])
def test_a_name_whose_letters_take_four_bytes_fits(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()  # the file system takes it
    (tmp_path / name).unlink()
    with unfinished.file(tmp_path / name) as hidden:
        hidden.replace(tmp_path / name)
    with unfinished.folder(tmp_path / f"{name[:-1]}x") as hidden:
        assert hidden.is_dir()
