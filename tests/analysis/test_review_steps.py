"""What a reviewing page remembers, step by step."""

from __future__ import annotations

from workbench.analysis.no_verdict import no_verdict
from workbench.analysis.review import ASKED, Judgement
from workbench.analysis.review_page import Page, facts, outcome

MOMENT = {"call_id": "c\u202e1", "recording_id": "r", "moment_ix": 3, "onset_s": 12.0, "kind": ASKED}
MOMENT |= {"magnitude_s": 1.5, "agent_quiet_s": None, "severity": "critical", "place": 1, "put_off": False}
MOMENT |= {"judgeable": True, "reason": None}
GIVEN = Judgement("c1", "0-a", {"status": "FAIL", "reason": "did_not_yield"})


def test_answers_are_taken_back_and_refusals_change_nothing_else() -> None:
    page = Page().answered(MOMENT, "yield", GIVEN)
    assert (
        page.said
        == "c⟨U+202E⟩1 at 12.00 s: yield. Scored FAIL (did_not_yield). The agent did not stop within the search."
    )
    assert page.given == (GIVEN,)
    refused = page.refuse("no")
    assert (refused.given, refused.said, refused.refused) == ((GIVEN,), "no", True)
    back = refused.taken_back(GIVEN)
    assert (back.given, back.said, back.refused) == ((), "Taken back: label 0-a.", False)
    assert back.taken_back(Judgement("c9", "0-z", None)).given == ()


def test_what_is_put_off_is_remembered_by_its_key() -> None:
    page = Page().later(MOMENT).told("done")
    assert page.put_off == {("c\u202e1", "r", 3)}
    assert page.said == "done"


def test_a_score_that_is_missing_is_said() -> None:
    assert outcome(MOMENT, "hold", Judgement("c1", "l", None)).endswith("hold. Not scored yet.")
    passed = Judgement("c1", "l", {"status": "PASS", "reason": None})
    assert outcome(MOMENT, "hold", passed).endswith("hold. Scored PASS. The agent did not stop within the search.")


def test_a_search_that_the_recording_cut_short_is_not_told_as_done() -> None:
    cut = MOMENT | {"judgeable": False, "reason": "recording_ended"}
    for status, reason in (("INCONCLUSIVE", "recording_ended"), ("FAIL", "did_not_yield")):
        said = outcome(cut, "yield", Judgement("c1", "l", {"status": status, "reason": reason}))
        assert f"Scored {status} ({reason}). The agent did not stop before the recording ended" in said
    assert dict(facts(cut, measured=True))["the agent"].startswith("did not stop before the recording ended")
    other = MOMENT | {"judgeable": False, "reason": "possible_swap"}  # how far was looked is not known
    assert dict(facts(other, measured=True))["the agent"] == "was not seen to stop"
    assert dict(facts(cut | {"agent_quiet_s": 1.0}, measured=True))["the agent"] == "stopped after 1.00 s"


def test_why_there_is_no_verdict_is_said_in_words() -> None:
    cut = "the recording ends before the search for a stop with a caller near does, and that decides nothing"
    assert no_verdict("recording_ended") == f"{cut} without a bound"
    assert no_verdict("agent_silent_at_onset") == "the agent is silent at its onset"
    assert no_verdict("no two channels of audio") == "no two channels of audio"
    assert no_verdict("possible_swap") != "possible_swap"


def test_facts_say_what_was_not_found() -> None:
    told = dict(facts(MOMENT, measured=True))
    assert told["the agent"] == "did not stop within the search"
    assert told["how long"] == "1.50 s"
    stopped = MOMENT | {"yield_after_s": 1.16, "agent_quiet_s": 1.01}  # the score has no hangover in it either
    assert dict(facts(stopped, measured=True))["the agent"] == "stopped after 1.01 s"
    assert "the agent" not in dict(facts(MOMENT | {"kind": "silence", "magnitude_s": None}, measured=True))
    assert dict(facts(MOMENT | {"put_off": True}, measured=False))["place in the queue"] == "1, put off"


def test_what_was_measured_does_not_steer_who_has_not_answered() -> None:
    told = dict(facts(MOMENT, measured=False))
    assert list(told) == ["call", "at", "what", "place in the queue"]
    other = dict(facts(MOMENT | {"kind": "long_response_gap"}, measured=False))  # nothing is asked of it
    assert (other["how long"], other["severity"]) == ("1.50 s", "critical")
