"""Two notebooks opened at once answer on two ports, and a port that is taken is refused before a server starts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import ports
from workbench.errors import UsageError

HOLD = "from workbench import ports; print(ports.reserve(), flush=True); import os; os.execlp('sleep', 'sleep', '60')"


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(ports, "gettempdir", lambda: str(tmp_path))
    return {**os.environ, "TMPDIR": str(tmp_path)}


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server((ports.HOST, 0)) as server:
        yield server.getsockname()[1]


def test_processes_that_look_at_once_find_different_ports(own_folder: dict[str, str]) -> None:
    """None of them listens yet, and each became another program since: the port is kept all the same."""
    command = [sys.executable, "-c", HOLD]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, env=own_folder, text=True) for _ in range(3)]
    try:
        found = [int(one.stdout.readline()) for one in started if one.stdout]
        assert len(set(found)) == 3
        with pytest.raises(UsageError, match="another notebook"):
            ports.reserve(found[0])
    finally:
        for one in started:
            one.kill()
            one.communicate()
    assert ports.reserve(found[0]) == found[0]  # it ends with its process


def test_a_port_that_is_taken_is_refused(own_folder: dict[str, str], listening: int) -> None:
    with pytest.raises(UsageError, match=f"port {listening} cannot be used: address already in use"):
        ports.reserve(listening)


def test_a_port_that_is_taken_is_passed_over(
    own_folder: dict[str, str], listening: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "FIRST", listening)
    assert ports.reserve() > listening
    monkeypatch.setattr(ports, "TRIED", 1)
    with pytest.raises(UsageError, match="is free"):
        ports.reserve()


def test_the_command_refuses_a_taken_port(demo_archive: Path, listening: int) -> None:
    command = [sys.executable, "-m", "workbench", "notebook", "call", "--archive", str(demo_archive), "--headless"]
    command += ["--port", str(listening)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"workbench: --port: port {listening} cannot be used")
