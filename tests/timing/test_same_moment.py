"""Labels of one moment: told of, and nothing is judged where they contradict."""

from __future__ import annotations

from typing import Any

from workbench.timing.same_moment import Shared, groups, note, shared


def event(call_id: str, label_id: str, onset_s: float | None, expect: str | None = "yield") -> dict[str, Any]:
    return {"call_id": call_id, "label_id": label_id, "onset_s": onset_s, "expect": expect}


def test_labels_within_a_quarter_of_a_second_are_of_one_moment() -> None:
    """By hand: 2.0 and 2.25 s; 2.4 s is near the second and not the first; those without a time are one moment."""
    rows = [
        event("b", "1", 2.25),
        event("a", "2", 2.0),
        event("b", "3", 2.0, "hold"),
        event("b", "4", 2.4),
        event("b", "5", None),
        event("b", "6", None),
    ]
    assert groups(rows) == [[4, 5], [2, 0]]
    untimed, timed = shared(rows)
    assert timed == Shared(call_id="b", onset_s=2.0, label_ids=["3", "1"], expects=["hold", "yield"])
    assert (untimed.onset_s, untimed.disagree, timed.disagree) == (None, False, True)
    assert groups([]) == shared(rows[1:2]) == []
    assert note([]) is None


def test_one_that_says_nothing_does_not_contradict() -> None:
    (moment,) = shared([event("a", "1", 1.0), event("a", "2", 1.0, None)])
    assert not moment.disagree


def test_the_note_counts_and_tells_what_to_do() -> None:
    alike = Shared(call_id="a", onset_s=1.0, label_ids=["1", "2"], expects=["yield", "yield"])
    apart = Shared(call_id="a", onset_s=9.0, label_ids=["3", "4", "5"], expects=["yield", "hold", "hold"])
    undo = "workbench label CALL --undo LABEL takes a label back."
    assert note([alike]) == f"1 moment carries 2 labels; a moment is counted once. {undo}"
    judged = "labelled both yield and hold, so nothing is judged there (labels_disagree)"
    assert note([apart]) == f"1 moment carries 3 labels; it is {judged}. {undo}"
    both = "2 moments carry 5 labels; a moment is counted once; 1 of them is"
    assert note([alike, apart]) == f"{both} {judged}. {undo}"
