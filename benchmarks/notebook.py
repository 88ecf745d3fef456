"""The notebooks as a reader meets them: a server starts, a Chromium opens the page, a filter is set."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import synthetic_archive
from benchmarks.measured import WORKBENCH, Cost, Costs, Failed, process
from benchmarks.tables import Table, seconds, timing
from workbench.assets import folder

SIZES = {"tiny": (20, 1, 1), "quick": (2_000, 33, 3), "full": (100_000, 333, 5)}
"""Calls of turns and calls of sound (five minutes, 30,000 frames) of the large archive, rounds."""

LABELS = 4
"""Labelled moments of a call of sound."""

PATIENCE_S = 180.0
IMPORTS = "import of duckdb, polars, altair and marimo"
DONE, OWN = "all cells done", "the same but for the browser's start"
FIGURE, ANSWER, REDRAWN = "first figure", "answer to a filter", "filter set back: first chart drawn anew"
SLIDER, SLOWEST = "answer to a slider, median of all", "answer to a slider, slowest of all"
SLIDERS = "[data-cell-name=controls] [role=slider], [data-cell-name=lanes] [role=slider]"
# From the start of the server to the end of the last cell, with the second and more that Chromium takes for the
# scripts of the page and without; to the first chart; from a choice to the end of the last cell; from the choice of
# all calls again to the first chart on the page (looked at as it is drawn, which slows the page down); from a step of a
# slider to the end of the last cell.
CHARTS = ".vega-embed svg, .vega-embed canvas"


def run(size: str, scratch: Path) -> list[Table]:
    """Measure three notebooks on the demo archive, and two of them on a large one, in turn."""
    from playwright.sync_api import sync_playwright

    calls, sounds, rounds = SIZES[size]
    demo, large = scratch / "demo", scratch / "large"
    process([*WORKBENCH, "demo", demo, "--quiet"])
    synthetic_archive.with_labels(large, calls=sounds, labels=LABELS)
    synthetic_archive.with_turns(large, calls=calls, turns=4)
    process([*WORKBENCH, "assert", "--pack", "caller-experience", "--archive", large, "--quiet"])
    pages = {
        "archive.py, demo": ("archive", demo / "archive"),
        "call.py, demo": ("call", demo / "archive"),
        "timing.py, demo": ("timing", demo / "archive"),
        "archive.py, large": ("archive", large),
        "timing.py, large": ("timing", large),
    }
    found = {IMPORTS: Costs()}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=_chromium(), chromium_sandbox=False)
        for _ in range(rounds):
            found[IMPORTS].runs.append(process([sys.executable, "-c", "import duckdb, polars, altair, marimo"]))
            for page, (name, archive) in pages.items():
                for what, cost in _opened(browser, name, archive).items():
                    found.setdefault(f"{page}: {what}", Costs()).runs.append(cost)
        browser.close()
    frames = sounds * synthetic_archive.CALL_FRAMES
    large_one = f"{calls:,} calls, {frames:,} frames and {sounds * LABELS:,} labelled moments"
    title = f"notebook: the demo archive; a large one of {large_one}; {rounds} rounds"
    table = timing(title, found, peer=IMPORTS)
    table.remarks.append("CPU seconds are those of the server until all cells are done; the browser's are not counted")
    for name, bound in (
        (f"archive.py, demo: {OWN}", 3.0),
        (f"call.py, demo: {OWN}", 3.0),
        (f"archive.py, large: {FIGURE}", 5.0),
        (f"timing.py, demo: {OWN}", 3.0),
        (f"timing.py, large: {FIGURE}", 5.0),
        (f"call.py, demo: {SLIDER}", 0.2),
        (f"timing.py, demo: {SLIDER}", 0.2),
        (f"timing.py, large: {SLIDER}", 0.2),
    ):
        took = found[name].median()
        table.target(f"{name} below {bound:g} s", found=seconds(took), reached=took < bound, size=size)
    return [table]


def _chromium() -> str:
    for name in (os.environ.get("WORKBENCH_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and (path := shutil.which(name)):
            return path
    raise Failed("there is no Chromium: apt install chromium, or set WORKBENCH_CHROMIUM")


def _opened(browser: Any, name: str, archive: Path) -> dict[str, Cost]:
    """Open a notebook once in a new server and a new page; set its first filter and move its sliders, if any."""
    begin = time.perf_counter()
    with _served(name, archive) as (server, address):
        context = browser.new_context(viewport={"width": 1400, "height": 2400})
        page = _Watched(context.new_page())
        ready = time.perf_counter()
        page.open(address, begin)
        done = Cost(page.idle() - begin, _cpu_s(server))
        costs = {DONE: done, OWN: Cost(done.wall_s - (page.connected_at - ready), done.cpu_s)}
        if page.figure_at is not None:
            costs[FIGURE] = Cost(page.figure_at - begin, done.cpu_s)
        choice = page.page.locator("[data-cell-name=filters] select").first
        if choice.count():
            value = choice.locator("option").nth(1).get_attribute("value")
            asked, cpu = time.perf_counter(), _cpu_s(server)
            choice.select_option(value)
            costs[ANSWER] = Cost(page.idle(asked) - asked, _cpu_s(server) - cpu)
            page.page.wait_for_timeout(1000)
            asked, cpu = time.perf_counter(), _cpu_s(server)
            costs[REDRAWN] = Cost(page.redrawn(choice, "all") - asked, _cpu_s(server) - cpu)
        moves: list[Cost] = []
        for slider in page.page.locator(SLIDERS).all():
            page.page.wait_for_timeout(1000)
            slider.focus()
            asked, cpu = time.perf_counter(), _cpu_s(server)
            page.page.keyboard.press("ArrowRight")
            moves.append(Cost(page.idle(asked) - asked, _cpu_s(server) - cpu))
        if moves:
            answers = Costs(moves)
            costs[SLIDER] = Cost(answers.median(), answers.median("cpu_s"))
            costs[SLOWEST] = max(moves, key=lambda cost: cost.wall_s)
        context.close()
    return costs


def _cpu_s(server: subprocess.Popen[bytes]) -> float:
    fields = Path(f"/proc/{server.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def _served(name: str, archive: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "run", str(folder("notebooks") / f"{name}.py")]
    command += ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "WORKBENCH_ARCHIVE": str(archive)}
    quiet: Any = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            end = time.monotonic() + PATIENCE_S
            while time.monotonic() < end:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
                    yield server, address
                    return
                time.sleep(0.02)
            raise Failed(f"the server of {name} does not answer")
        finally:
            server.terminate()


class _Watched:
    """A page that notes when its cells end and when its first chart is there."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.figure_at: float | None = None
        self.connected_at = 0.0
        self._runs: set[str] = set()
        self._ended_at: float | None = None
        page.on("websocket", self._connected)

    def _connected(self, found: Any) -> None:
        self.connected_at = self.connected_at or time.perf_counter()
        found.on("framereceived", self._frame)

    def _frame(self, text: str) -> None:
        data = json.loads(text)["data"]
        if data["op"] == "cell-op" and data["status"] in {"queued", "running"}:
            self._runs.add(data["run_id"])
            self._ended_at = None
        elif data["op"] == "completed-run" and data["run_id"] in self._runs:  # others: tables that ask for a page
            self._runs.discard(data["run_id"])
            self._ended_at = time.perf_counter()

    def open(self, address: str, begin: float) -> None:
        self.page.goto(address, wait_until="commit", timeout=PATIENCE_S * 1000)
        charts = self.page.locator(CHARTS)
        while not charts.count():
            self.page.wait_for_timeout(10)
            if self._ended_at is not None and time.perf_counter() - self._ended_at > 2.0:
                return  # a notebook without a chart
            if time.perf_counter() - begin > PATIENCE_S:
                raise Failed(f"no chart and cells that run after {PATIENCE_S:g} s")
        self.figure_at = time.perf_counter()

    def redrawn(self, choice: Any, label: str) -> float:
        """Set a filter that changes which calls are chosen; return when the first chart reads otherwise."""
        chart = self.page.locator(CHARTS).first
        before = chart.text_content()
        choice.select_option(label=label)
        end = time.perf_counter() + PATIENCE_S
        while chart.text_content(timeout=PATIENCE_S * 1000) in {before, ""}:
            self.page.wait_for_timeout(30)
            if time.perf_counter() > end:
                raise Failed(f"no chart is drawn anew after {PATIENCE_S:g} s")
        return time.perf_counter()

    def idle(self, after: float = 0.0) -> float:
        """Wait until no cell runs; return when the last one ended."""
        end = time.perf_counter() + PATIENCE_S
        while time.perf_counter() < end:
            self.page.wait_for_timeout(10)
            at = self._ended_at
            if at is not None and at > after and not self._runs and time.perf_counter() - at > 0.3:
                return at
        raise Failed(f"cells still run after {PATIENCE_S:g} s: {self._runs}")
