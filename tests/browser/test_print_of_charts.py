"""The print of every chart keeps its size in a narrow window, nothing of it is cut off, and no words overlap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

App = Any  # the class of that name in conftest.py
Serve = Callable[[str, Path], str]
HARPER = "ff0296d00e5e4184"
LEAST_PX = 11.0
PRINT = """svg => {
    const edge = svg.getBoundingClientRect();
    const shown = [...svg.querySelectorAll('text')].filter(
        text => text.textContent.trim() && text.checkVisibility({opacityProperty: true})
            && text.getAttribute('opacity') !== '0' && text.getBoundingClientRect().width);
    const words = shown.map(text => {
        const box = text.getBoundingClientRect(), turned = text.getScreenCTM();
        const px = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(turned.a, turned.b);
        const across = Math.max(edge.left - box.left, box.right - edge.right);
        const cut = Math.max(across, edge.top - box.top, box.bottom - edge.bottom);
        return {text: text.textContent, px, cut, box};
    });
    const overlap = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;  // a box is higher than its letters
    const pairs = words.flatMap((one, ix) => words.slice(ix + 1).filter(other => overlap(one.box, other.box))
        .map(other => [one.text, other.text]));
    return {words: words.map(({text, px, cut}) => ({text, px, cut})), pairs, width: edge.width};
}"""


def check(app: App, width: int) -> list[float]:
    """Return how wide the charts of a page are in a window of a width, once their print was looked at."""
    app.page.set_viewport_size({"width": width, "height": 2400})
    app.page.wait_for_timeout(500)  # charts are drawn anew a frame after their column has its width
    app.idle()
    widths = []
    for chart in app.page.locator("svg.marks").all():
        seen = chart.evaluate(PRINT)
        assert len(seen["words"]) > 2
        assert [word for word in seen["words"] if word["px"] < LEAST_PX - 0.01] == []
        assert [word for word in seen["words"] if word["cut"] > 1.0] == []
        assert seen["pairs"] == []
        widths.append(seen["width"])
    return widths


@pytest.mark.parametrize(
    ("name", "cell", "until"),
    [
        ("archive", "waiting", "95 % bootstrap interval"),
        ("call", "lanes", "Level, speech and events"),
        ("review", "heard", "The moment"),
        ("timing", "spreads", "left out: nothing"),
    ],
)
def test_print_is_as_large_in_a_narrow_window(
    app: App, served: Serve, page_archive: Path, name: str, cell: str, until: str
) -> None:
    app.open(f"{served(name, page_archive)}/?call={HARPER}")
    app.cell(cell).locator("svg text").filter(has_text=until).first.wait_for(state="attached", timeout=60_000)
    if name == "call":
        app.cell("spectrogram_switch").get_by_role("switch").click()
        app.cell("spectrogram").locator("svg image").nth(1).wait_for(state="attached", timeout=60_000)
    if name == "timing":
        app.cell("worse").get_by_role("button", name="Make the recordings worse").click()
        app.cell("worse").locator("svg text").filter(has_text="noise").first.wait_for(state="attached", timeout=90_000)
    wide, narrow, again = (check(app, width) for width in (1400, 900, 1400))
    assert max(narrow) < 720 < max(wide)
    assert again == wide
