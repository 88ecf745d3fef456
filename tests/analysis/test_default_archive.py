"""Which archive is meant when none is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.analysis.default_archive import default_archive

if TYPE_CHECKING:
    import pytest


def test_named_then_environment_then_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_archive() == Path("archive")
    demo = tmp_path / "checkout" / "out" / "demo" / "archive"
    demo.mkdir(parents=True)
    (demo / "archive.json").touch()
    assert default_archive(beside=tmp_path / "checkout") == demo
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "archive.json").touch()
    assert default_archive(beside=tmp_path / "checkout") == Path("archive")
    monkeypatch.setenv("WORKBENCH_ARCHIVE", "from-environment")
    assert default_archive() == Path("from-environment")
    assert default_archive("named") == Path("named")
