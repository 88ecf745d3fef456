"""Notebooks in a real Chromium, on this machine only: a server per notebook, a page that watches itself."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

INSTALL = "no playwright: pip install playwright (no browser of its own is needed)"
PATIENCE_S = 90.0
FLAGS = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # even an address outside fails at once
]
HARMLESS = ("was preloaded using link preload", "Channel order is inappropriate", "No filename provided")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


class App:
    """A page of a running notebook. `bad` gathers every cell error, failed request and address outside."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.bad: list[str] = []
        self._runs: set[str] = set()
        self._asked: set[str] = set()
        self._finished = 0
        self._last = time.monotonic()
        page.on("websocket", self._socket)
        page.on("request", self._request)
        page.on("response", lambda answer: self._note(answer.status >= 400, f"{answer.status} {answer.url}"))
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.bad.append(f"page: {error}"))

    def _note(self, wrong: bool, text: str) -> None:
        if wrong:
            self.bad.append(text)

    def _console(self, message: Any) -> None:
        loud = message.type in {"error", "warning"}
        self._note(loud and not any(part in message.text for part in HARMLESS), f"console: {message.text}")

    def _here(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        local = parts.scheme in {"data", "blob", "about"} or parts.hostname == "127.0.0.1"
        self._note(not local, f"outside: {url}")

    def _socket(self, found: Any) -> None:
        self._here(found.url)
        found.on("framereceived", self._frame)

    def _request(self, request: Any) -> None:
        self._here(request.url)
        if request.method == "POST" and "/api/kernel/" in request.url:
            self._last = time.monotonic()
            if request.url.endswith("/function_call"):
                self._asked.add(request.post_data_json["functionCallId"])

    def _frame(self, text: str) -> None:
        self._last = time.monotonic()
        data = json.loads(text)["data"]
        kind = data["op"]
        if kind == "cell-op":
            if data["status"] in {"queued", "running"}:
                self._runs.add(data["run_id"])
            output = data["output"] or {}
            if output.get("channel") == "marimo-error":
                # a cell below one that stopped on purpose is no fault
                faults = [fault for fault in output["data"] if fault.get("type") != "ancestor-stopped"]
                self._note(bool(faults), f"cell: {faults}")
        elif kind == "completed-run":
            self._runs.discard(data["run_id"])
            self._finished += 1
        elif kind == "function-call-result":
            self._asked.discard(data["function_call_id"])

    def idle(self, quiet_s: float = 0.3) -> None:
        """Wait until no cell runs, no table fetches, and no chart is loading."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.page.wait_for_timeout(30)
            still = not self._runs and not self._asked and time.monotonic() - self._last > quiet_s
            if self._finished and still and not self.page.get_by_text("Loading chart").count():
                frames = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
                self.page.evaluate(frames)
                return
        raise TimeoutError(f"still running: {self._runs or self._asked or 'charts'}; seen: {self.bad}")

    def open(self, url: str) -> None:
        """Go to a notebook and wait until all its cells are done."""
        self._runs, self._asked, self._finished = set(), set(), 0
        self.page.goto(url, wait_until="commit", timeout=PATIENCE_S * 1000)
        self.idle()

    def cell(self, name: str) -> Any:
        """Return the output of a cell by the cell's name."""
        return self.page.locator(f"[data-cell-name='{name}']")

    def text(self, name: str) -> str:
        """Return all text a cell shows, also within its components."""
        script = """cell => { let text = ''; const walk = node => { for (const n of node.childNodes) {
            if (n.nodeType === 3) text += n.data; else if (n.nodeType === 1 && n.tagName !== 'STYLE') {
                if (n.shadowRoot) walk(n.shadowRoot); walk(n); text += ' '; } } };
            walk(cell); return text; }"""
        return str(self.cell(name).evaluate(script))

    def plays(self, name: str) -> bool:
        """Return whether the sound of a cell has begun by itself within a few seconds."""
        script = """async audio => {
            for (let i = 0; i < 60 && !audio.played.length; i++) await new Promise(done => setTimeout(done, 50));
            return audio.played.length > 0; }"""
        return bool(self.cell(name).locator("audio").evaluate(script))

    def sound_s(self, name: str) -> float:
        """Return the length of the sound a cell plays; it is played and seeked on the way."""
        script = """async audio => {
            const read = (done, no) => { audio.onloadedmetadata = done; audio.onerror = no; };
            if (audio.readyState < 1) await new Promise(read);
            audio.muted = true;
            await audio.play();
            audio.pause();
            audio.currentTime = audio.duration / 2;
            await new Promise(done => { audio.onseeked = done; });
            return audio.duration; }"""
        return float(self.cell(name).locator("audio").evaluate(script))


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    """One headless Chromium for all tests."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        if os.environ.get("WORKBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(INSTALL, pytrace=False)
        pytest.skip(INSTALL)
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium, args=FLAGS, chromium_sandbox=False)
        yield found
        found.close()


@pytest.fixture
def app(browser: Any) -> Iterator[App]:
    """A fresh page; the test fails for anything bad that happened on it."""
    context = browser.new_context(viewport={"width": 1400, "height": 2400}, accept_downloads=True)
    context.set_default_timeout(PATIENCE_S * 1000)
    seen = App(context.new_page())
    yield seen
    context.close()
    assert not seen.bad


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, Path], str]]:
    """Serve a notebook on an archive; the address is given once the server answers."""
    from workbench.assets import folder

    logs = tmp_path_factory.mktemp("served")
    running: dict[tuple[str, Path], tuple[subprocess.Popen[bytes], str]] = {}

    def serve(name: str, archive: Path) -> str:
        if (name, archive) in running:
            return running[name, archive][1]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "marimo", "run", str(folder("notebooks") / f"{name}.py")]
        command += ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(port)]
        with (logs / f"{name}-{port}.log").open("wb") as log:
            environment = {**os.environ, "WORKBENCH_ARCHIVE": str(archive)}
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
        address = f"http://127.0.0.1:{port}"
        running[name, archive] = (process, address)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and process.poll() is None:
            try:
                with urllib.request.urlopen(f"{address}/health", timeout=5):
                    return address
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                time.sleep(0.1)
        raise RuntimeError((logs / f"{name}-{port}.log").read_text(encoding="utf-8"))

    yield serve
    for process, _ in running.values():
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="session")
def page_archive(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's calls, one whose words want to be more than text, and one whose audio file is gone."""
    from workbench.analysis.call_audio import sides
    from workbench.archive.archive import Archive
    from workbench.schema.call import Call, ToolCall, Turn

    place = tmp_path_factory.mktemp("pages") / "archive"
    shutil.copytree(demo_archive, place)
    script = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    picture = "https://outside.example/picture.png data:image/png;base64,AAAA ![p](https://outside.example/p.png)"
    hostile = Call(
        id="</script><b>hostile</b>",
        source_format="made",
        source_uri="made",
        source_sha256="0" * 64,
        turn_clock="reported",
        agent_id="<img src=https://outside.example/a.png>",
        turns=[
            Turn(role="caller", text=script, heard=f"{script} heard", start_s=0.0, end_s=1.0),
            Turn(role="agent", text=f"{picture} \u202eevil\u202c <b>bold</b>", start_s=2.0, end_s=3.0),
        ],
        tool_calls=[
            ToolCall(name=script, turn_ix=1, arguments={"url": "https://outside.example/t.png"}, result=picture)
        ],
    )
    with Archive(place) as archive:
        sides(archive, "02e41649e7c441fd")[0].path.unlink()
        archive.add([hostile])
    return place
