"""What SQL from outside can reach: the archive, and nothing else; and it never holds up a writer."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from made_calls import made_call

import workbench
from workbench.archive.archive import Archive
from workbench.errors import QueryRefused

OUTSIDE = [
    "from read_text('/etc/hostname')",
    "from read_csv('/etc/hostname')",
    "from '/etc/hostname'",
    "from glob('/etc/*')",
    "select * from sqlite_scan('{secret}', 'pw')",
    "from sqlite_attach('{secret}')",
    "from sqlite_query('lake', 'select 1')",
    "from query('select 1')",
    "from query_table('calls')",
    "with x as (from sqlite_scan('{secret}', 'pw')) from x",
    "select (select count(*) from sqlite_scan('{secret}', 'pw'))",
    "select 1 where 1 in (from read_csv('/etc/hostname'))",
    "from json_execute_serialized_sql(json_serialize_sql('select 1'))",
    "from __ducklake_metadata_lake.ducklake_data_file",
    "from __DuckLake_Metadata_LAKE.ducklake_data_file",
    "from ducklake_cleanup_old_files('lake')",
    "from https_get('http://127.0.0.1')",
    "copy calls to '{folder}/out.csv'",
    "attach '{folder}/other.db' as other",
    "insert into lake.calls select * from lake.calls",
    "delete from lake.calls",
    "create table t as select 1",
    "set memory_limit = '1GB'",
    "install httpfs",
    "load httpfs",
    "call lake.snapshots()",
    "pragma database_list",
    "explain select 1",
    "select 1; select 2",
    "select getenv('HOME')",
    "from secret_frame",
]
INSIDE = [
    "select 1",
    "from calls",
    "with x as (select * from turns) select count(*) from x",
    "describe calls",
    "summarize calls",
    "show tables",
    "values (1), (2)",
    "from range(3)",
    "select unnest([1, 2])",
    "from lake.snapshots()",
    "select count(*) from information_schema.columns",
    "from call_overview",
]


@pytest.fixture
def filled(tmp_path: Path) -> Archive:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1)])
    return archive


@pytest.mark.parametrize("query", OUTSIDE)
def test_refused(filled: Archive, tmp_path: Path, query: str) -> None:
    secret_frame = {"never": "read"}
    secret = tmp_path / "secret.db"
    con = sqlite3.connect(secret)
    con.execute("create table pw (u, p)")
    con.commit()
    con.close()
    before = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()}
    with pytest.raises(QueryRefused):
        filled.sql(query.format(secret=secret, folder=tmp_path))
    assert {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()} == before
    assert not (tmp_path / "out.csv").exists()
    assert secret_frame


@pytest.mark.parametrize("query", INSIDE)
def test_allowed(filled: Archive, query: str) -> None:
    assert filled.sql(query).height >= 0


def test_a_running_query_holds_up_no_writer(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1)])
    code = (
        "import sys, workbench; a = workbench.open(sys.argv[1]); print('ready', flush=True)\n"
        "a.sql('select sum(t.turn_ix * r.range) from turns t, range(100000) r, range(1000000) s')"
    )
    reader = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "a")], stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "ready\n"
    time.sleep(1.5)
    try:
        assert reader.poll() is None  # it is still at it
        with workbench.open(tmp_path / "a") as writer:
            assert writer.add([made_call(2)]).new == 1
        assert reader.poll() is None
    finally:
        reader.kill()
        reader.communicate()


def test_a_reader_sees_one_snapshot_until_it_is_refreshed(filled: Archive) -> None:
    assert filled.sql("select count(*) as n from calls").item() == 1
    with workbench.open(filled.path) as other:
        other.add([made_call(2)])
    assert filled.sql("select count(*) as n from calls").item() == 1
    filled.refresh()
    assert filled.sql("select count(*) as n from calls").item() == 2


def test_a_query_can_be_stopped(filled: Archive) -> None:
    reader = filled.reader
    threading.Timer(1.0, reader.interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        reader.rows("select count(*) from range(1000000) a, range(1000000) b where a.range * b.range % 7 = 3")
    assert reader.rows("select 1")[1] == [(1,)]
