"""The archive report in a real Chromium, from disk: it plays, follows, fits, prints, and asks for nothing."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.assertions import load_pack
from workbench.report.html import archive_report
from workbench.schema.call import Audio, Call, Turn

PICTURE = "<img src=https://outside.example/p.png onerror=\"document.title='owned'\">"
SCRIPT = f"</script><script>document.title='owned'</script>{PICTURE}"
READY = "a => a.readyState || new Promise((done, no) => { a.onloadedmetadata = done; a.onerror = no; })"
LONG = "unbreakable" * 400
RATE_HZ = 8000


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on one call with sound and hostile words, one with a clock only and a very long word."""
    folder = tmp_path_factory.mktemp("report")
    times = np.arange(12 * RATE_HZ) / RATE_HZ
    both = np.zeros((len(times), 2))
    both[:, 0] = np.where((times >= 1) & (times < 3), 0.5 * np.sin(2 * np.pi * 440 * times), 0)
    both[:, 1] = np.where((times >= 7) & (times < 9), 0.5 * np.sin(2 * np.pi * 880 * times), 0)
    sf.write(folder / "two.wav", both, RATE_HZ, subtype="PCM_16")
    heard = Call(
        id=f"heard {SCRIPT}",
        source_format="made",
        source_uri="made",
        source_sha256=hashlib.sha256(b"heard").hexdigest(),
        turn_clock="reported",
        duration_s=12.0,
        agent_id=SCRIPT,
        turns=[
            Turn(role="caller", text=f"one {SCRIPT}", truth=f"two {SCRIPT}", start_s=1.0, end_s=3.0),
            Turn(role="agent", text=f"\u202eyes\u202c {LONG}", start_s=7.0, end_s=9.0),
        ],
        audio=[Audio(path=str(folder / "two.wav"), channels=["caller", "agent"])],
    )
    unheard = Call(
        id="unheard" * 30,
        source_format="made",
        source_uri="made",
        source_sha256=hashlib.sha256(b"unheard").hexdigest(),
        turn_clock="reported",
        duration_s=9.0,
        agent_id=LONG,
        turns=[
            Turn(role="caller", text="hello", start_s=0.0, end_s=1.0),
            Turn(role="agent", text=LONG, start_s=5.0, end_s=6.0),
        ],
    )
    with Archive.create(folder / LONG[:80]) as archive:
        archive.add([heard, unheard])
        archive.measure(workers=1)
        assert_pack(archive.layout, load_pack("caller-experience"))
        archive.refresh()
        path = folder / "report of calls.html"
        path.write_text(archive_report(archive), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Any, report: Path) -> Iterator[Any]:
    """The report, opened from disk; a test fails for a console message, an error, or a request elsewhere."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    found = context.new_page()
    bad: list[str] = []
    found.on("console", lambda message: bad.append(f"console: {message.text}"))
    found.on("pageerror", lambda error: bad.append(f"error: {error}"))
    found.on("request", lambda asked: bad.append(asked.url) if not local(asked.url) else None)
    found.goto(report.as_uri())
    yield found
    context.close()
    assert not bad


def local(url: str) -> bool:
    return url.startswith(("file:", "data:", "blob:"))


def until(page: Any, condition: str) -> None:
    """Wait for an expression to be true; the page's policy forbids playwright's own way."""
    end = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def seconds(page: Any) -> float:
    return float(page.locator("figure.moment audio").first.evaluate("audio => audio.currentTime"))


def head(page: Any) -> float:
    """Where the playhead stands, in percent."""
    return float(page.locator("figure.moment .head").first.get_attribute("x1").rstrip("%"))


def test_the_sound_plays_and_the_playhead_follows_it(page: Any) -> None:
    figure = page.locator("figure.moment[data-start]").first
    length = float(figure.get_attribute("data-seconds"))
    audio = figure.locator("audio")
    audio.evaluate(READY)
    assert audio.evaluate("a => a.duration") == pytest.approx(length, abs=0.1)
    assert head(page) == 0
    audio.evaluate("a => { a.muted = true; return a.play(); }")
    until(page, "document.querySelector('figure.moment audio').currentTime > 0.4")
    audio.evaluate("a => a.pause()")
    page.wait_for_timeout(100)
    assert head(page) == pytest.approx(100 * seconds(page) / length, abs=0.5)
    assert head(page) > 2


def test_a_click_on_the_lanes_and_the_keys_move_the_sound(page: Any) -> None:
    figure = page.locator("figure.moment[data-start]").first
    start, length = (float(figure.get_attribute(f"data-{name}")) for name in ("start", "seconds"))
    lanes = figure.locator(".lanes")
    figure.locator("audio").evaluate(READY)
    box = lanes.bounding_box()
    lanes.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert seconds(page) == pytest.approx(length / 2, abs=0.05)
    assert head(page) == pytest.approx(50, abs=0.5)
    lanes.focus()
    for key, moved in [("ArrowRight", 1.0), ("ArrowLeft", 0.0), ("Shift+ArrowRight", 0.1)]:
        page.keyboard.press(key)
        assert seconds(page) == pytest.approx(length / 2 + moved, abs=0.06)
    page.keyboard.press("Home")
    assert (seconds(page), head(page)) == (0, 0)
    assert lanes.get_attribute("aria-valuetext") == f"0:0{start:.1f}"
    scrolled = page.evaluate("window.scrollY")
    page.keyboard.press("Space")
    until(page, "!document.querySelector('figure.moment audio').paused")
    page.keyboard.press("Space")
    until(page, "document.querySelector('figure.moment audio').paused")
    assert page.evaluate("window.scrollY") == scrolled


def test_a_turn_plays_from_its_time_and_is_marked_while_it_is_spoken(page: Any) -> None:
    figure = page.locator("figure.moment[data-start]").first
    start = float(figure.get_attribute("data-start"))
    figure.locator("audio").evaluate(READY)
    turn = figure.locator("li.caller").first
    turn.locator("button").click()
    until(page, "document.querySelector('li.caller').classList.contains('now')")
    figure.locator("audio").evaluate("a => a.pause()")
    assert start + seconds(page) >= 1.0
    assert not figure.locator("li.agent.now").count()


def test_hostile_words_stay_words(page: Any) -> None:
    assert page.title().endswith("at snapshot 4")
    assert page.locator("script").count() == 1
    assert page.locator("img").count() == 0
    said = page.locator("figure.moment li.caller").first.inner_text()
    assert "</script><script>document.title='owned'</script>" in said
    assert "⟨U+202E⟩yes⟨U+202C⟩" in page.locator("body").inner_text()


def test_the_policy_stops_what_is_put_in_later(page: Any, report: Path) -> None:
    """A script and a picture added to the file by hand neither run nor load."""
    text = report.read_text(encoding="utf-8")
    harmed = report.with_name("harmed.html")
    harm = f"<script>document.title='owned'</script><img src='https://outside.example/p.png'>{SCRIPT}"
    harmed.write_text(text.replace("<body>", f"<body>{harm}"), encoding="utf-8")
    context = page.context.browser.new_context()
    other = context.new_page()
    stopped: list[tuple[str, str]] = []
    other.on("requestfailed", lambda request: stopped.append((request.url, request.failure)))
    refused: list[str] = []
    other.on("console", lambda message: refused.append(message.text))
    other.goto(harmed.as_uri())
    assert other.title() != "owned"
    assert {failure for url, failure in stopped if not local(url)} == {"csp"}
    assert any("Content Security Policy" in message for message in refused)
    context.close()


@pytest.mark.parametrize("width", [400, 800, 1200, 1900])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(page: Any, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.evaluate(
        """() => [...document.querySelectorAll('main *')]
            .filter(e => !e.closest('.scroll, svg, pre') && e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.tagName + '.' + e.className)"""
    )
    assert wide == []
    ends = page.evaluate("[...document.querySelectorAll('caption')].map(e => e.getBoundingClientRect().right)")
    assert ends
    assert max(ends) <= width  # of a table that is wider the caption wraps, and stays where it is read


def test_on_a_small_laptop_every_table_is_seen_whole_and_no_number_stands_alone(page: Any) -> None:
    page.set_viewport_size({"width": 900, "height": 900})
    cut = "all => all.filter(box => box.scrollWidth > box.clientWidth).map(box => box.getAttribute('aria-label'))"
    assert page.locator(".scroll").evaluate_all(cut) == []
    alone = """all => all.filter(item => !item.querySelector('b').previousSibling.textContent.endsWith('\\u00a0'))
        .map(item => item.textContent.trim())"""
    assert page.locator(".legend li").count()
    assert page.locator(".legend li").evaluate_all(alone) == []


def test_paper_shows_the_lanes_and_words_without_controls(page: Any) -> None:
    page.emulate_media(media="print")
    for hidden in ("audio", "nav", "details.sql", ".head"):
        assert page.locator(hidden).count()
        assert not any(each.is_visible() for each in page.locator(hidden).all()), hidden
    assert page.locator("figure.moment svg.drawing").first.is_visible()
    assert page.locator("figure.moment li").first.is_visible()
    page.set_viewport_size({"width": 688, "height": 1000})  # A4 less its margins, at 96 pixels an inch
    widths = page.evaluate("[...document.querySelectorAll('table')].map(table => table.scrollWidth)")
    assert max(widths) <= 688
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
