"""Arrow arrays made without pandas equal those that pyarrow makes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import soundfile as sf

from workbench import arrow


@pytest.mark.parametrize(
    "values",
    [
        np.arange(5, dtype=np.int32),
        np.array([-3, 7], np.int16),
        np.array([1.5, np.inf]),
        np.array([True, False, True] * 7),
        np.zeros(0, bool),
        np.zeros(0, np.int16),
        np.arange(20, dtype=np.int16)[::3],
    ],
)
def test_an_array_is_the_one_pyarrow_makes(values: np.ndarray) -> None:
    made = arrow.array(values)
    made.validate(full=True)
    assert made.equals(pa.array(values))


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_a_constant_is_its_text_again_and_again(count: int) -> None:
    made = arrow.constant("größe", count)
    made.validate(full=True)
    assert made.to_pylist() == ["größe"] * count


def test_lists_may_be_empty_or_null() -> None:
    made = arrow.lists(pa.array(["a", "b", None]), np.array([2, -1, 0, 1]))
    made.validate(full=True)
    assert made.to_pylist() == [["a", "b"], None, [], [None]]


def test_an_import_with_measuring_does_not_load_pandas(tmp_path: Path) -> None:
    """It would take 0.2 s of a run of one second; it is installed here, with statsmodels."""
    noise = np.random.default_rng(1).integers(-3000, 3000, size=(8000, 2), dtype=np.int16)
    sf.write(tmp_path / "call.wav", noise, 8000)
    program = (
        "import importlib.util, sys\n"
        "from workbench.cli import main\n"
        "assert importlib.util.find_spec('pandas')\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    print(end.code, 'pandas' in sys.modules)\n"
    )
    command = ["import", tmp_path / "call.wav", "--channels", "caller,agent", "--measure", "--archive", tmp_path / "a"]
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, command), "--quiet"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-2:] == ["0", "False"]
