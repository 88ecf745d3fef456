"""What all tests share: the marker `browser`, which skips without Chromium or, where asked, fails."""

from __future__ import annotations

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REMEDY = "no Chromium on the PATH: apt-get install chromium (or name one in WORKBENCH_CHROMIUM)"


def chromium_path() -> str | None:
    """Return the Chromium to look through, or None."""
    named = os.environ.get("WORKBENCH_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip or fail tests that need a browser where there is none."""
    if item.get_closest_marker("browser") and chromium_path() is None:
        if os.environ.get("WORKBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(REMEDY, pytrace=False)
        pytest.skip(REMEDY)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the installed Chromium; the test carries the marker `browser`."""
    path = chromium_path()
    assert path is not None, REMEDY
    return path
