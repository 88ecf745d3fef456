"""What a reader sees and hears in the notebooks, looked at through Chromium with no network."""

from __future__ import annotations

import csv
import io
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HARPER = "ff0296d00e5e4184"
MISHEARD = "eb82ec7b5f0944ca"
App = Any  # the class of that name in conftest.py
Serve = Callable[[str, Path], str]


def choose_row(app: App, cell: str, text: str) -> None:
    """Choose the first row of a cell's table that holds a text."""
    app.cell(cell).get_by_role("row").filter(has_text=text).first.get_by_role("checkbox").click()
    app.idle()


def stats(app: App, cell: str) -> list[str]:
    """Return the big numbers of a cell."""
    return [
        str(value)
        for value in app.cell(cell).locator("marimo-stat").evaluate_all("all => all.map(s => s.dataset.value)")
    ]


def drawn(app: App, cell: str, until: str) -> str:
    """Return all texts that a cell's charts draw, once they draw this one: charts come after their cell has ended."""
    app.cell(cell).locator("svg text").filter(has_text=until).first.wait_for(state="attached", timeout=60_000)
    return " ".join(app.cell(cell).locator("svg text").all_text_contents())


def test_the_archive_notebook(app: App, served: Serve, page_archive: Path) -> None:
    app.open(served("archive", page_archive))
    everything = stats(app, "contents")
    assert len(everything) == 4
    assert app.cell("contents").locator("[aria-roledescription=bar]").count() >= 10
    before = drawn(app, "checks", "95 % Wilson interval")
    assert "n: 8 calls" not in before
    assert drawn(app, "waiting", "95 % bootstrap interval")

    app.cell("filters").get_by_role("combobox").first.select_option("harper_valley")
    app.idle()
    drawn(app, "checks", "n: 8 calls")
    narrowed = stats(app, "contents")
    assert narrowed != everything
    assert narrowed[0].strip('"') == "8"
    assert narrowed[3].strip('"') == "1"
    metric = app.cell("judgeable").get_by_role("row").filter(has_text="assertion:misheard_number")
    assert metric.get_by_role("cell").all_text_contents()[:3] == ["assertion:misheard_number", "8", "8"]

    with app.page.expect_download() as waiting:
        app.cell("worst").get_by_text("CSV, 8 rows").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    assert waiting.value.suggested_filename == "worst_calls.csv"
    assert len(rows) == 8
    assert HARPER in {row["call_id"] for row in rows}

    app.cell("worst").get_by_text("SQL of worst_calls").click()
    assert "$source_format = 'harper_valley'" in app.text("worst")

    choose_row(app, "worst", HARPER)
    told = app.text("next_step")
    assert f"workbench notebook call --call {HARPER} --archive" in told
    assert f"?call={HARPER}" in told


def test_words_that_were_heard_otherwise_are_marked(app: App, served: Serve, page_archive: Path) -> None:
    app.open(f"{served('call', page_archive)}/?call={MISHEARD}")
    choose_row(app, "turns", "my name is david")
    assert app.cell("turn_player").locator("mark").all_text_contents() == ["miller", "mellor"]


def test_the_call_notebook(app: App, served: Serve, page_archive: Path) -> None:
    app.open(f"{served('call', page_archive)}/?call={HARPER}")
    lanes = app.cell("lanes")
    assert drawn(app, "lanes", "caller (dBFS)")
    assert drawn(app, "lanes", "agent (dBFS)")
    assert drawn(app, "lanes", "time from the start of the call (s)")
    assert lanes.locator("[aria-roledescription=bar]").count() >= 8  # turns

    # the fourth turn runs from 12.82 to 17.38 s
    choose_row(app, "turns", "robert miller")
    assert app.plays("turn_player")
    assert not app.plays("stretch_player")
    assert app.sound_s("turn_player") == pytest.approx(4.56, abs=0.01)
    assert "12.82 to 17.38 s (4.56 s), caller left, agent right" in app.text("turn_player")

    row = app.cell("turns").get_by_role("row").filter(has_text="robert miller")
    assert row.get_by_role("cell").all_text_contents()[1:5] == ["3", "caller", "12.82", "17.38"]

    # "a m" was heard as "am": the same words, as the checks have it
    choose_row(app, "turns", "nine thirty")
    assert app.cell("turn_player").locator("mark").count() == 0
    assert app.plays("turn_player")

    # a finding plays its own stretch, and stops the turn that still plays
    turn = app.cell("turn_player").locator("audio")
    turn.evaluate("async sound => { sound.loop = true; await sound.play(); }")
    choose_row(app, "findings", "slow_response")
    assert app.plays("finding_player")
    assert turn.evaluate("sound => sound.paused")

    # under a table with a chosen row it does not say that none is
    told = app.cell("turns").get_by_text("selected").or_(app.cell("turns").get_by_text("No selection"))
    assert [one.inner_text() for one in told.all() if one.is_visible()] == ["1 selected"]
    finding = app.text("finding_player")
    seconds = float(finding.partition("(")[2].partition(" s)")[0])
    assert app.sound_s("finding_player") == pytest.approx(seconds, abs=0.01)

    # dragging the end of the stretch makes it longer, in the drawing and in the sound
    was = app.sound_s("stretch_player")
    end = lanes.get_by_role("slider").last
    end.focus()
    before = lanes.locator("svg").first.inner_html()
    for _ in range(3):
        app.page.keyboard.press("ArrowRight")
        app.idle()
    assert app.sound_s("stretch_player") == pytest.approx(was + 0.15, abs=0.01)
    assert lanes.locator("svg").first.inner_html() != before

    assert app.cell("spectrogram").locator("svg image").count() == 0
    app.cell("spectrogram_switch").get_by_role("switch").click()
    app.idle()
    assert app.cell("spectrogram").locator("svg image").count() == 2
    assert drawn(app, "spectrogram", "frequency (Hz, mel scale)")


