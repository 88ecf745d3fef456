"""The parts of a report: figures, words, moments, and the file it is written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ExportFailed
from workbench.report.figures import bin_width, gap_figure, level_path, stack
from workbench.report.new_file import write_whole
from workbench.report.paths import without_folders
from workbench.report.word_changes import lines
from workbench.report.worst_moments import choose


def worst(name: str, rank: int, **settings: Any) -> dict[str, Any]:
    row = {"high_finding_count": 1, "worst_response_gap_s": None, "worst_response_at_s": None}
    return {"call_id": name, "rank": rank} | row | settings


def finding(call: str, code: str, severity: str, **settings: Any) -> dict[str, Any]:
    row = {"start_s": 1.0, "end_s": 2.0, "turn_ix": 0, "assertion_id": code, "result_ix": 0, "message": "m"}
    return {"call_id": call, "failure_code": code, "severity": severity} | row | settings


def test_the_most_severe_finding_of_a_call_is_chosen_whatever_its_length() -> None:
    found = [finding("a", "dead_air", "medium", end_s=60.0), finding("a", "misheard", "high", start_s=None)]
    (chosen,) = choose([worst("a", 1)], found, most=3)
    assert chosen["failure_code"] == "misheard"
    assert chosen["rank"] == 1


def test_among_equals_a_kind_not_shown_yet_then_the_longest_then_the_first() -> None:
    found = [
        finding("a", "slow", "high", end_s=9.0),
        finding("a", "other", "high"),
        finding("b", "slow", "high", end_s=9.0),
        finding("b", "other", "high", start_s=5.0, end_s=6.0),
        finding("b", "other", "high", start_s=3.0, end_s=4.0, result_ix=1),
    ]
    chosen = choose([worst("a", 1), worst("b", 2)], found, most=3)
    assert [(row["failure_code"], row["start_s"]) for row in chosen] == [("slow", 1.0), ("other", 3.0)]


def test_calls_with_nothing_found_are_passed_over_and_unjudged_ones_give_their_slowest_answer() -> None:
    clean = worst("clean", 1, high_finding_count=0, worst_response_gap_s=0.4, worst_response_at_s=5.0)
    unjudged = worst("unjudged", 2, high_finding_count=None, worst_response_gap_s=2.5, worst_response_at_s=10.0)
    mute = worst("mute", 3, high_finding_count=None)
    (chosen,) = choose([clean, unjudged, mute], [], most=3)
    assert (chosen["call_id"], chosen["start_s"], chosen["end_s"]) == ("unjudged", 7.5, 10.0)
    assert choose([unjudged], [], most=0) == []


@pytest.mark.parametrize(
    ("level", "height"),
    [(0.0, 48), (-30.0, 24), (-60.0, 0), (-120.0, 0), (3.0, 48)],
)
def test_a_level_is_drawn_from_minus_60_to_0_dbfs(level: float, height: int) -> None:
    # by hand: the lane is 100 high, its middle 50, full scale reaches 48 up and down, -30 dBFS half of it
    path = level_path([(0.0, level)], 0.0, 10.0)
    assert path == f"M2 50L2 {50 - height}L2 {50 + height}Z"


def test_a_column_shows_its_loudest_frame_and_frames_outside_are_left_out() -> None:
    frames = [(-0.01, 0.0), (0.0, -60.0), (0.01, -30.0), (0.02, -45.0), (3.0, 0.0)]
    # 300 columns over 3 s: a column is 10 ms; x of column n is (n + 1/2) * 1000 / 300
    assert level_path(frames, 0.0, 3.0) == "M2 50L2 50L5 26L8 38L8 62L5 74L2 50Z"
    assert level_path([], 0.0, 3.0) == ""


def test_parts_of_a_stack_fill_it_and_nothing_is_drawn_for_none() -> None:
    bar = stack("Health", [("eligible for scan", 3), ("NOT SCORABLE", 0), ("no audio", 1), ("audio", 4)])
    assert bar.total == 8
    assert [(part.name, part.x, part.width) for part in bar.parts] == [
        ("eligible for scan", 0.0, 37.5),
        ("no audio", 37.5, 12.5),
        ("audio", 50.0, 50.0),
    ]
    assert [part.look for part in bar.parts] == ["good", "quiet", "part0"]
    assert stack("Health", []).parts == ()


@pytest.mark.parametrize(("longest", "width"), [(0.0, 0.05), (2.0, 0.05), (2.1, 0.1), (8.0, 0.2), (900.0, 1.0)])
def test_forty_bins_reach_the_longest_gap_or_forty_seconds(longest: float, width: float) -> None:
    assert bin_width(longest) == width


def test_the_agents_with_most_answers_are_drawn_and_open_bounds_stay_open() -> None:
    key = {"agent_version": "not supplied", "clock": "audio", "call_count": 4}
    agents = [
        {"agent_id": f"agent-{n}", "response_count": n, "gap_p50_lin_s": 1.0, **key}
        | {"gap_p50_low_s": 0.5, "gap_p50_high_s": None, "reason": None}
        for n in range(1, 15)
    ]
    bins = [
        {"agent_id": "agent-14", "agent_version": "not supplied", "clock": "audio"}
        | {"bin_start_s": 1.0, "bin_end_s": 1.1, "gap_count": 14}
    ]
    figure = gap_figure(agents, bins, bin_s=0.1)
    assert [row.agent for row in figure.rows[:2]] == ["agent-14", "agent-13"]
    assert (len(figure.rows), figure.left_out) == (12, 2)
    first = figure.rows[0]
    assert (first.median, first.low, first.high) == (25.0, 12.5, None)  # of 40 bins of 0.1 s: 4 s
    assert (first.bars[0].x, first.bars[0].height) == (25.0, 100.0)


def test_a_row_without_an_interval_says_why() -> None:
    """As the view response_gap_by_agent says it, in the row of the figure too."""
    from workbench.report.render import _environment

    why = "fewer than 3 calls with an answer: no interval"
    row = {"agent_id": "a", "agent_version": "1", "clock": "audio", "call_count": 2, "response_count": 2}
    row |= {"gap_p50_lin_s": 1.0, "gap_p50_low_s": None, "gap_p50_high_s": None, "reason": why}
    drawn = _environment().get_template("figures.html.j2").module.gaps(gap_figure([row], [], bin_s=0.1))
    assert f"({why})" in drawn
    assert 'class="range"' not in drawn


@pytest.mark.parametrize(
    ("text", "heard", "truth", "labels"),
    [
        ("Fifty, please.", "fifty please", None, [""]),
        ("fifty", "fifteen", None, ["said", "heard"]),
        ("fifty", None, "fifteen", ["really said", "transcript"]),
        ("fifty", "fifteen", "fifty", ["really said", "heard"]),
        ("four", "for", "five", ["really said", "heard", "transcript"]),
        (None, "only heard", None, [""]),
        (None, None, None, []),
        ("", None, None, [""]),
    ],
)
def test_versions_of_a_turn_are_shown_where_they_differ(
    text: str | None, heard: str | None, truth: str | None, labels: list[str]
) -> None:
    assert [line.label for line in lines(text, heard, truth)] == labels


def test_the_words_that_differ_are_marked_in_both_versions() -> None:
    said, heard = lines("pay fifty dollars now", "pay fifteen dollars", None)
    assert [(piece.text, piece.changed) for piece in said.pieces] == [
        ("pay", False),
        ("fifty", True),
        ("dollars", False),
        ("now", True),
    ]
    assert [(piece.text, piece.changed) for piece in heard.pieces] == [
        ("pay", False),
        ("fifteen", True),
        ("dollars", False),
    ]


def test_texts_of_thousands_of_words_are_not_compared_word_by_word() -> None:
    said, heard = lines("one " * 5000, "two " * 5000, None)
    assert len(said.pieces) == len(heard.pieces) == 1
    assert len(said.pieces[0].text) < 1000


def test_relative_paths_and_addresses_are_left_alone() -> None:
    for text in ("data/calls/x.json", "https://outside.example/a/b", "either/or", "3/4", None):
        assert without_folders(text) == text


def test_a_report_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "report.html"
    target.parent.mkdir()
    assert write_whole(target, "<html>one\n", kind="html") == 10
    assert write_whole(target, "<html>zwölf\n", kind="html") == 13
    assert target.read_bytes() == "<html>zwölf\n".encode()
    assert list(target.parent.iterdir()) == [target]


def test_a_target_that_cannot_be_written_leaves_all_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(ExportFailed, match="it is a folder"):
        write_whole(tmp_path, "text", kind="html")
    with pytest.raises(ExportFailed, match="there is no folder"):
        write_whole(tmp_path / "file" / "report.html", "text", kind="html")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
