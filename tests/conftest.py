"""What all tests share: no network, no archive of the user's, and the marker `browser`."""

from __future__ import annotations

import os
import shutil
import socket
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REMEDY = "no Chromium on the PATH: apt-get install chromium (or name one in WORKBENCH_CHROMIUM)"
HERE = ("127.", "::1", "localhost")

os.environ.pop("WORKBENCH_ARCHIVE", None)


class NetworkUsed(RuntimeError):
    """A test tried to reach another machine."""


class LocalSocket(socket.socket):
    """A socket that reaches this machine only."""

    def connect(self, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(HERE):
            self.close()
            raise NetworkUsed(f"tests do not use the network, and this one asked for {address[0]}")
        super().connect(address)


def pytest_configure() -> None:
    """Keep every test of this process on this machine."""
    socket.socket = LocalSocket  # type: ignore[misc]


def chromium_path() -> str | None:
    """Return the Chromium to look through, or None."""
    named = os.environ.get("WORKBENCH_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests that need a browser where there is none, or fail them where there must be one."""
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