def test_what_a_call_lacks_is_said(app: App, served: Serve, page_archive: Path) -> None:
    """Three calls one after the other on one server: without audio and clock, unknown, with its file gone."""
    address = served("call", page_archive)
    app.open(f"{address}/?call=gpt-4o-airline-first-20-task2-trial0")
    assert "This call has no audio" in app.text("lanes")
    assert "no audio" in app.text("stretch_player")
    assert app.page.locator("audio").count() == 0
    choose_row(app, "turns", "agent")
    assert "Nothing to play: this turn has no time" in app.text("turn_player")

    app.open(f"{address}/?call=../../etc/passwd")
    assert "not in this archive" in app.text("picker")

    app.open(f"{address}/?call=02e41649e7c441fd")
    assert "the audio file is missing" in app.text("stretch_player")
    assert app.page.locator("audio").count() == 0


def test_hostile_words_stay_words(app: App, served: Serve, page_archive: Path) -> None:
    call_id = "</script><b>hostile</b>"
    app.open(f"{served('call', page_archive)}/?call={urllib.parse.quote(call_id)}")
    title = app.page.title()
    shown = app.cell("turns").get_by_role("row").filter(has_text="onerror")
    assert "</script><img src=x onerror=" in shown.first.inner_text()
    choose_row(app, "turns", "onerror")
    assert "</script><img src=x onerror=" in app.text("turn_player")
    choose_row(app, "turns", "evil")
    text = app.text("turn_player")
    assert "⟨U+202E⟩evil⟨U+202C⟩ <b>bold</b>" in text
    assert "\u202e" not in app.page.content()
    found: list[Any] = app.page.evaluate(
        """() => { const seen = []; const walk = node => { for (const n of node.querySelectorAll('*')) {
            if (n.tagName === 'IMG' || n.onerror) seen.push(n.outerHTML);
            if (n.shadowRoot) walk(n.shadowRoot); } };
            walk(document); return seen; }"""
    )
    assert not [image for image in found if "outside.example" in image or 'src="x"' in image]
    assert app.page.title() == title != "owned"


def test_without_an_archive_both_say_what_to_do(app: App, served: Serve, tmp_path: Path) -> None:
    for name in ("archive", "call"):
        app.open(served(name, tmp_path / "nothing"))
        assert "no such archive" in app.text("load")
        assert "workbench init" in app.text("load")
        assert "workbench demo" in app.text("load")


@pytest.mark.parametrize(
    ("name", "cell", "until"),
    [
        ("archive", "checks", "95 % Wilson interval"),
        ("call", "lanes", "Level, speech and events"),
        ("review", "heard", "The moment"),
        ("timing", "verdicts", "Every labelled moment"),
    ],
)
def test_a_chart_is_no_wider_than_its_column(
    app: App, served: Serve, page_archive: Path, name: str, cell: str, until: str
) -> None:
    app.page.set_viewport_size({"width": 1100, "height": 2400})
    app.open(served(name, page_archive))
    drawn(app, cell, until)
    column = app.cell(cell).bounding_box()
    chart = app.cell(cell).locator("svg.marks").bounding_box()
    assert chart["width"] > 800
    assert column["x"] <= chart["x"]
    assert chart["x"] + chart["width"] <= column["x"] + column["width"]


def test_pass_rates_are_parted_by_how_calls_sounded(app: App, served: Serve, page_archive: Path) -> None:
    app.open(served("archive", page_archive))
    assert "assertion_pass_rate_by_slice" not in app.text("sliced_checks")
    app.cell("slice_choice").get_by_role("combobox").select_option("noisy caller")
    app.idle()
    assert "not described" in app.text("sliced_checks")
    assert "SQL of assertion_pass_rate_by_slice" in app.text("sliced_checks")
