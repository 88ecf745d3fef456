"""Every benchmark runs at a tiny size and prints its tables; how long anything takes is not looked at."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.measured import Cost, Costs, Failed, exponent, process, ratio
from benchmarks.tables import Table

# Packages that `frames` compares with need seconds to import and compile, so it has a test of its own below.
ROOT = Path(__file__).parents[2]
ROWS = {
    "folder": 3,
    "growth": 6,
    "long_calls": 3,
    "frame_size": 5,
    "startup": 5,
    "queries": 7,
    "many_frames": 6,
    "turns": 5,
    "verdicts": 6,
    "timing_sweep": 16,
    "timing_truth": 20,
    "refined_tuning": 5,
    "notebook": 26,
    "jsonl": 2,
}


def test_every_benchmark_is_listed() -> None:
    files = (ROOT / "benchmarks").glob("*.py")
    modules = {file.stem for file in files if "def run(size" in file.read_text(encoding="utf-8")}
    assert modules == {*command.NAMES} == {*ROWS, "frames"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.browser] if name == "notebook" else []) for name in ROWS]
)
def test_a_benchmark_prints_its_tables(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command.main(["--size", "tiny", "--only", name, "--json", str(tmp_path / "found.json")])
    printed = capsys.readouterr().out
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    tables = found["benchmarks"][name]
    assert len(tables[0]["rows"]) == ROWS[name]
    for table in tables:
        assert f"### {table['title']}" in printed
        assert table["title"].startswith(f"{name}:")
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
        assert all(cell for row in table["rows"] for cell in row)
    assert {"processor", "memory", "python", "duckdb", "hotato"} <= found["machine"].keys()


def test_frame_levels_are_those_of_librosa_and_of_the_compiled_kernel(tmp_path: Path) -> None:
    from benchmarks import frames

    (table,) = frames.run("tiny", tmp_path)
    assert [row[0] for row in table.rows] == [frames.OURS, f"{frames.LIBROSA} (peer)", frames.COMPILED]
    (same,) = [remark for remark in table.remarks if "1e-6" in remark]
    assert float(same.split("Found: ")[1].split(" ")[0]) <= 1e-6


def test_the_cost_of_a_command_is_its_own() -> None:
    held = bytearray(300_000_000)
    small = process([sys.executable, "-c", "pass"])
    large = process([sys.executable, "-c", "x = bytearray(200_000_000); x[:] = b'1' * len(x)"])
    assert len(held) == 300_000_000
    assert small.peak_mb < 100  # not what this process holds
    assert large.peak_mb > 190
    busy = "import os, time\nwhile sum(os.times()[:2]) < 0.3: pass\ntime.sleep(0.3)"
    cost = process([sys.executable, "-c", busy])
    assert cost.cpu_s >= 0.3
    assert cost.wall_s >= cost.cpu_s


def test_a_command_that_fails_is_not_timed() -> None:
    with pytest.raises(Failed, match=r"exit code 3(?s:.)*it broke"):
        process([sys.executable, "-c", "import sys; print('it broke', file=sys.stderr); sys.exit(3)"])


def test_ratios_are_taken_within_a_round() -> None:
    quiet, busy = Cost(1.0, 1.0), Cost(10.0, 10.0)
    peer = Costs([Cost(3.0, 2.0), Cost(30.0, 20.0)])
    assert ratio(peer, Costs([quiet, busy])) == 3.0
    assert ratio(peer, Costs([quiet, busy]), "cpu_s") == 2.0


def test_the_exponent_of_a_square_is_two() -> None:
    assert exponent([1, 10, 100], [7, 700, 70_000]) == pytest.approx(2.0)
    assert exponent([1, 10], [7, 70]) == pytest.approx(1.0)


def test_a_target_is_a_statement_at_full_size_only() -> None:
    table = Table("any", ["what"])
    table.target("below 1 s", found="2 s", reached=False, size="full")
    table.target("below 1 s", found="2 s", reached=False, size="quick")
    assert [remark.rpartition("Found: ")[2] for remark in table.remarks] == [
        "2 s. NOT REACHED",
        "2 s. (size quick: no verdict)",
    ]


def test_an_unknown_name_is_refused() -> None:
    asked = [sys.executable, "-m", "benchmarks", "--only", "speed"]
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert "no benchmark 'speed'" in said.stderr
