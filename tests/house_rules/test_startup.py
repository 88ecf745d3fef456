"""`workbench --help` answers at once, because it loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "altair av dataframely duckdb jinja2 librosa marimo numba numpy pandas polars pyarrow rich scipy "
    "soundfile statsmodels vl_convert"
).split()
LOOK = """
import sys
from workbench.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print("\\nloaded:", *sorted({name.split(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["import", "--help"], ["sql", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", LOOK, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.rpartition("loaded:")[2].split()
    assert "workbench" in loaded
    assert not set(loaded) & set(HEAVY)


def test_the_package_itself_loads_nothing_heavy() -> None:
    code = "import sys, workbench; print(' '.join(sorted({n.split('.')[0] for n in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not set(done.stdout.split()) & set(HEAVY)


def test_a_query_loads_duckdb_and_no_table_of_the_schema(small_archive: Path) -> None:
    """They and what checks them take as long to load as the query takes."""
    words = ["sql", "select count(*) from calls", "--format", "csv", "--archive", str(small_archive)]
    done = subprocess.run([sys.executable, "-c", LOOK, *words], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.rpartition("loaded:")[2].split()) & set(HEAVY) == {"duckdb"}
