"""What all tests share: no network, no archive of the user's, and the marker `browser`."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REMEDY = "no Chromium on the PATH: apt-get install chromium (or name one in WORKBENCH_CHROMIUM)"
HERE = ("127.", "::1", "localhost")

os.environ.pop("WORKBENCH_ARCHIVE", None)


class NetworkUsed(RuntimeError):
    """A test tried to reach another machine."""


class LocalSocket(socket.socket):
    """A socket that reaches this machine only."""

    def connect(self, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(HERE):
            self.close()
            raise NetworkUsed(f"tests do not use the network, and this one asked for {address[0]}")
        super().connect(address)


def pytest_configure() -> None:
    """Keep every test of this process on this machine."""
    socket.socket = LocalSocket  # type: ignore[misc]


def chromium_path() -> str | None:
    """Return the Chromium to look through, or None."""
    named = os.environ.get("WORKBENCH_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests that need a browser where there is none, or fail them where there must be one."""
    if item.get_closest_marker("browser") and chromium_path() is None:
        if os.environ.get("WORKBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(REMEDY, pytrace=False)
        pytest.skip(REMEDY)


@pytest.fixture
def at(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run `workbench` in this process: exit code, stdout, stderr."""
    from workbench.cli import main

    def ended(*args: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return ended


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the installed Chromium; the test carries the marker `browser`."""
    path = chromium_path()
    assert path is not None, REMEDY
    return path


@pytest.fixture(scope="session")
def small_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A measured archive whose texts, ids and numbers are awkward to write down. Read it only."""
    import numpy as np
    import soundfile as sf

    from workbench.archive.archive import Archive
    from workbench.archive.lake import Writer
    from workbench.schema import tables
    from workbench.schema.call import Audio, Call, Refusal, Scenario, Span, StageTiming, ToolCall, Turn, Word

    folder = tmp_path_factory.mktemp("small")
    sound = folder / "two sides.wav"
    rng = np.random.default_rng(1)
    loud = rng.integers(-9000, 9000, size=(8000, 2), dtype=np.int16)
    loud[:4000, 1] = loud[4000:, 0] = 0
    sf.write(sound, loud, 8000)
    texts = ["", None, "=1+1", "+3", "-2", "@SUM(A1)", 'say "yes", now', "two\nlines", "\r\n", " padded "]
    texts += ["NULL", "true", "1e5", "na\u00efve \u260e \u202eabc\U0001f600", "a;b\tc"]
    names = ["plain-1", "with/slash", "With/Slash", "../up", "\u00fcn\u00ef \u260e", "results"]
    source = {"source_format": "made", "source_uri": "made/calls.json", "origin": "synthetic"}
    calls = [
        Call(
            id=name,
            source_sha256=f"{ix:064x}",
            **source,
            turn_clock="reported",
            duration_s=0.1 + 0.2 + ix,
            cost_usd=1e-7,
            started_at=datetime(2026, 5, 4, 3, 2, 1, ix, tzinfo=UTC),
            completed=bool(ix % 2),
            tags=[{}, {"k": "", "\u00e9": 'a "b",c'}, None][ix % 3],
            policy={"limit": 50, "note": "x,y"},
            scenario=Scenario(scenario_id="same", required_facts=["a,b", ""], forbidden_facts=[]),
            turns=[
                Turn(
                    role="caller",
                    text=text,
                    start_s=float(at),
                    end_s=at + 0.3,
                    entities={"n": [at]},
                    words=[Word(word="=w", start_s=float(at), end_s=at + 1 / 3)] if at == 2 else None,
                )
                for at, text in enumerate(texts)
            ],
            tool_calls=[ToolCall(name="", turn_ix=0, arguments={}, result="", error="", consequential=True)],
            spans=[Span(type="event", time_s=0.1, attributes={"b": 1, "a": [None, 0.1]})],
            stage_timings=[StageTiming(stage="e2e", value_ms=100.0)],
            labels=[],
            audio=[Audio(path=str(sound), channels=["caller", "agent"])] if ix == 0 else None,
        )
        for ix, name in enumerate(names)
    ]
    refusal = Refusal(source_uri="made/x.json", location="line 3", rule="made", message="no\nid", hint="-")
    with Archive.create(folder / "archive") as archive:
        archive.add([*calls, refusal])
        archive.measure(workers=1)
        writer = Writer(archive.layout)
        keys = {"run_id": "r", "assertion_id": "a", "definition_sha256": "d"}
        fixed = {"dimension": "speech", "severity": "high", "deterministic": True}
        check = keys | fixed | {"kind": "made", "parameters": '{"s":1.5}'}
        result = (
            keys
            | fixed
            | {
                "call_id": "plain-1",
                "result_ix": 0,
                "status": "FAIL",
                "failure_code": "x",
                "start_s": 1 / 3,
                "observed": '"-1"',
                "message": "=cmd",
            }
        )
        result.pop("definition_sha256")
        rows = {"assertions": check, "assertion_results": result}
        for table, row in rows.items():
            schema = tables()[table]
            frame = schema.validate(schema.frame([row]))
            writer.transaction(lambda _con, t=table, f=frame: writer.insert(t, f), message="made")
        writer.close()
    return folder / "archive"


@pytest.fixture(scope="session")
def demo_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bundled calls with and without audio, clock and mishearing, measured and judged. Read it only."""
    from workbench.archive.archive import Archive
    from workbench.archive.asserting import assert_pack
    from workbench.assertions import load_pack
    from workbench.assets import folder
    from workbench.ingest import read

    sources = ("voiceeval-fixtures", "harper-valley-bank", "vapi-defaults", "vcon-synthetic", "tau-bench")
    place = tmp_path_factory.mktemp("demo") / "archive"
    with Archive.create(place) as archive:
        archive.add(read([folder("data") / "calls" / name for name in sources]))
        archive.measure(workers=1)
        assert_pack(archive.layout, load_pack("caller-experience"))
    return place
