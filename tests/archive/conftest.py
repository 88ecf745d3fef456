"""An empty archive for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.archive.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An empty archive."""
    return Archive.create(tmp_path / "archive")
