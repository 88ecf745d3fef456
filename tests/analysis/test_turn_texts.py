"""Words that were heard otherwise are marked, and nothing else is."""

from __future__ import annotations

import polars as pl
import pytest

from workbench.analysis.turn_texts import as_html, bracketed, compared, differing, turn_texts


def turn(ix: int, **texts: str | None) -> dict[str, object]:
    row = {"turn_ix": ix, "role": "caller", "start_s": float(ix), "end_s": ix + 0.5}
    return {**row, "text": None, "heard": None, "truth": None, **texts}


def frame(*rows: dict[str, object]) -> pl.DataFrame:
    kinds = {"turn_ix": pl.Int32, "role": pl.String, "start_s": pl.Float64, "end_s": pl.Float64}
    return pl.DataFrame(rows, schema={**kinds, "text": pl.String, "heard": pl.String, "truth": pl.String})


@pytest.mark.parametrize(
    ("said", "heard", "left", "right"),
    [
        (
            "Refund fifteen dollars.",
            "refund fifty dollars",
            "Refund ⟦fifteen⟧ dollars.",
            "refund ⟦fifty⟧ dollars",
        ),
        ("yes", "yes please do", "yes", "yes ⟦please do⟧"),
        ("one two", "", "⟦one two⟧", ""),
        ("Fifteen!", "15", "Fifteen!", "15"),
        ("so — yes", "so yes", "so — yes", "so yes"),
        ("To L A X by four p m for $120.", "to LAX by 4 p.m. for one hundred twenty dollars", None, None),
        ("on the twenty-fifth, um, bye bye", "On the 25th? Bye-bye", None, None),
        ("my check book", "my checkbook", "my check book", "my checkbook"),
        ("a window seat", "a Windows seat", "a ⟦window⟧ seat", "a ⟦Windows⟧ seat"),
    ],
)
def test_differing_words(said: str, heard: str, left: str | None, right: str | None) -> None:
    first, second = differing(said, heard)
    assert (bracketed(first), bracketed(second)) == (left or said, right or heard)


def test_marks_are_the_only_tags() -> None:
    words, _ = differing("<b>fifteen</b> & \u202eso", "fifty & so")
    text = as_html(words)
    assert text.replace("<mark>", "").replace("</mark>", "").count("<") == 0
    assert "&lt;b&gt;" in text
    assert "\u202e" not in text


def test_what_was_heard_is_compared_with_the_truth_where_it_is_known() -> None:
    rows = turn_texts(
        frame(
            turn(0, text="fifty", heard="fifty", truth="fifteen"),
            turn(1, text="fifty", heard="sixty"),
            turn(2, text="only text"),
        )
    )
    assert rows.select("said", "heard", "truth", "differing_count").rows() == [
        ("fifty", "⟦fifty⟧", "⟦fifteen⟧", 1),
        ("⟦fifty⟧", "⟦sixty⟧", None, 1),
        ("only text", None, None, None),
    ]


def test_a_truth_that_is_the_transcript_is_not_said_twice() -> None:
    assert [name for name, _ in compared(turn(0, text="yes", heard="yeah", truth="yes"))] == ["said", "heard"]


def test_columns_nobody_supplies_are_left_out_and_nothing_gives_nothing() -> None:
    assert turn_texts(frame(turn(0, text="hi"))).columns == ["turn_ix", "role", "start_s", "end_s", "said"]
    assert turn_texts(frame()).is_empty()
