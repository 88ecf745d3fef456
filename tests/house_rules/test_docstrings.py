"""Public functions say what goes in, what comes out and when they refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

Function = ast.FunctionDef | ast.AsyncFunctionDef
SELF = {"self", "cls"}
SMALLEST = 8  # letters of a module's docstring


def public(path: Path) -> Iterator[tuple[str, Function, bool]]:
    """Yield the public functions and methods of a file, and whether each is a method."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield node.name, node, False
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for inner in node.body:
                if isinstance(inner, Function) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner, True


def arguments(function: Function) -> list[str]:
    """Return the names of the arguments a caller gives."""
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [name for name in names if name not in SELF and not name.startswith("_")]


def is_command(function: Function) -> bool:
    """Whether the docstring is a command's help, where click says the rest."""
    return any("command" in ast.unparse(decorator) for decorator in function.decorator_list)


@pytest.fixture(scope="module")
def functions(modules: list[Path], root: Path) -> list[tuple[str, Function, bool]]:
    found = [(f"{m}:{name}", node, method) for m in modules for name, node, method in public(root / m)]
    assert len(found) > 20
    return found


def test_every_public_function_has_a_docstring(functions: list[tuple[str, Function, bool]]) -> None:
    assert not [name for name, node, _ in functions if not (ast.get_docstring(node) or "").strip()]


def test_a_long_docstring_lists_every_argument_it_takes(functions: list[tuple[str, Function, bool]]) -> None:
    """A `Parameters` section that is there is whole: each argument is named in it."""
    wrong = []
    for name, node, _ in functions:
        text = ast.get_docstring(node) or ""
        if "\nParameters\n---" not in text:
            continue
        section = text.split("\nParameters\n", 1)[1].split("\n\nReturns\n", 1)[0]
        listed = {
            part.strip().lstrip("*")
            for line in section.splitlines()
            if line and not line.startswith(" ")
            for part in line.split(" : ")[0].split(",")
        }
        missing = [argument for argument in arguments(node) if argument not in listed]
        if missing:
            wrong.append(f"{name}: {', '.join(missing)}")
    assert not wrong, "\n".join(wrong)


def test_measuring_functions_document_arguments_and_results(
    functions: list[tuple[str, Function, bool]],
) -> None:
    """Functions of the measuring packages carry the full form: they are where a number comes from."""
    full = {"text", "audio", "stats", "timing", "analysis"}
    wrong = []
    for name, node, method in functions:
        if name.split("/")[1] not in full or method:
            continue
        text = ast.get_docstring(node) or ""
        if arguments(node) and "\nParameters\n---" not in text:
            wrong.append(f"{name}: no Parameters")
        returns = node.returns is not None and ast.unparse(node.returns) != "None"
        if returns and not any(f"\n{part}\n---" in text for part in ("Returns", "Yields")):
            wrong.append(f"{name}: no Returns")
    assert not wrong, "\n".join(wrong)


def test_every_module_says_what_it_is(modules: list[Path], root: Path) -> None:
    empty = []
    for module in modules:
        text = (root / module).read_text(encoding="utf-8")
        if text.strip() and len(ast.get_docstring(ast.parse(text)) or "") < SMALLEST:
            empty.append(str(module))
    assert not empty
