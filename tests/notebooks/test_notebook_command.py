"""`workbench notebook` lists, opens, and says what is wrong before a server starts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import notebook, root
from workbench.errors import ArchiveFailed, MissingExtra, UsageError


def invoke(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        root.main(args=["notebook", *arguments], standalone_mode=False)
    return int(stop.value.code or 0)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """What would have been started, in place of a server."""
    calls: list[tuple[list[str], dict[str, str]]] = []

    def execve(program: str, command: list[str], environment: dict[str, str]) -> None:
        assert program == command[0]
        calls.append((command, environment))
        raise SystemExit(0)  # the process becomes the server and does not come back

    monkeypatch.setattr(notebook.os, "execve", execve)
    return calls


def test_without_a_name_it_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    root.main(args=["notebook"], standalone_mode=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(notebook.notebooks())


def test_a_page_to_read_asks_for_a_token(started: list[Any], demo_archive: Path) -> None:
    assert invoke("call", "--call", "0012", "--archive", str(demo_archive), "--port", "8123") == 0
    [(command, environment)] = started
    assert command[:4] == [sys.executable, "-m", "marimo", "run"]
    assert "--token" in command
    assert "--no-token" not in command
    assert command[command.index("--host") + 1] == "127.0.0.1"
    assert command[command.index("--port") + 1] == "8123"
    assert environment["WORKBENCH_ARCHIVE"] == str(demo_archive.resolve())
    assert environment["WORKBENCH_CALL"] == "0012"


def test_in_a_checkout_the_notebook_itself_is_edited(started: list[Any], demo_archive: Path) -> None:
    assert invoke("archive", "--edit", "--archive", str(demo_archive), "--headless") == 0
    [(command, _)] = started
    assert command[3:5] == ["edit", str(notebook.notebooks()["archive"])]
    assert {"--headless", "--no-sandbox"} <= set(command)


def test_an_installed_notebook_is_copied_once_and_then_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = tmp_path / "workbench" / "_shipped" / "notebooks" / "call.py"
    shipped.parent.mkdir(parents=True)
    shipped.write_text("first", encoding="utf-8")
    shipped.with_name("charts.css").write_text("look", encoding="utf-8")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    copy = notebook.editable(shipped)
    assert copy == Path("notebooks/call.py")
    assert copy.with_name("charts.css").read_text(encoding="utf-8") == "look"
    copy.write_text("mine", encoding="utf-8")
    assert notebook.editable(shipped).read_text(encoding="utf-8") == "mine"
    assert shipped.read_text(encoding="utf-8") == "first"


def test_what_is_refused(
    started: list[Any], tmp_path: Path, demo_archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="no notebook 'x'"):
        root.main(args=["notebook", "x"], standalone_mode=False)
    with pytest.raises(ArchiveFailed, match="no such archive"):
        root.main(args=["notebook", "call", "--archive", str(tmp_path / "none")], standalone_mode=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match="marimo"):
        root.main(args=["notebook", "call", "--archive", str(demo_archive)], standalone_mode=False)
    assert not started
