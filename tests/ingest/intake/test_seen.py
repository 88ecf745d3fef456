"""Ids of an import."""

from __future__ import annotations

from workbench.ingest.intake.seen import Seen


def test_a_name_is_new_once_and_then_the_same_or_another() -> None:
    seen = Seen()
    assert seen.meet("a", "1") is None
    assert seen.meet("a", "1") == "same"
    assert seen.meet("a", "2") == "other"
    assert seen.meet("a", "1") == "same"
    assert seen.meet("b", "1") is None
    seen.forget("a")
    assert seen.meet("a", "2") is None
    seen.close()
