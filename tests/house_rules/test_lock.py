"""The lock names what is installed, with hashes, and no place it comes from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

PIN = re.compile(r"^(?P<name>[a-z0-9][a-z0-9.-]*)==(?P<version>[^ ;]+)")


def pins(root: Path) -> dict[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for line in (root / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if match := PIN.match(line):
            found.setdefault(match["name"], []).append(Version(match["version"]))
    assert len(found) > 30
    return found


def declared(root: Path) -> list[Requirement]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    texts = list(project["project"]["dependencies"])
    for extra in project["project"]["optional-dependencies"].values():
        texts += extra
    for group in project["dependency-groups"].values():
        texts += [entry for entry in group if isinstance(entry, str)]
    return [Requirement(text) for text in texts if not text.startswith("callbench[")]


def test_every_declared_package_is_locked_to_a_version_it_allows(root: Path) -> None:
    locked = pins(root)
    wrong = [
        str(need)
        for need in declared(root)
        if not any(version in need.specifier for version in locked.get(need.name.lower().replace("_", "-"), []))
    ]
    assert not wrong, f"run make lock: {wrong}"


def test_every_pin_has_a_hash(root: Path) -> None:
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", text.strip())
    assert len(entries) > 30
    assert not [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry]


def test_the_lock_names_no_place(root: Path) -> None:
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    assert not re.findall(r"https?:|file:|--(?:extra-)?index-url|--find-links", text)
    assert "uv.lock" in (root / ".gitignore").read_text(encoding="utf-8").splitlines()
