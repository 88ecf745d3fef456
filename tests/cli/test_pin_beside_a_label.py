"""A moment pinned by time where a label with bounds of its own stands: the two verdicts are told apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

CALLS = Path(__file__).parents[2] / "data/calls/vapi-defaults"
NAME = "vapi-default-07-correction"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def archive(run: Run, tmp_path: Path) -> Path:
    assert run("import", CALLS, "--measure", "--archive", tmp_path / "archive")[0] == 0
    return tmp_path / "archive"


def test_a_pin_whose_verdict_is_not_that_of_score_names_the_label(run: Run, archive: Path, tmp_path: Path) -> None:
    """The bundled label at 2 s allows 1.0 s; the agent yields after 1.01 s."""
    at = ("pin", NAME, "--at", "2.0", "--expect", "yield", "--archive", archive, "--author", "A")
    code, out, err = run(*at, "-o", tmp_path / "one")
    assert (code, out.startswith("PASS")) == (0, True)
    (note,) = [line for line in err.splitlines() if "brings bounds of its own" in line]
    assert "says FAIL" in note
    label = note.rpartition("--label ")[2].split()[0]
    assert run("pin", NAME, "--label", label, "--archive", archive, "-o", tmp_path / "two")[1].startswith("FAIL")
    assert "measured as it was made" in out
    bounded = (*at, "--max-time-to-yield-s", "1", "--max-talk-over-s", "1", "-o", tmp_path / "three")
    assert "brings bounds" not in run(*bounded)[2]
    assert run("score", "--snr-gate-db", "200", "-q", "--archive", archive)[0] == 2
    again = run(*bounded[:-1], tmp_path / "five")[2]
    assert "brings bounds" not in again, "what another config says is no verdict of this one"
    assert json.loads(run(*at, "-o", tmp_path / "four", "--json")[1])["contract"]["measurement"]["status"] == "PASS"
