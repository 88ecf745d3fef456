"""Several processes write at once and every call arrives exactly once while another process reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import workbench
from workbench.archive.archive import Archive

SCRIPT = Path(__file__).parent / "importer_process.py"


def test_four_import_while_a_fifth_reads(tmp_path: Path) -> None:
    root = tmp_path / "a"
    Archive.create(root).close()
    command = [sys.executable, str(SCRIPT), str(root), "", "25", "never", "1"]
    writers = []
    for ix in range(4):
        command[3] = str(tmp_path / f"sounds-{ix}")  # same bytes, so the same recordings, from four folders
        writers.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    seen = set()
    while any(writer.poll() is None for writer in writers):
        with workbench.open(root) as archive:
            query = "select (select count(*) from calls) as calls, (select count(*) from turns) as turns"
            seen.add(archive.sql(query).row(0))
    outcomes = [writer.communicate() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4, outcomes
    assert seen <= {(0, 0), (25, 50)}  # a reader never sees half a transaction
    reports = sorted(tuple(map(int, out.split()[1:])) for out, _ in outcomes)
    assert reports == [(0, 25), (0, 25), (0, 25), (25, 0)]
    with workbench.open(root) as archive:
        found = archive.sql("select call_id, count(*) as n from calls group by all")
        assert (found.height, found["n"].max()) == (25, 1)
        assert archive.sql("select count(*) as n from turns").item() == 50


def test_writers_of_different_calls_all_arrive(tmp_path: Path) -> None:
    root = tmp_path / "a"
    Archive.create(root).close()
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); from made_calls import made_call; import workbench\n"
        "first = int(sys.argv[3])\n"
        "with workbench.open(sys.argv[1]) as a: print(a.add(made_call(i) for i in range(first, first + 10)).new)"
    )
    here = str(Path(__file__).parent)
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(root), here, str(10 * ix)], stdout=subprocess.PIPE, text=True)
        for ix in range(4)
    ]
    assert [writer.communicate(timeout=120)[0].strip() for writer in writers] == ["10"] * 4
    with workbench.open(root) as archive:
        assert archive.sql("select count(distinct call_id) as n, count(*) as m from calls").row(0) == (40, 40)


def test_four_imports_into_an_archive_that_is_not_there_yet(tmp_path: Path) -> None:
    """One of them makes it, the others wait and use it; one that brings nothing does not take it away."""
    target = tmp_path / "a"
    (tmp_path / "empty").mkdir()
    commands = []
    for ix in range(3):
        path = tmp_path / f"c{ix}.json"
        turns = '[{"role": "caller", "text": "hello"}]'
        path.write_text(f'{{"format": "workbench.call/1", "id": "c{ix}", "turns": {turns}}}', encoding="utf-8")
        commands.append(path)
    commands.append(tmp_path / "empty")
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "workbench", "import", path, "--archive", target, "--quiet"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for path in commands
    ]
    ended = [(process.communicate(timeout=120)[1].decode(), process.returncode) for process in running]
    assert [code for _, code in ended] == [0, 0, 0, 2], ended
    with Archive(target) as archive:
        assert archive.sql("select call_id from calls order by all")["call_id"].to_list() == ["c0", "c1", "c2"]
