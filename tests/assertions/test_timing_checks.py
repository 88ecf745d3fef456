import pytest


def statuses(made, call, *assertions):
    rows = made.rows(call)
    return [made.results(rows, assertion)[0]["status"] for assertion in assertions]


TIMING = ("slow_response", "talked_over_caller", "dead_air")


def test_an_overlap_of_two_minus_one_point_seven_does_not_exceed_point_three(made):
    assert 2.0 - 1.7 > 0.3  # what floats say
    call = {"turns": [made.turn("agent", 0.0, 2.0), made.turn("caller", 1.7, 4.0)]}
    assert statuses(made, call, "talked_over_caller") == ["PASS"]
    call["turns"][1]["start_s"] = 1.699
    assert statuses(made, call, "talked_over_caller") == ["FAIL"]


def test_a_short_backchannel_into_a_long_agent_turn_is_short(made):
    """The peer counts to the agent's end and reports 19 s here; see docs/assertions.md."""
    call = {"turns": [made.turn("agent", 0.0, 20.0), made.turn("caller", 1.0, 1.2, "mhm")]}
    assert made.only(made.rows(call), "talked_over_caller")["observed"]["longest_overlap_s"] == 0.2


def test_after_a_backchannel_the_agents_next_turn_is_no_response(made):
    turns = [made.turn("agent", 0.0, 10.0), made.turn("caller", 2.0, 2.2), made.turn("agent", 14.0, 15.0)]
    assert statuses(made, {"turns": turns}, "slow_response", "dead_air") == ["SKIPPED", "FAIL"]


def test_an_agent_that_outlasts_the_caller_by_a_moment_still_owes_a_response(made):
    turns = [made.turn("agent", 0.0, 4.6), made.turn("caller", 2.5, 4.5), made.turn("agent", 9.0, 9.5)]
    assert made.only(made.rows({"turns": turns}), "slow_response")["observed"] == {"gap_s": 4.5}


def test_the_caller_who_speaks_twice_waits_from_the_second(made):
    turns = [made.turn("caller", 0.0, 1.0), made.turn("caller", 5.0, 6.0), made.turn("agent", 6.5, 8.0)]
    row = made.only(made.rows({"turns": turns}), "slow_response")
    assert (row["status"], row["observed"]) == ("PASS", {"responses": 1, "longest_gap_s": 0.5})


def test_only_the_first_agent_turn_after_the_caller_is_a_response(made):
    turns = [made.turn("caller", 0.0, 1.0), made.turn("agent", 1.2, 1.3, "Uh"), made.turn("agent", 6.0, 7.0)]
    row = made.only(made.rows({"turns": turns}), "slow_response")
    assert (row["status"], row["observed"]) == ("PASS", {"responses": 1, "longest_gap_s": 0.2})


def test_order_in_the_file_does_not_matter_only_the_clock(made):
    turns = [made.turn("caller", 0.0, 1.0), made.turn("agent", 3.0, 4.0), made.turn("caller", 10.0, 11.0)]
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        rows = made.rows({"turns": [turns[ix] for ix in order]})
        assert made.only(rows, "slow_response")["observed"] == {"gap_s": 2.0}
        assert made.only(rows, "dead_air")["observed"] == {"silence_s": 6.0}


def test_dead_air_is_a_hole_in_all_speech_not_a_gap_between_neighbours(made):
    turns = [made.turn("agent", 0.0, 20.0), made.turn("caller", 1.0, 2.0), made.turn("caller", 10.0, 11.0)]
    row = made.only(made.rows({"turns": turns}), "dead_air")
    assert (row["status"], row["observed"]["longest_silence_s"]) == ("PASS", None)
    turns.append(made.turn("caller", 24.0, 25.0))
    row = made.only(made.rows({"turns": turns}), "dead_air")
    assert (row["start_s"], row["end_s"], row["turn_ix"], row["evidence"]["turns"]) == (20.0, 24.0, 0, [0, 3])


@pytest.mark.parametrize(("clock", "word"), [("none", "no clock"), ("generated", "made")])
def test_no_clock_gives_no_verdict_on_timing_and_says_why(made, clock, word):
    call = {"turn_clock": clock, "turns": [made.turn("caller", 0.0, 1.0), made.turn("agent", 9.0, 10.0)]}
    rows = made.rows(call)
    for assertion in TIMING:
        row = made.only(rows, assertion)
        assert (row["status"], row["evidence"]["clock"]) == ("INCONCLUSIVE", None)
        assert word in row["message"]


@pytest.mark.parametrize(("gap", "status"), [(2, "PASS"), (3, "FAIL")])
def test_whole_seconds_fail_only_beyond_what_rounding_can_make(made, gap, status):
    """Turns clocked in whole seconds: a shown gap of 2 s can be 1.1 s, one of 3 s is at least 2 s."""
    turns = [made.turn("caller", 0.0, 2.0), made.turn("agent", 2.0 + gap, 9.0)]
    row = made.only(made.rows({"turn_clock": "quantised", "turns": turns}), "slow_response")
    assert (row["status"], row["evidence"]["quantum_s"]) == (status, 1.0)
    assert row["severity"] in {None, "medium"}


