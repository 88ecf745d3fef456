"""The page of one recording in a real Chromium, from disk: flags lead to cards, sound plays, nothing is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from workbench.analysis.incidents_of_file import measured
from workbench.report.autopsy import build

READY = "a => a.readyState || new Promise((done, no) => { a.onloadedmetadata = done; a.onerror = no; })"
RATE_HZ = 8000


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A call in which both speak for 2 s and nobody for 6 s."""
    folder = tmp_path_factory.mktemp("autopsy")
    rng = np.random.default_rng(7)
    times = np.arange(20 * RATE_HZ) / RATE_HZ
    parts = [((3.0, 5.5), (7.0, 9.0)), ((0.5, 5.0), (15.0, 18.0))]
    sides = [
        rng.normal(0, 0.1, len(times)) * sum((times >= start) & (times < end) for start, end in own) for own in parts
    ]
    path = folder / "<b>call.wav"
    sf.write(path, np.stack(sides, axis=1) + rng.normal(0, 1e-4, (len(times), 2)), RATE_HZ, subtype="PCM_16")
    examined, measurement = measured(path)
    assert {one["severity"] for one in examined.incidents} >= {"critical"}
    page = folder / "page.html"
    page.write_text(build(examined, measurement, policy="0123456789ab"), encoding="utf-8")
    return page


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_it_fits_and_plays_and_asks_for_nothing(browser: Any, html: Path, width: int, scheme: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(html.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    flags, cards = page.locator("a.flag"), page.locator("figure.moment")
    apart = page.locator("#apart tbody tr")
    assert cards.count() >= 2
    assert apart.count() >= 1
    assert flags.count() == cards.count()  # what stands apart is in the table and not drawn
    for ix in range(flags.count()):
        target = flags.nth(ix).get_attribute("href")
        assert page.locator(f"figure{target}").count() == 1
    first = cards.first
    first.locator("audio").evaluate(READY)
    lanes = first.locator(".lanes")
    box = lanes.bounding_box()
    lanes.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    page.wait_for_function("e => e.getAttribute('x1') !== '0%'", arg=first.locator(".head").element_handle())
    length = float(first.get_attribute("data-seconds"))
    at = first.locator("audio").evaluate("a => a.currentTime")
    assert at == pytest.approx(length / 2, abs=0.2)
    assert float(first.locator(".head").get_attribute("x1").rstrip("%")) == pytest.approx(100 * at / length, abs=1)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert wrong == []
    page.close()
