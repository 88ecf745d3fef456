"""A barge-in that the end of the recording cuts off: told, set apart, and never taken for one nobody yielded to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

CALLS = Path(__file__).parents[2] / "data" / "calls"
AMI = CALLS / "ami-floor-exchange/audio"
CUT = AMI / "ami-en2002b-bc-0859.example.wav"
"""9.00 s long: a backchannel at 3.02 s, and a caller who begins at 7.87 s, 1.13 s before the end."""
ROLES = ("--channels", "caller,agent")
Run = Callable[..., tuple[int, str, str]]


def test_autopsy_says_what_was_seen_and_calls_it_nothing_worse(at: Run) -> None:
    code, out, _ = at("autopsy", CUT, *ROLES)
    assert code == 0
    assert "CRITICAL" not in out
    assert "not quiet within" not in out
    assert "apart: 1 barge-in of which the recording ends before it shows whether the agent stops" in out
    assert "both spoke for 0.33 s, and the recording ends 1.13 s after the onset, before it shows" in out
    assert "1 incident: 1 warning, 3 apart" in out


def test_the_share_of_a_folder_says_how_many_calls_it_concerns(at: Run, tmp_path: Path) -> None:
    code, out, _ = at("scan", AMI, *ROLES, "-o", tmp_path / "scan.html")
    assert code == 0
    assert "3 calls without a critical incident / 3 two-channel calls analysed" in out
    said = "1 of the 3 calls without a critical incident ends before showing whether the agent stops"
    assert said in out
    assert said in (tmp_path / "scan.html").read_text(encoding="utf-8")
    share = json.loads(at("scan", AMI, *ROLES, "--json")[1])["share"]
    assert share["recording_ended_count"] == 1


def test_a_comparison_without_an_onset_takes_a_moment_that_was_heard_to_its_end(at: Run) -> None:
    other = CALLS / "vapi-defaults/audio/vapi-default-05-backchannel-yeah.example.wav"
    code, out, err = at("compare", CUT, other, *ROLES, "--expect", "hold")
    assert (code, err) == (0, "")
    assert "at 3.02 s in the file before" in out


def test_equal_counts_of_critical_incidents_go_by_their_length(at: Run) -> None:
    """Of vapi-default-03 the second "mhm" overlaps for 0.03 s, which nobody can tell from none: one is left."""
    worst = json.loads(at("scan", CALLS / "vapi-defaults/audio", *ROLES, "--json")[1])["worst_calls"][:3]
    assert [(row["critical_count"], row["worst_magnitude_s"]) for row in worst] == [(1, 1.01), (1, 0.1), (1, 0.05)]


def test_a_stop_with_no_caller_near_is_not_denied_where_the_recording_ends_in_the_search(
    at: Run, tmp_path: Path
) -> None:
    """The agent of vapi-default-10 stops 2.16 s after 5.32 s with no caller near, and the recording ends at 8.00 s."""
    sound = CALLS / "vapi-defaults/audio/vapi-default-10-quiet-interrupt.example.wav"
    archive = ("--archive", tmp_path / "archive")
    assert at("import", sound, *ROLES, *archive)[0] == 0
    assert at("measure", *archive)[0] == 0
    code, out, _ = at("label", sound.stem, "--at", "5.32", "--expect", "yield", "--author", "me", *archive)
    assert code == 0
    assert "stopped 2.16" in " ".join(out.split())
    assert "shows whether the agent stops" not in out
    assert "until then the agent was not heard to stop with a caller near" in out
    out = at("autopsy", sound, *ROLES)[1]
    assert "the agent was quiet after 2.16 s" in out
    cut = "cannot be pinned: the recording ends before the search for a stop with a caller near does, and that decides"
    assert f"{cut} nothing without a bound" in out
    moment, context = f"{sound}#2", ("--pre-s", "5", "--post-s", "3", "-o", tmp_path / "contracts")
    for bound, code in (((), 2), (("--max-time-to-yield-s", "0.5"), 0)):
        assert at("pin", moment, *ROLES, "--expect", "yield", *bound, *context)[0] == code
