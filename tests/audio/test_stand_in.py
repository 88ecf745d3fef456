"""What is said of a temporary file is said of the user's."""

from __future__ import annotations

import pytest

from workbench.audio.stand_in import standing_for
from workbench.errors import ImportFailed, UsageError


def test_the_copy_is_named_nowhere() -> None:
    with pytest.raises(ImportFailed) as caught, standing_for("mine.wav", "/scratch/copy.wav"):
        raise ImportFailed(
            "/scratch/copy.wav is cut off", where="/scratch/copy.wav", hint="look at /scratch/copy.wav", rule="x"
        )
    assert str(caught.value) == "mine.wav: mine.wav is cut off\nHint: look at mine.wav"
    assert caught.value.rule == "x"


def test_an_error_without_a_place_gets_one_and_another_place_stays() -> None:
    with pytest.raises(UsageError, match=r"^mine\.wav: no$"), standing_for("mine.wav", "copy"):
        raise UsageError("no")
    with pytest.raises(UsageError, match=r"^--only: no$"), standing_for("mine.wav", "copy"):
        raise UsageError("no", where="--only")
