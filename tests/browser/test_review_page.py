"""The notebook `review` in a real browser: hear, answer, undo, take back, confirm."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.archive.archive import Archive

App = Any  # the class of that name in conftest.py
Serve = Callable[[str, Path], str]


@pytest.fixture
def reviewed(demo_archive: Path, tmp_path: Path) -> Path:
    """A copy of the demo's calls to label."""
    return Path(shutil.copytree(demo_archive, tmp_path / "archive"))


def press(app: App, cell: str, name: str) -> None:
    """Press a button and wait for its answer: it is written to the archive before any cell runs."""
    before = app.text("undo")
    app.cell(cell).get_by_role("button", name=name).click()
    for _ in range(600):
        app.page.wait_for_timeout(50)
        if app.text("undo") != before:
            break
    app.idle()
    assert app.text("undo") != before


def left(app: App) -> int:
    numbers = app.cell("progress").locator("marimo-stat").evaluate_all("all => all.map(s => s.dataset.value)")
    return int(numbers[0].strip('"').replace(",", ""))


def rows(archive: Path, query: str) -> list[tuple[Any, ...]]:
    with Archive(archive) as opened:
        return opened.sql(query).rows()


def test_a_moment_is_heard_answered_and_undone(app: App, served: Serve, reviewed: Path) -> None:
    [(call_id, onset_s)] = rows(
        reviewed,
        "select call_id, onset_s from review_queue where kind = 'overlap_while_agent_talking' order by rank limit 1",
    )
    app.open(served("review", reviewed))
    waiting = left(app)
    assert call_id in app.text("heard")
    assert f"{onset_s:.2f} s" in app.text("heard")
    assert app.sound_s("heard") == pytest.approx(6.0, abs=0.05)  # two seconds before, four after
    app.cell("heard").locator("svg text").filter(has_text="red: the moment at").first.wait_for(state="attached")

    box = app.cell("progress").get_by_role("textbox")
    box.fill("browser")
    box.press("Enter")
    app.idle()
    app.cell("answer").get_by_role("textbox").first.fill("soon")
    app.cell("answer").get_by_role("textbox").first.press("Enter")
    app.idle()
    press(app, "answer", "Yield")
    assert "'soon' is no bound" in app.text("undo")
    assert left(app) == waiting

    app.cell("answer").get_by_role("textbox").first.fill("0.05")
    app.cell("answer").get_by_role("textbox").first.press("Enter")
    app.idle()
    press(app, "answer", "Yield")
    assert f"{call_id} at {onset_s:.2f} s: yield. Scored " in app.text("undo")
    assert left(app) < waiting
    query = "select author, expect, value ->> 'max_time_to_yield_s' from standing_labels where author = 'browser'"
    assert rows(reviewed, query) == [("browser", "yield", "0.05")]
    assert "browser" in app.text("labels")

    press(app, "undo", "Undo")
    assert "Taken back" in app.text("undo")
    assert left(app) == waiting
    assert rows(reviewed, query) == []
    assert call_id in app.text("heard")


def test_hold_another_moment_put_one_off_and_take_a_label_back(app: App, served: Serve, reviewed: Path) -> None:
    app.open(served("review", reviewed))
    waiting = left(app)
    first = app.text("heard")
    press(app, "answer", "Later")
    assert app.text("heard") != first
    assert left(app) == waiting

    app.cell("queue_shown").get_by_role("row").nth(3).get_by_role("checkbox").click()
    app.idle()
    assert "place in the queue 3" in " ".join(app.text("heard").split())
    press(app, "answer", "Hold")
    assert ": hold. Scored " in app.text("undo")
    before = len(rows(reviewed, "from standing_labels where kind = 'expectation'"))

    app.cell("labels").get_by_role("row").nth(1).get_by_role("checkbox").click()
    app.idle()
    press(app, "retraction", "Take this label back")
    assert "Taken back" in app.text("undo")
    assert len(rows(reviewed, "from standing_labels where kind = 'expectation'")) == before - 1


