"""What the README and CONTRIBUTING tell a reader to type works, in the order they tell it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = ("workbench", "make")
STAY_OPEN = {
    "notebook",
    "serve",
    "mcp",
}  # these wait for the reader: their options are checked, they are not started


def typed(path: Path) -> list[str]:
    """Return the lines of every sh block of a page, comments left out, continued lines joined."""
    blocks = re.findall(r"^```sh\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line.split(" #")[0].strip() for line in lines if line.strip() and not line.startswith("#")]


def targets(root: Path) -> set[str]:
    return set(re.findall(r"^([a-z]+):.*## ", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_lines_begin_with_a_program_of_ours_and_make_targets_exist(root: Path, page: str) -> None:
    lines = typed(root / page)
    assert lines, f"{page} shows no command"
    known = targets(root)
    assert {"demo", "test", "setup"} <= known
    for line in lines:
        words = shlex.split(line)
        assert words[0] in PROGRAMS, line
        if words[0] == "make":
            wanted = {word for word in words[1:] if "=" not in word}
            assert wanted, line
            assert wanted <= known, line


def test_the_commands_of_the_readme_run(root: Path, tmp_path: Path) -> None:
    """Every `workbench` line runs, in order, in one folder that begins with what `make demo` leaves there."""
    lines = [shlex.split(line)[1:] for line in typed(root / "README.md") if line.startswith("workbench ")]
    assert len(lines) >= 3
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}

    def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "workbench", *arguments],
            cwd=tmp_path,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )

    demo = run(["demo", "out/demo"])
    assert demo.returncode == 0, demo.stderr
    shutil.copytree(root / "data" / "calls", tmp_path / "data" / "calls")
    for arguments in lines:
        if arguments[0] == "demo":
            continue
        if arguments[0] in STAY_OPEN:
            check_options(run, arguments)
            continue
        done = run(arguments)
        assert done.returncode in (0, 1), f"workbench {shlex.join(arguments)}\n{done.stdout}\n{done.stderr}"


def check_options(run: Callable[[list[str]], subprocess.CompletedProcess[str]], arguments: list[str]) -> None:
    """Assert that a command that waits for its reader exists and knows the options it is given."""
    text = run([arguments[0], "--help"])
    assert text.returncode == 0, text.stderr
    for option in (word.split("=")[0] for word in arguments if word.startswith("--")):
        assert option in text.stdout, f"workbench {arguments[0]} has no option {option}"
