"""Times and bounds as options: what no recording can hold is refused, or lies outside, and is never judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.timing.contracts.judging import judge

At = Callable[..., tuple[int, str, str]]
CLIPS = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio"
HARD, QUIET = (CLIPS / f"vapi-default-{name}.example.wav" for name in ("01-hard-interruption", "10-quiet-interrupt"))
COMPARE = ("compare", QUIET, HARD, "--expect", "yield", "--onset", "2")
FAR = ("1e17", "1e20", "1e300", "1e308")


@pytest.mark.parametrize("onset_s", [float(text) for text in FAR])
def test_a_moment_after_every_recording_is_outside(onset_s: float) -> None:
    event = judge(HARD, expect="yield", onset_s=onset_s).event
    assert (event["status"], event["reason"]) == ("NOT_SCORABLE", "outside_the_recording")


@pytest.mark.parametrize("onset", FAR)
def test_a_moment_far_outside_is_no_verdict(at: At, onset: str) -> None:
    for words in [
        ("compare", QUIET, HARD, "--expect", "yield", "--channels", "caller,agent", "--onset", onset),
        (*COMPARE, "--channels", "caller,agent", "--after-onset", onset),
        ("robustness", QUIET, "--onset", onset, "--expect", "yield", "--only", "gain", "--channels", "caller,agent"),
    ]:
        code, out, err = at(*words)
        assert (code, out) == (2, ""), words
        assert "outside" in err


NO_BOUND = ("nan", "inf", "1e308", "-1", "86401")
ROBUST = ("robustness", QUIET, "--onset", "2", "--expect", "yield", "--only", "gain")


@pytest.mark.parametrize("value", NO_BOUND)
@pytest.mark.parametrize("option", ["--max-talk-over-s", "--max-time-to-yield-s"])
def test_a_bound_that_is_none_is_refused_by_every_command(at: At, tmp_path: Path, option: str, value: str) -> None:
    bound = (option, value)
    for words in [
        (*COMPARE, *bound),
        (*ROBUST, *bound),
        ("score", "--archive", tmp_path / "none", *bound),
        ("sweep-timing", "--archive", tmp_path / "none", "--grid", "rel_db=10", *bound),
        ("label", "call", "--at", "1", "--expect", "yield", "--archive", tmp_path / "none", *bound),
        ("pin", "call", "--at", "1", "--expect", "yield", "--archive", tmp_path / "none", *bound),
    ]:
        code, out, err = at(*words)
        assert (code, out) == (2, ""), words
        assert option in err
        assert "it must lie in 0..86400" in err


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1"])
def test_a_moment_that_is_none_is_refused_by_every_command(at: At, tmp_path: Path, value: str) -> None:
    for words in [
        ("compare", QUIET, HARD, "--expect", "yield", "--onset", value),
        ("compare", QUIET, HARD, "--expect", "yield", "--before-onset", value),
        ("compare", QUIET, HARD, "--expect", "yield", "--after-onset", value),
        ("robustness", QUIET, "--expect", "yield", "--onset", value),
        ("label", "call", "--expect", "yield", "--archive", tmp_path / "none", "--at", value),
        ("pin", "call", "--expect", "yield", "--archive", tmp_path / "none", "--at", value),
    ]:
        code, out, err = at(*words)
        assert (code, out) == (2, ""), words
        assert f"{words[-2]} is {value} s; it must be finite" in err