def test_a_turn_without_clock_between_two_others_hides_no_finding_and_makes_none(made):
    turns = [made.turn("caller", 0.0, 1.0), made.turn("caller"), made.turn("agent", 9.0, 10.0)]
    assert statuses(made, {"turns": turns}, *TIMING) == ["INCONCLUSIVE"] * 3
    turns += [made.turn("caller", 11.0, 12.0), made.turn("agent", 20.0, 21.0)]
    row = made.only(made.rows({"turns": turns}), "slow_response")
    assert (row["status"], row["observed"]) == ("FAIL", {"gap_s": 8.0})


def test_a_call_in_which_the_rule_cannot_apply_is_skipped_not_passed(made):
    assert statuses(made, {"turns": [made.turn("agent", 0.0, 1.0)]}, *TIMING) == ["SKIPPED"] * 3


ELIGIBLE = {"scorable": True, "recommendation": "eligible for scan", "verdict_eligible": True}
UNSCORABLE = {
    "scorable": False,
    "recommendation": "NOT SCORABLE",
    "verdict_eligible": False,
    "reason": "one channel is empty",
}
CAUTION = {
    "scorable": True,
    "recommendation": "scan with caution",
    "verdict_eligible": False,
    "reason": "echo",
}


def test_measured_speech_takes_the_place_of_turn_clocks(made):
    turns = [made.turn("caller", 0.0, 1.9), made.turn("agent", 2.0, 4.0)]
    segments = [("caller", 0.0, 0.5), ("caller", 0.65, 1.0), ("agent", 2.9, 4.0)]
    row = made.only(made.rows({"turns": turns, "segments": segments, "health": ELIGIBLE}), "slow_response")
    assert (row["status"], row["observed"], row["turn_ix"]) == ("FAIL", {"gap_s": 1.9}, 1)
    assert row["evidence"]["clock"] == "audio"
    assert made.only(made.rows({"turns": turns}), "slow_response")["evidence"]["clock"] == "transcript"


def test_runs_closer_than_the_merge_gap_are_one(made):
    segments = [("caller", 0.0, 1.0), ("caller", 1.199, 2.0), ("caller", 2.2, 3.0), ("agent", 3.1, 4.0)]
    row = made.only(made.rows({"segments": segments, "health": ELIGIBLE}), "talked_over_caller")
    assert row["observed"]["caller_stretches"] == 2


def test_silence_needs_no_roles_but_a_response_does(made):
    call = {"turn_clock": "none", "segments": [("mixed", 0.0, 1.0), ("mixed", 9.0, 10.0)], "health": ELIGIBLE}
    rows = made.rows(call)
    assert made.only(rows, "dead_air")["observed"] == {"silence_s": 8.0}
    assert made.only(rows, "slow_response")["status"] == "INCONCLUSIVE"


@pytest.mark.parametrize("health", [UNSCORABLE, CAUTION])
def test_a_recording_that_carries_no_verdict_leaves_the_turn_clock(made, health):
    call = {"turns": [made.turn("caller", 0.0, 1.0), made.turn("agent", 1.2, 2.0)], "health": health}
    call["segments"] = [("caller", 0.0, 1.0), ("agent", 9.0, 10.0)]
    row = made.only(made.rows(call), "slow_response")
    assert (row["status"], row["evidence"]["clock"]) == ("PASS", "transcript")


def test_a_recording_that_carries_no_verdict_is_not_scorable_for_its_reason_with_and_without_turns(made):
    rows = made.rows(
        {"id": "a", "turn_clock": "none", "turns": [made.turn("caller")], "health": UNSCORABLE},
        {"id": "b", "turn_clock": "none", "turns": [made.turn("caller")], "health": CAUTION},
        {"id": "c", "turn_clock": "none", "health": CAUTION},
        {"id": "d", "turn_clock": "none", "turns": [made.turn("caller")]},
        measured=True,
    )
    for assertion in TIMING:
        found = made.results(rows, assertion)
        assert [row["status"] for row in found] == ["NOT_SCORABLE"] * 3 + ["INCONCLUSIVE"]
        reasons = ["one channel is empty", "echo", "echo"]
        assert [row["message"] for row in found[:3]] == [
            f"The recording carries no verdict on timing: {reason}." for reason in reasons
        ]


def test_an_answer_that_starts_just_before_the_caller_ends_took_no_time(made):
    turns = [made.turn("caller", 0.0, 2.0), made.turn("agent", 1.96, 4.0), made.turn("agent", 7.0, 8.0)]
    row = made.only(made.rows({"turns": turns}), "slow_response")
    assert (row["status"], row["observed"]) == ("PASS", {"responses": 1, "longest_gap_s": 0.0})
    turns[1] = made.turn("agent", 1.94, 4.0)
    assert statuses(made, {"turns": turns}, "slow_response") == ["SKIPPED"]
