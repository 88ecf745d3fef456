"""A full disk and a read-only folder give one clear error and change nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import workbench
from workbench.archive.archive import Archive
from workbench.archive.verifying import verify

HERE = Path(__file__).parent


def run(code: str, *args: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, where limits and capabilities can be changed."""
    prelude = f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
    command = [*prefix, sys.executable, "-c", prelude + textwrap.dedent(code), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("limit_kb", [8, 40, 150])
def test_a_full_disk(tmp_path: Path, limit_kb: int) -> None:
    """RLIMIT_FSIZE makes every write past the limit fail, as a full disk does: in the spool, in the catalogue."""
    root = tmp_path / "a"
    with Archive.create(root) as archive:
        before = archive.snapshot
    done = run(
        """
        import resource, sys
        from pathlib import Path
        from made_calls import made_call
        import workbench
        from workbench.errors import ArchiveFailed
        calls = [made_call(ix) for ix in range(600)]
        for call in calls:
            call.turns[0].text = " ".join(str((ord(c) * 7919 + ix) % 104729) for ix, c in enumerate(call.id * 20))
        archive = workbench.open(sys.argv[1])
        limit = int(sys.argv[2]) * 1024
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            archive.add(calls)
        except ArchiveFailed as error:
            print("refused", error.what.splitlines()[0], "|", error.hint)
        """,
        str(root),
        str(limit_kb),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused")
    assert "disk is full" in done.stdout
    assert "free" in done.stdout
    with workbench.open(root) as archive:
        assert archive.snapshot == before
        assert verify(archive.layout).problems == []


def test_a_read_only_archive_reads_and_refuses_writes(tmp_path: Path) -> None:
    root = tmp_path / "a"
    Archive.create(root).close()
    for path in [root, *root.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    # root may write everywhere; without CAP_DAC_OVERRIDE it is bound by the modes as everybody is
    root_too = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override") if os.getuid() == 0 else ()
    done = run(
        """
        import sys
        import workbench
        from made_calls import made_call
        from workbench.errors import ArchiveFailed
        archive = workbench.open(sys.argv[1])
        print(archive.sql("select count(*) as n from calls").item())
        try:
            archive.add([made_call(1)])
        except ArchiveFailed as error:
            print("refused", error.what, "|", error.hint)
        """,
        str(root),
        prefix=root_too,
    )
    assert done.returncode == 0, done.stderr
    count, refusal = done.stdout.splitlines()
    assert count == "0"
    assert "cannot be written" in refusal
    assert "write permission" in refusal
