"""The generated pages of docs/ say what the code says."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

NAMES = ["commands.md", "formats.md", "tables.md", "views.md"]


@pytest.fixture(scope="module")
def pages(root: Path) -> dict[str, Callable[[], str]]:
    spec = importlib.util.spec_from_file_location("docs_build", root / "docs" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Callable[[], str]] = module.PAGES
    assert sorted(found) == NAMES
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_generated_page_is_fresh(pages: dict[str, Callable[[], str]], root: Path, name: str) -> None:
    text = pages[name]()
    assert text.count("\n|") + text.count("\n## ") > 3
    assert (root / "docs" / name).read_text(encoding="utf-8") == text, f"docs/{name} is stale: run make docs"


def test_pages_do_not_depend_on_the_machine(pages: dict[str, Callable[[], str]], root: Path) -> None:
    for page in pages.values():
        assert str(root) not in page()
        assert str(Path.home()) + "/" not in page()
