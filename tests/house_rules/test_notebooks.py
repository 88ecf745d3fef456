"""Notebooks stand on the archive, the analysis and the charts, and on nothing below."""

from __future__ import annotations

import ast
from pathlib import Path

ALLOWED = {"archive", "analysis", "charts"}


def imported(tree: ast.AST) -> list[str]:
    """Return the parts of the workbench a notebook imports."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name.split(".")[1] for name in names if name.startswith("workbench.")]


def test_notebooks_import_only_what_they_may(files: list[Path], root: Path) -> None:
    notebooks = [file for file in files if file.parts[0] == "notebooks" and file.suffix == ".py"]
    assert notebooks
    for notebook in notebooks:
        source = (root / notebook).read_text(encoding="utf-8")
        parts = imported(ast.parse(source))
        assert set(parts) <= ALLOWED, f"{notebook}: {sorted(set(parts) - ALLOWED)}"
        assert source.startswith("# /// script"), f"{notebook} has no header that names its packages"
        assert source.rstrip().endswith("app.run()"), f"{notebook} does nothing when run as a script"
