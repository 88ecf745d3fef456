"""The peer: `hotato`, installed from the package index into a virtual environment of its own."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

PACKAGE = "hotato"
VERSION = "1.20.0"
FOLDER = Path(__file__).with_name(".peer")


def command() -> Path:
    """Return the path of the peer's command; install it at first use.

    Raises
    ------
    subprocess.CalledProcessError
        When the package index cannot be reached.
    """
    found = FOLDER / "bin" / PACKAGE
    marker = FOLDER / VERSION
    if not marker.is_file():
        venv.create(FOLDER, with_pip=True, clear=True)
        python = FOLDER / "bin" / "python"
        asked = ["install", "--quiet", "--disable-pip-version-check", f"{PACKAGE}=={VERSION}"]
        subprocess.run([python, "-m", "pip", *asked], check=True)
        marker.touch()
    return found
