"""A file many times larger than the memory that reading it takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROW = '{"id":"c%d","turns":[%s]}\n'
TURN = '{"role":"agent","text":"hello there, how can I help you today","start_s":1.5,"end_s":4.25}'

READ = """
import resource, sys
from workbench import ingest
from workbench.schema.call import Call
list(ingest.read([sys.argv[2]]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = sum(1 for item in ingest.read([sys.argv[1]]) if isinstance(item, Call))
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(("suffix", "mebibytes", "limit"), [("jsonl", 200, 150), ("json", 60, 45)])
def test_a_large_file_is_read_in_less_memory_than_it_has(
    tmp_path: Path, suffix: str, mebibytes: int, limit: int
) -> None:
    turns = ",".join([TURN] * 400)
    rows = mebibytes * 2**20 // len(ROW % (0, turns))
    large, small = tmp_path / f"large.{suffix}", tmp_path / f"small.{suffix}"
    for path, count in ((large, rows), (small, 1)):
        with path.open("w", encoding="utf-8") as file:
            array = suffix == "json"
            file.write("[" if array else "")
            for number in range(count):
                file.write("," if array and number else "")
                file.write(ROW % (number, turns))
            file.write("]" if array else "")
    assert large.stat().st_size > (mebibytes - 1) * 2**20
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ, str(large), str(small)], capture_output=True, text=True, check=True
        )
    finally:
        large.unlink()
    calls, grown = map(int, done.stdout.split())
    assert calls == rows
    assert grown < limit