def test_yield_and_hold_are_offered_where_they_mean_something(app: App, served: Serve, reviewed: Path) -> None:
    app.open(served("review", reviewed))
    assert "severity" not in app.text("heard")  # what was measured steers who has not answered
    app.cell("progress").get_by_role("switch").click()
    app.idle()
    assert "severity" in app.text("heard")
    app.cell("progress").get_by_role("combobox").select_option(label="long response gap")
    app.idle()
    names = app.cell("answer").get_by_role("button").all_inner_texts()
    assert [name.strip() for name in names] == ["Later"]
    assert "Nothing to judge" in app.text("answer")
    assert "The caller " in app.text("heard")


def test_a_key_answers(app: App, served: Serve, reviewed: Path) -> None:
    app.open(served("review", reviewed))
    before = left(app)
    for key, said in (("h", ": hold. Scored "), ("u", "Taken back"), ("y", ": yield. Scored "), ("l", "Put off")):
        told = app.text("undo")
        app.page.keyboard.press(f"Alt+{key}")
        for _ in range(600):
            app.page.wait_for_timeout(50)
            if app.text("undo") != told:
                break
        app.idle()
        assert said in app.text("undo")
    assert left(app) < before


def test_a_suspected_swap_is_confirmed(app: App, served: Serve, reviewed: Path) -> None:
    suspects = rows(reviewed, "select call_id from suspected_swaps")
    assert suspects
    app.open(served("review", reviewed))
    app.cell("swaps").get_by_role("row").filter(has_text=suspects[0][0]).get_by_role("checkbox").click()
    app.idle()
    assert app.sound_s("swap_heard") == pytest.approx(30.0, abs=0.05)
    press(app, "swap_heard", "Right as it is")
    assert f"Confirmed: caller, agent in {suspects[0][0]}" in app.text("undo")
    assert len(rows(reviewed, "from suspected_swaps")) == len(suspects) - 1


def test_without_an_archive_it_says_what_to_do(app: App, served: Serve, tmp_path: Path) -> None:
    app.open(served("review", tmp_path / "nothing"))
    assert "no such archive" in app.text("load")
    assert "workbench demo" in app.text("load")


def test_a_press_is_for_the_moment_it_was_shown_with_or_for_none(app: App, served: Serve, reviewed: Path) -> None:
    """It takes a while to label and to draw the next moment: what is pressed meanwhile must not be its answer."""
    labelled = "select call_id, onset_s, expect from standing_labels where kind = 'expectation' order by all"
    before = rows(reviewed, labelled)
    app.open(served("review", reviewed))

    def hammer(cell: str, *names: str) -> None:
        told = app.text("undo")
        buttons = [app.cell(cell).get_by_role("button", name=name).element_handle() for name in names]
        script = "all => all.forEach((b, ix) => setTimeout(() => b.click(), 60 * ix))"
        app.page.evaluate(script, buttons)
        for _ in range(600):
            app.page.wait_for_timeout(50)
            if app.text("undo") != told:
                break
        app.idle(1.0)

    hammer("answer", "Yield", "Yield", "Hold", "Later", "Yield")
    first = rows(reviewed, labelled)
    assert len(first) == len(before) + 1
    assert ": yield. Scored " in app.text("undo")
    press(app, "answer", "Hold")  # the next page answers
    assert len(rows(reviewed, labelled)) == len(before) + 2
    assert "(2)" in app.text("undo")
    hammer("undo", "Undo", "Undo", "Undo")
    assert rows(reviewed, labelled) == first


def test_no_button_is_narrower_than_its_words(app: App, served: Serve, reviewed: Path) -> None:
    app.page.set_viewport_size({"width": 900, "height": 1400})
    app.open(served("review", reviewed))
    press(app, "answer", "Hold")
    for cell in ("answer", "undo"):
        for button in app.cell(cell).get_by_role("button").all():
            lines = button.evaluate(
                "b => { const r = document.createRange(); r.selectNodeContents(b);"
                "return [r.getBoundingClientRect().height, b.getBoundingClientRect().height]; }"
            )
            assert lines[0] <= lines[1], (cell, button.inner_text(), lines)
