"""SQL lives in .sql files, and one module owns every DuckDB call."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HEAD = re.compile(
    r"^\s*(?:select|with|from|insert|create|update|delete|copy|merge|attach|pivot|summarize)\b", re.IGNORECASE
)
BODY = re.compile(r"\b(?:select|from|into|table|view|macro|where|set)\b", re.IGNORECASE)
LAKE = Path("workbench/archive/lake")


def sources(files: list[Path]) -> list[Path]:
    found = [f for f in files if f.suffix == ".py" and f.parts[0] in {"workbench", "notebooks", "docs", "benchmarks"}]
    assert found
    return found


def text_of(node: ast.AST) -> str | None:
    """Return the text of a string or f-string, with its holes as `x`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            v.value if isinstance(v, ast.Constant) and isinstance(v.value, str) else "x" for v in node.values
        )
    return None


def sql_strings(source: str) -> list[int]:
    """Return the lines at which SQL longer than one line begins."""
    tree = ast.parse(source)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    parts = {id(v) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for v in node.values}
    found = []
    for node in ast.walk(tree):
        text = text_of(node)
        if text is None or id(node) in docs | parts or not isinstance(node, ast.expr):
            continue
        long = (node.end_lineno or node.lineno) > node.lineno or "\n" in text.strip()
        if long and HEAD.match(text) and len(BODY.findall(text)) >= 2:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('q = "select a from t"', []),
        ('q = """\nselect a\nfrom t where b\n"""', [1]),
        ('q = ("select a "\n     "from t")', [1]),
        ('q = f"""with x as (\nselect {a} from t) select 1"""', [1]),
        ('def f():\n    """Select rows\n    from the table where it matters.\n    """', []),
        ('text = """From the caller\nto the agent."""', []),
    ],
)
def test_the_rule_sees_what_it_should(source: str, lines: list[int]) -> None:
    assert sql_strings(source) == lines


def test_no_sql_longer_than_a_line_in_python(files: list[Path], root: Path) -> None:
    found = [f"{f}:{n}" for f in sources(files) for n in sql_strings((root / f).read_text(encoding="utf-8"))]
    assert not found


def test_only_the_lake_reads_single_rows(files: list[Path], root: Path) -> None:
    """A half-read result locks out every writer, so nothing else may call `fetchone` or `fetchmany`."""
    pattern = re.compile(r"\.fetch(?:one|many)\(")
    others = [file for file in sources(files) if LAKE not in file.parents]
    found = [str(file) for file in others if pattern.search((root / file).read_text(encoding="utf-8"))]
    assert not found


def test_only_the_lake_imports_duckdb(modules: list[Path], root: Path) -> None:
    """Everything else may name its types only, under TYPE_CHECKING."""
    found = []
    for module in modules:
        if LAKE in module.parents:
            continue
        tree = ast.parse((root / module).read_text(encoding="utf-8"))
        typing_only = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if id(node) not in typing_only and any(name.split(".")[0].startswith("duckdb") for name in names):
                found.append(f"{module}:{getattr(node, 'lineno', 0)}")
    assert not found
