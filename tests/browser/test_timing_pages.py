"""The timing notebook and the timing report, looked at through Chromium with no network."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.archive.archive import Archive
from workbench.report.html import report

App = Any  # the class of that name in conftest.py
Serve = Callable[[str, Path], str]
READY = "a => a.readyState || new Promise((done, no) => { a.onloadedmetadata = done; a.onerror = no; })"


def stats(app: App) -> dict[str, str]:
    """Return the big numbers of the verdicts by their label."""
    script = "all => all.map(s => [s.dataset.label, s.dataset.value])"
    found = app.cell("verdicts").locator("marimo-stat").evaluate_all(script)
    return {str(label).strip('"'): str(value).strip('"') for label, value in found}


def drawn(app: App, cell: str, until: str) -> str:
    """Return all texts that a cell's charts draw, once they draw this one: charts come after their cell has ended."""
    app.cell(cell).locator("svg text").filter(has_text=until).first.wait_for(state="attached", timeout=60_000)
    return " ".join(app.cell(cell).locator("svg text").all_text_contents())


def test_a_slider_derives_every_verdict_anew(app: App, served: Serve, page_archive: Path) -> None:
    app.open(served("timing", page_archive))
    before = stats(app)
    assert before == {"PASS": "5", "FAIL": "4", "not judged": "0", "flipped": "0", "next to a bound": "1"}
    assert drawn(app, "verdicts", "n: 9 moments: 5 PASS, 4 FAIL")
    assert drawn(app, "verdicts", "next to a bound")
    assert drawn(app, "yields", "n: 6 moments, 1 of them censored")
    assert drawn(app, "yields", "at risk")
    assert drawn(app, "spreads", "left out: nothing")
    assert "vapi-default-03-backchannel-mhm" in app.text("swept")

    pause = app.cell("controls").get_by_role("slider").nth(2)
    assert pause.get_attribute("aria-valuenow") is not None
    pause.focus()
    for _ in range(2):  # from 0.2 to 0.1 s
        app.page.keyboard.press("ArrowLeft")
        app.idle()
    assert drawn(app, "verdicts", "flipped")
    after = stats(app)
    assert (after["flipped"], after["FAIL"]) == ("1", "5")
    assert "workbench score --yield-hangover-s 0.1" in app.text("verdicts")
    app.cell("controls").get_by_role("slider").nth(0).focus()
    app.page.keyboard.press("ArrowRight")
    app.idle()
    app.cell("verdicts").get_by_text("workbench measure --rel-db 16").first.wait_for(timeout=60_000)
    assert "workbench measure --rel-db 16 then workbench score" in app.text("verdicts")

    with app.page.expect_download() as waiting:
        app.cell("verdicts").get_by_text("CSV, 9 rows").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    assert waiting.value.suggested_filename == "timing_events.csv"
    assert sum(row["flipped"] == "true" for row in rows) == 1
    app.cell("verdicts").get_by_text("SQL of timing_events").click()
    assert "from timing_events where config_id = $config" in app.text("verdicts")


def test_curves_are_parted_by_a_column(app: App, served: Serve, page_archive: Path) -> None:
    app.open(served("timing", page_archive))
    app.cell("controls").get_by_role("combobox").first.select_option("what was labelled")
    app.idle()
    assert drawn(app, "answers", "hold")
    assert "Log-rank test" in app.text("answers")
    app.cell("controls").get_by_role("combobox").first.select_option("noisy caller")
    app.idle()
    assert drawn(app, "spreads", "n: ")
    assert "not described" in app.text("yields")
    assert "not described" in app.text("shares")


def test_recordings_are_made_worse_when_asked(app: App, served: Serve, page_archive: Path) -> None:
    app.open(served("timing", page_archive))
    assert "listens to the sound anew" in app.text("worse")
    app.cell("worse").get_by_role("button", name="Make the recordings worse").click()
    assert drawn(app, "worse", "n: 9 moments with a verdict as they are")
    text = drawn(app, "worse", "noise (dB below speech)")
    assert "other verdict" in text
    assert "leak to agent (dB)" in text


def test_the_report_plays_prints_and_asks_for_nothing(browser: Any, page_archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "timing.html"
    with Archive(page_archive) as archive:
        path.write_text(report("timing").build(archive, worst=3), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page, bad = context.new_page(), []
    page.on("console", lambda message: bad.append(message.text))
    page.on("pageerror", lambda error: bad.append(str(error)))
    page.on("request", lambda asked: bad.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None)
    page.goto(path.as_uri())
    figure = page.locator("figure.moment[data-start]").first
    figure.locator("audio").evaluate(READY)
    length = float(figure.get_attribute("data-seconds"))
    assert figure.locator("audio").evaluate("a => a.duration") == pytest.approx(length, abs=0.1)
    box = figure.locator(".lanes").bounding_box()
    figure.locator(".lanes").click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert figure.locator("audio").evaluate("a => a.currentTime") == pytest.approx(length / 2, abs=0.05)
    for width in (1200, 420):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for width in (1200, 1440):  # no column is cut at the edge of its box on a desk
        page.set_viewport_size({"width": width, "height": 900})
        cut = "all => all.filter(box => box.scrollWidth > box.clientWidth).map(box => box.getAttribute('aria-label'))"
        assert page.locator(".scroll").evaluate_all(cut) == []
    page.set_viewport_size({"width": 420, "height": 900})
    curve = page.locator("figure.survival svg svg").first.bounding_box()
    assert 158 < curve["height"] < 170
    page.emulate_media(media="print")
    assert not figure.locator("audio").is_visible()
    assert page.locator("figure.survival").first.is_visible()
    context.close()
    assert not bad
