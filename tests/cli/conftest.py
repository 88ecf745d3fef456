"""Commands as processes of their own: signals, pipes and terminals are real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(scope="session")
def start() -> Start:
    """Start `workbench` with arguments; stdout and stderr are pipes unless said otherwise."""

    def begin(*args: str | bytes | Path, **options: Any) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **options.pop("env", {})}
        settings = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.Popen([sys.executable, "-m", "workbench", *args], env=environment, **settings)

    return begin


@pytest.fixture(scope="session")
def run(start: Start) -> Callable[..., tuple[int, str, str]]:
    """Run `workbench` to its end: exit code, stdout, stderr."""

    def ended(*args: str | bytes | Path, **options: Any) -> tuple[int, str, str]:
        process = start(*args, **options)
        out, err = process.communicate(timeout=60)
        return process.returncode, (out or b"").decode(), (err or b"").decode()

    return ended


@pytest.fixture(scope="session")
def packs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two packs: the call of `failing_archive` answers after 0.5 s, in time for one and too late for the other."""
    folder = tmp_path_factory.mktemp("packs")
    made = {}
    for label, most in {"before": 1.5, "after": 0.2}.items():
        parameters = {"max_gap_s": most, "held_floor_s": 0.3, "merge_gap_s": 0.2}
        check = {"id": "slow", "kind": "slow_response", "dimension": "conversation", "severity": "high"}
        pack = {"format": "workbench.pack/1", "id": "p", "version": "1.0.0", "about": "waiting"}
        text = json.dumps(pack | {"assertions": [check | {"parameters": parameters}]})
        made[label] = folder / f"{label}.json"
        made[label].write_text(text, encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def failing_archive(tmp_path_factory: pytest.TempPathFactory, packs: dict[str, Path]) -> Path:
    """One call and two assertion runs; the later one fails it."""
    from workbench.archive.archive import Archive
    from workbench.archive.asserting import assert_pack
    from workbench.assertions import load_pack
    from workbench.schema.call import Call, Turn

    turns = [
        Turn(role="caller", text="When do you close?", start_s=0.0, end_s=1.0),
        Turn(role="agent", text="At five.", start_s=1.5, end_s=2.0),
    ]
    source: dict[str, Any] = {
        "source_format": "made",
        "source_uri": "made.json",
        "origin": "synthetic",
        "turn_clock": "reported",
    }
    place = tmp_path_factory.mktemp("failing") / "archive"
    with Archive.create(place) as archive:
        archive.add([Call(id="c1", source_sha256="0" * 64, turns=turns, **source)])
        for label, pack in packs.items():
            assert_pack(archive.layout, load_pack(pack), label=label)
    return place
