"""A report on calls that are hard to show, and what the tests of reports build theirs from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.assertions import load_pack
from workbench.report.html import archive_report
from workbench.schema.call import Audio, Call, Refusal, Turn

SCRIPT = "</script><script>alert(1)</script>"
PICTURE = "<img src=https://outside.example/p.png onerror=alert(1)>"
BIDI = "pay \u202e001\u202c now\x07\x1b[31m"
LONG = "a" * 5000
RATE_HZ = 8000


def tones(path: Path, *, length_s: float = 12.0) -> Path:
    """Caller (left) 440 Hz from 1 to 3 s, agent (right) 880 Hz from 7 to 9 s: an answer after 4 s."""
    times = np.arange(round(length_s * RATE_HZ)) / RATE_HZ
    both = np.zeros((len(times), 2))
    both[:, 0] = np.where((times >= 1) & (times < 3), 0.5 * np.sin(2 * np.pi * 440 * times), 0)
    both[:, 1] = np.where((times >= 7) & (times < 9), 0.5 * np.sin(2 * np.pi * 880 * times), 0)
    sf.write(path, both, RATE_HZ, subtype="PCM_16")
    return path


def call(name: str, **settings: object) -> Call:
    digest = hashlib.sha256(name.encode()).hexdigest()
    source = {"source_format": "made", "source_uri": "made/calls.json", "source_sha256": digest}
    return Call(id=name, origin="synthetic", **source, **settings)


def hostile(sound: Path) -> Call:
    return call(
        f"hostile {SCRIPT}",
        agent_id=PICTURE,
        agent_version=BIDI,
        turn_clock="reported",
        duration_s=12.0,
        turns=[
            Turn(
                role="caller",
                text=f"fifty {SCRIPT} {PICTURE}",
                heard=f"fifteen {SCRIPT} {PICTURE}",
                truth=f"fifty {SCRIPT} {PICTURE}",
                start_s=1.0,
                end_s=3.0,
            ),
            Turn(role="agent", text=f"{BIDI} {LONG}", start_s=7.0, end_s=9.0),
        ],
        audio=[Audio(path=str(sound), channels=["caller", "agent"])],
    )


def build(place: Path, items: list[Call | Refusal], *, check: bool = True) -> Path:
    with Archive.create(place) as archive:
        archive.add(items)
        archive.measure(workers=1)
        if check:
            assert_pack(archive.layout, load_pack("caller-experience"), label="made")
    return place


class Seen(HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and its text by element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "rect", "line", "circle", "path"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    @property
    def shown(self) -> str:
        return " ".join(t for tag, ts in self.texts.items() if tag not in {"script", "style"} for t in ts)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calls with hostile words and sound, without audio, and without a clock. Read it only."""
    folder = tmp_path_factory.mktemp("html")
    refusal = Refusal(
        source_uri=f"{folder}/calls of mine/x.json",
        location="line 3",
        rule="made",
        message=f"cannot read '{folder}/calls of mine/x.json'",
        hint="give one",
    )
    silent = call(
        "no-audio",
        turn_clock="reported",
        duration_s=9.0,
        turns=[
            Turn(role="caller", text="hello", start_s=0.0, end_s=1.0),
            Turn(role="agent", text="yes", start_s=5.0, end_s=6.0),
        ],
    )
    timeless = call("no-clock", turns=[Turn(role="caller", text="for two", heard="for ten", truth="for two")])
    return build(folder / "my calls", [hostile(tones(folder / "two.wav")), silent, timeless, refusal])


@pytest.fixture(scope="session")
def html(place: Path) -> str:
    """The report on it."""
    with Archive(place) as archive:
        return archive_report(archive)


@pytest.fixture(scope="session")
def seen() -> type[Seen]:
    """Parses a page."""
    return Seen


@pytest.fixture(scope="session")
def made() -> Callable[..., Call]:
    """Makes a call from its name and what is to be in it."""
    return call


@pytest.fixture(scope="session")
def built() -> Callable[..., Path]:
    """Builds an archive of calls in a folder: imported, measured and, unless told otherwise, checked."""
    return build


@pytest.fixture
def sounding(tmp_path: Path) -> Call:
    """A call with sound: the agent answers after 4 s."""
    return hostile(tones(tmp_path / "two.wav"))
