"""Every shipped notebook runs from start to end without a browser, and says what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.archive.archive import Archive
from workbench.assets import folder
from workbench.cli.notebook import notebooks, title

NAMES = sorted(notebooks())


def run(name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(notebooks()[name]), *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


def test_both_notebooks_are_there() -> None:
    assert {"archive", "call"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_listed_and_has_a_title(name: str) -> None:
    assert f"| `{name}.py` |" in (folder("notebooks") / "README.md").read_text(encoding="utf-8")
    assert title(notebooks()[name]).endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_marimo_has_nothing_against_it(name: str) -> None:
    command = [sys.executable, "-m", "marimo", "check", "--strict", str(notebooks()[name])]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_as_a_script(name: str, demo_archive: Path) -> None:
    done = run(name, "--archive", str(demo_archive))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("name", NAMES)
def test_without_an_archive_it_says_what_to_do(name: str, tmp_path: Path) -> None:
    done = run(name, "--archive", str(tmp_path / "none"))
    assert done.returncode == 1
    assert "no such archive" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_archive_is_no_fault(name: str, tmp_path: Path) -> None:
    Archive.create(tmp_path / "empty").close()
    done = run(name, "--archive", str(tmp_path / "empty"))
    assert done.returncode == 0, done.stderr


def test_the_summary_counts_what_the_archive_holds(demo_archive: Path) -> None:
    printed = run("archive", WORKBENCH_ARCHIVE=str(demo_archive)).stdout
    with Archive(demo_archive) as archive:
        calls = archive.sql("select count(*) from calls").item()
        rate = archive.sql("from assertion_pass_rate where assertion_id = 'slow_response'").row(0, named=True)
    assert f"{calls} calls" in printed
    assert f"slow_response: {rate['pass_count']} of {rate['trial_count']} judged calls pass" in printed


def test_the_call_that_is_asked_for_is_shown(demo_archive: Path) -> None:
    printed = run("call", "--archive", str(demo_archive), WORKBENCH_CALL="refund-misheard-fifty").stdout
    assert printed.startswith("'refund-misheard-fifty': ")
    assert "high misheard_number" in printed
