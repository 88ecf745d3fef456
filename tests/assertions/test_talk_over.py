"""Overlaps counted by hand, in both directions."""

import json

import pytest

from workbench.assertions import load_pack
from workbench.assets import folder

HEALTHY = {"scorable": True, "recommendation": "eligible for scan", "verdict_eligible": True}
OVER, ON = "began_over_caller", "spoke_on"


def both(made, caller, agent):
    return made.rows({"turns": [made.turn("caller", *caller), made.turn("agent", *agent)]})


@pytest.mark.parametrize(
    ("caller", "agent", "code", "overlap", "first"),
    [
        ((3.1, 9.3), (7.2, 9.3), OVER, 2.1, "caller"),
        ((3.1, 9.3), (5.2, 7.3), OVER, 2.1, "caller"),
        ((3.1, 9.3), (7.2, 12.0), OVER, 2.1, "caller"),
        ((2.0, 5.0), (0.0, 2.35), ON, 0.35, "agent"),
        ((2.0, 2.9), (0.0, 20.0), ON, 0.9, "agent"),
        ((0.0, 5.0), (4.699, 6.0), OVER, 0.301, "caller"),
        ((1.0, 3.0), (1.0, 3.0), ON, 2.0, "together"),
        ((1.0, 3.0), (1.05, 3.0), ON, 1.95, "together"),
        ((1.05, 3.0), (1.0, 3.0), ON, 1.95, "together"),
        ((1.0, 3.0), (1.051, 3.0), OVER, 1.949, "caller"),
        ((1.051, 3.0), (1.0, 3.0), ON, 1.949, "agent"),
    ],
)
def test_too_long_together_is_one_finding(made, caller, agent, code, overlap, first):
    row = made.only(both(made, caller, agent), "talked_over_caller")
    assert (row["status"], row["failure_code"], row["turn_ix"], row["severity"]) == ("FAIL", code, 1, "medium")
    assert row["observed"] == {"overlap_s": overlap, "who_first": first}
    assert (row["start_s"], row["end_s"]) == (max(caller[0], agent[0]), min(caller[1], agent[1]))
    assert row["evidence"]["turns"] == [1, 0]


@pytest.mark.parametrize(
    ("caller", "agent", "longest"),
    [
        ((2.0, 5.0), (0.0, 2.3), 0.3),
        ((1.7, 4.0), (0.0, 2.0), 0.3),
        ((0.0, 5.0), (4.7, 6.0), 0.3),
        ((0.0, 5.0), (2.0, 2.25), 0.25),
        ((0.0, 2.0), (2.0, 4.0), 0.0),
        ((0.0, 2.0), (3.0, 4.0), 0.0),
    ],
)
def test_up_to_the_threshold_passes_and_the_longest_overlap_counts_both_ways(made, caller, agent, longest):
    row = made.only(both(made, caller, agent), "talked_over_caller")
    assert (row["status"], row["observed"]["longest_overlap_s"]) == ("PASS", longest)


@pytest.mark.parametrize(
    ("caller", "agent", "message"),
    [
        ((2.0, 5.0), (0.0, 2.43), "The caller began while the agent was speaking; both spoke for 0.43 s."),
        ((3.1, 9.3), (7.2, 9.3), "The agent began while the caller was speaking; both spoke for 2.10 s."),
        ((1.0, 3.0), (1.0, 3.0), "The agent and the caller began together; both spoke for 2.00 s."),
        ((0.0, 5.0), (4.699, 6.0), "The agent began while the caller was speaking; both spoke for 0.301 s."),
        ((0.0, 50.0), (10.0, 22.05), "The agent began while the caller was speaking; both spoke for 12.05 s."),
    ],
)
def test_the_message_says_what_was_measured(made, caller, agent, message):
    assert made.only(both(made, caller, agent), "talked_over_caller")["message"] == message


def test_each_overlap_is_found_once(made):
    """Caller 0-4 and 5-9; agent 3-6 begins over the first and speaks on into the second, 8-10 begins over it."""
    turns = [made.turn("caller", 0.0, 4.0), made.turn("agent", 3.0, 6.0)]
    turns += [made.turn("caller", 5.0, 9.0), made.turn("agent", 8.0, 10.0)]
    found = made.results(made.rows({"turns": turns}), "talked_over_caller")
    assert [(row["failure_code"], row["start_s"], row["end_s"], row["turn_ix"]) for row in found] == [
        (OVER, 3.0, 4.0, 1),
        (ON, 5.0, 6.0, 1),
        (OVER, 8.0, 9.0, 3),
    ]


def test_several_callers_stretches_inside_one_long_agent_turn(made):
    turns = [made.turn("agent", 0.0, 20.0), made.turn("caller", 2.0, 2.2), made.turn("caller", 5.0, 6.0)]
    row = made.only(made.rows({"turns": turns}), "talked_over_caller")
    assert (row["failure_code"], row["start_s"], row["end_s"]) == (ON, 5.0, 6.0)


def test_measured_speech_is_read_the_same_way(made):
    segments = [("caller", 0.0, 4.0), ("agent", 2.0, 3.0), ("agent", 4.1, 5.0)]
    row = made.only(made.rows({"segments": segments, "health": HEALTHY}), "talked_over_caller")
    assert (row["failure_code"], row["observed"]["overlap_s"]) == (OVER, 1.0)
    assert row["evidence"]["clock"] == "audio"


def test_whole_seconds_fail_only_beyond_what_rounding_can_make(made):
    """Shown as 1 s, an overlap of whole-second clocks can be next to nothing; shown as 2 s it is over 1 s."""
    for end, status in ((8.0, "PASS"), (9.0, "FAIL")):
        turns = [made.turn("caller", 0.0, end), made.turn("agent", 7.0, 12.0)]
        rows = made.rows({"turn_clock": "quantised", "turns": turns})
        assert made.only(rows, "talked_over_caller")["status"] == status


def test_a_pack_of_ones_own_allows_more(made, tmp_path):
    document = json.loads((folder("data") / "packs" / "caller-experience.json").read_text("utf-8"))
    for assertion in document["assertions"]:
        if assertion["kind"] == "talked_over_caller":
            assertion["parameters"]["max_overlap_s"] = 2.1
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document), "utf-8")
    assert made.only(both(made, (3.1, 9.3), (7.2, 9.3)), "talked_over_caller", load_pack(path))["status"] == "PASS"


@pytest.mark.parametrize(("count", "message"), [(1, "1 turn carries no clock."), (2, "2 turns carry no clock.")])
def test_turns_without_a_clock_are_counted_in_good_english(made, count, message):
    turns = [made.turn("caller", 0.0, 1.0), made.turn("agent", 2.0, 3.0)] + [made.turn("caller")] * count
    row = made.only(made.rows({"turns": turns}), "talked_over_caller")
    assert (row["status"], row["message"]) == ("INCONCLUSIVE", message)
