"""One word for a pair, and what two groups allow to be said."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hotato.compare import classify_pair
from hypothesis import given
from hypothesis import strategies as st

from workbench.timing.contracts.battery import Battery, compare_groups
from workbench.timing.contracts.comparing import RESULTS, changes, result_of, word_for
from workbench.timing.contracts.freshness import Freshness
from workbench.timing.contracts.gate import evaluate, policy_of, withheld
from workbench.timing.contracts.levels import CLAIMS, Level, level_of
from workbench.timing.contracts.pairing import Case
from workbench.timing.contracts.rulers import compare_rulers

YIELDS = {"status": "PASS", "expect": "yield", "did_yield": True}
HOLDS = {"status": "PASS", "expect": "hold", "did_yield": False}


def event(base: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A scored event; without a time the agent never stopped and was heard for 3 s."""
    row: dict[str, Any] = {"time_to_yield_s": 0.3, "talk_over_s": 0.3, "response_gap_s": 1.0, "premature_start_s": 0.0}
    if not {**base, **more}["did_yield"]:
        row["time_to_yield_s"] = None
    row |= base | more
    row = {"response_observed_s": row["response_gap_s"], "response_censored": row["response_gap_s"] is None} | row
    return row | {"yield_observed_s": 3.0 if row["time_to_yield_s"] is None else row["time_to_yield_s"]}


slow = event(YIELDS, status="FAIL", time_to_yield_s=2.0, talk_over_s=2.0)
stuck = event(YIELDS, status="FAIL", did_yield=False, talk_over_s=3.0)
prompt = event(YIELDS)
held = event(HOLDS, talk_over_s=0.2)
gave_way = event(HOLDS, status="FAIL", did_yield=True, time_to_yield_s=0.2, talk_over_s=0.2)
unheard = event(YIELDS, status="NOT_SCORABLE")


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (slow, prompt, "fixed"),
        (prompt, slow, "regressed"),
        (prompt, event(YIELDS, talk_over_s=0.9), "still_pass"),
        (stuck, slow, "improved"),
        (slow, stuck, "worse"),
        (slow, event(YIELDS, status="FAIL", time_to_yield_s=1.5, talk_over_s=1.5), "improved"),
        (slow, slow, "unchanged"),
        (gave_way, gave_way, "unchanged"),
        (held, gave_way, "regressed"),
        (unheard, prompt, "not_scorable"),
        (prompt, unheard, "not_scorable"),
    ],
)
def test_the_word_for_a_pair(before: dict[str, Any], after: dict[str, Any], word: str) -> None:
    assert result_of(before, after) == word


@pytest.mark.parametrize(
    ("state", "word"),
    [("same_pcm", "same_recording"), ("same_envelope", "same_recording"), ("unknown", "unknown_recording")],
)
def test_no_word_for_a_change_where_the_sound_is_not_another(state: str, word: str) -> None:
    sides = (slow, prompt, stuck, held, gave_way)
    for before, after in product(sides, sides):
        assert word_for(before, after, Freshness(state=state)) == word
        assert word_for(before, after, Freshness(state="different")) == result_of(before, after)
        assert word_for(unheard, after, Freshness(state=state)) == "not_scorable"


def test_two_rulers_have_words_of_their_own() -> None:
    pairs = {"a": (slow, prompt), "b": (prompt, slow), "c": (held, held), "d": (slow, stuck), "e": (prompt, unheard)}
    sides = [[Case(key=key, event=pair[ix]) for key, pair in pairs.items()] for ix in (0, 1)]
    found = compare_rulers(*sides)
    words = ["became_pass", "became_fail", "still_pass", "still_fail", "not_scorable"]
    assert [pair.result for pair in found.pairs] == words
    assert found.counts == dict.fromkeys(words, 1)
    assert found.pooled_after["talk_over_s"].events == 4


times = st.none() | st.integers(0, 300).map(lambda n: n / 100)


@given(
    st.booleans(),
    st.tuples(times, times),
    st.tuples(st.booleans(), st.booleans()),
    st.tuples(*[st.integers(0, 300)] * 2),
)
def test_the_word_is_that_of_the_peer(expect_yield: bool, yields: Any, passed: Any, over: Any) -> None:
    """hotato 1.20 on the same numbers."""
    ours, theirs = [], []
    for took, ok, talk in zip(yields, passed, over, strict=True):
        verdict = {"passed": ok, "did_yield": took is not None, "seconds_to_yield": took, "talk_over_sec": talk / 100}
        theirs.append({"verdict": verdict, "expected_yield": expect_yield})
        base = {"status": "PASS" if ok else "FAIL", "expect": "yield" if expect_yield else "hold"}
        ours.append(event({**base, "did_yield": took is not None}, time_to_yield_s=took, talk_over_s=talk / 100))
    found = result_of(*ours)
    assert found in RESULTS
    assert found == classify_pair(expect_yield, *theirs)


def test_changes_are_signed_and_nothing_is_made_up() -> None:
    """2.65 to 0.42 s of talk-over is -2.23 s; an agent that never stopped has no time to differ from."""
    before, after = event(YIELDS, status="FAIL", did_yield=False, talk_over_s=2.65), event(YIELDS, talk_over_s=0.42)
    assert changes(before, after) == {
        "time_to_yield_s": None,
        "talk_over_s": -2.23,
        "response_gap_s": 0.0,
        "premature_start_s": 0.0,
    }


def grouped(*pairs: tuple[dict[str, Any], dict[str, Any]], state: str = "different", **more: Any) -> Battery:
    before = [Case(key=f"k{ix}", event=one) for ix, (one, _) in enumerate(pairs)]
    after = [Case(key=f"k{ix}", event=two) for ix, (_, two) in enumerate(pairs)]
    return compare_groups(before, after, fresh=lambda _one, _two: Freshness(state=state), **more)


better = [(slow, prompt)] * 3 + [(held, held)] * 2


def test_both_axes_with_their_counts_and_a_claim() -> None:
    """Wilson of 3 of 3 by hand: 3 / (3 + 1.96^2) = 0.4385."""
    found = grouped(*better)
    assert (found.regression_axis.count, found.regression_axis.of) == (3, 3)
    assert found.regression_axis.interval is not None
    assert found.regression_axis.interval.low == pytest.approx(0.4385, abs=1e-4)
    assert (found.hold_axis.count, found.hold_axis.of) == (2, 2)
    assert found.p_exact == 0.25
    assert found.claim == "3 of 3 that failed pass now, and 2 of 2 that passed still do"
    assert found.evidence_level == Level.OPPOSITE_RISK


def test_pooled_measures_keep_the_censored() -> None:
    """By hand: 2.0, 2.0 and 3.0 s heard for the one that never stopped; p95 at position 1.9 is 2.9 s."""
    found = grouped((slow, prompt), (slow, prompt), (stuck, prompt), (held, held))
    before = found.pooled_before["time_to_yield_s"]
    assert (before.events, before.censored, before.median, before.p95) == (3, 1, 2.0, 2.9)
    assert found.pooled_after["talk_over_s"].events == 4
    silent = event(HOLDS, response_gap_s=None, response_observed_s=4.0)
    gaps = grouped((silent, silent), (prompt, prompt), (slow, slow)).pooled_after["response_gap_s"]
    assert (gaps.events, gaps.censored, gaps.median, gaps.p95) == (3, 1, 1.0, 3.7)  # 1, 1 and 4 s; position 1.9
    empty = grouped().pooled_before["talk_over_s"]
    assert (empty.events, empty.median) == (0, None)


@pytest.mark.parametrize(
    ("pairs", "state", "why"),
    [
        (better[1:], "different", "2 moments failed before, fewer than 3"),
        ([*better, (held, gave_way)], "different", "1 that passed fail now"),
        ([*better, (prompt, unheard)], "different", "1 pair with a side without a verdict"),
        (better, "same_envelope", "0 moments of two takes failed before, fewer than 3"),
        (better, "same_envelope", "5 of 5 pairs not known to be different recordings (same_envelope)"),
        (better, "unknown", "5 of 5 pairs not known to be different recordings (unknown)"),
        ([(slow, slow)] * 3, "different", "nothing was fixed"),
        ([], "different", "no moment is in both groups"),
    ],
)
def test_no_claim_without_its_evidence(pairs: list[Any], state: str, why: str) -> None:
    found = grouped(*pairs, state=state)
    assert found.claim is None
    assert why in found.withheld


def test_what_has_no_partner_or_two_is_left_out_and_counted() -> None:
    before = [Case(key=key, event=slow) for key in ("a", "a", "b", "c", None)]
    after = [Case(key=key, event=prompt) for key in ("a", "b", "d", "d", None)]
    found = compare_groups(before, after, fresh=lambda _one, _two: Freshness(state="different"))
    assert [pair.key for pair in found.pairs] == ["b"]
    assert (found.unpaired_before, found.unpaired_after, found.ambiguous) == (2, 1, 5)
    assert found.missing == ["c"]


def test_a_failed_moment_without_a_verdict_later_was_not_fixed() -> None:
    found = grouped((slow, prompt), (slow, unheard))
    assert (found.regression_axis.count, found.regression_axis.of) == (1, 2)


def test_copies_are_outside_both_axes_and_what_is_pooled() -> None:
    """Three copies and three takes: only the takes are counted."""
    states = iter(["same_pcm", "same_envelope", "unknown", "different", "different", "different"])
    pairs = [(slow, prompt), (held, held), (prompt, slow), (slow, prompt), (held, held), (slow, slow)]
    groups = [[Case(key=f"k{ix}", event=pair[side]) for ix, pair in enumerate(pairs)] for side in (0, 1)]
    found = compare_groups(*groups, fresh=lambda _one, _two: Freshness(state=next(states)))
    assert {word: count for word, count in found.counts.items() if count} == {
        "same_recording": 2,
        "unknown_recording": 1,
        "fixed": 1,
        "still_pass": 1,
        "unchanged": 1,
    }
    assert [(axis.count, axis.of) for axis in (found.regression_axis, found.hold_axis)] == [(1, 2), (1, 1)]
    assert found.pooled_before["talk_over_s"].events == 3
    assert (found.claim, found.evidence_level) == (None, Level.REVERIFIED)


POLICY = {
    "target": {"improve": {"talk_over_s_p95": -0.5, "failed_count": "decrease"}},
    "guardrails": {"max_new_false_yields": 0, "max_not_scorable": 0, "require_hold_fixture": True},
}


def broken(found: Battery, policy: dict[str, Any] | None = None) -> list[str]:
    return [rule.name for rule in evaluate(policy_of(policy or POLICY, where=""), found.pairs) if not rule.holds]


def test_an_agent_that_yields_to_everything_fails_the_policy() -> None:
    """It meets both targets and cuts the talk-over, and the guardrail stops it."""
    bandaid = grouped((slow, prompt), (slow, prompt), (slow, prompt), (held, gave_way))
    assert broken(bandaid) == ["max_new_false_yields"]
    assert broken(grouped(*better)) == []


@pytest.mark.parametrize(
    ("pairs", "names"),
    [
        ([(slow, prompt)], ["require_hold_fixture"]),
        ([*better, (prompt, unheard)], ["max_not_scorable"]),
        ([(slow, slow), (held, held)], ["talk_over_s_p95", "failed_count"]),
    ],
)
def test_each_rule_is_broken_alone(pairs: list[Any], names: list[str]) -> None:
    assert broken(grouped(*pairs)) == names


@pytest.mark.parametrize(
    ("word", "after", "holds"),
    [
        ("decrease", 1.0, True),
        ("decrease", 2.0, False),
        ("no_worse", 2.0, True),
        ("no_worse", 2.1, False),
        ("no_better", 2.0, True),
        ("no_better", 1.9, False),
        ("unchanged", 2.0, True),
        ("unchanged", 2.1, False),
        ("increase", 2.1, True),
        ("increase", 2.0, False),
        (-0.5, 1.5, True),
        (-0.5, 1.51, False),
        (0.1, 2.1, True),
    ],
)
def test_targets_mean_what_they_say(word: float | str, after: float, holds: bool) -> None:
    found = grouped((slow, event(YIELDS, status="FAIL", time_to_yield_s=after, talk_over_s=after)))
    for metric in ("time_to_yield_s_p95", "talk_over_s_p95"):
        assert (broken(found, {"target": {"improve": {metric: word}}}) == []) is holds


@pytest.mark.parametrize("state", ["same_pcm", "same_envelope", "unknown"])
def test_a_policy_is_withheld_and_never_met_by_one_copy(state: str) -> None:
    states = iter([state, *["different"] * 4])
    groups = [[Case(key=f"k{ix}", event=pair[side]) for ix, pair in enumerate(better)] for side in (0, 1)]
    found = compare_groups(*groups, fresh=lambda _one, _two: Freshness(state=next(states)))
    rules = evaluate(policy_of(POLICY, where=""), found.pairs)
    assert {rule.holds for rule in rules} == {None}
    assert withheld(found.pairs) == f"1 of 5 pairs not known to be different recordings ({state})"


def test_a_policy_is_withheld_where_nothing_has_two_verdicts() -> None:
    found = grouped((unheard, prompt))
    assert withheld(found.pairs) == "no pair has a verdict on both sides"
    assert withheld(grouped(*better, (unheard, prompt)).pairs) is None


def test_a_policy_is_not_met_by_the_loss_of_a_moment() -> None:
    """One fails before and two after; where the second of them left, or is there twice, one is left and fails."""
    before = [Case(key=key, event=one) for key, one in (("a", slow), ("b", prompt), ("e", unheard), (None, slow))]
    policy = policy_of({"target": {"improve": {"failed_count": "no_worse"}}}, where="")

    def held_to(*after: tuple[str, dict[str, Any]]) -> tuple[bool | None, str | None]:
        cases = [Case(key=key, event=one) for key, one in after]
        found = compare_groups(before, cases, fresh=lambda _one, _two: Freshness(state="different"))
        (rule,) = evaluate(policy, found.pairs, missing=found.missing)
        return rule.holds, withheld(found.pairs, missing=found.missing)

    assert held_to(("a", slow), ("b", slow)) == (False, None)
    why = "1 moment with a verdict before has no partner after: b"
    assert held_to(("a", slow)) == (None, why)
    assert held_to(("a", slow), ("b", slow), ("b", prompt)) == (None, why)
    assert held_to(("a", slow), ("b", prompt)) == (True, None)  # one without a verdict or a name is none of them


def test_an_agent_that_stops_no_more_does_not_get_faster() -> None:
    """Dropping the one that never stopped would leave 0.3 s: faster. It was heard for 3 s."""
    found = grouped((prompt, prompt), (slow, stuck))
    assert broken(found, {"target": {"improve": {"time_to_yield_s_p95": "no_worse"}}}) == ["time_to_yield_s_p95"]


def test_nothing_measured_meets_no_target() -> None:
    assert broken(grouped((held, held)), {"target": {"improve": {"time_to_yield_s_p95": "no_worse"}}})


def test_levels_follow_the_weakest_pair() -> None:
    both = {"yield", "hold"}
    assert level_of([], expectations=both) == Level.REVERIFIED
    assert level_of(["different", "same_pcm"], expectations=both, deployed=True) == Level.REVERIFIED
    assert level_of(["different"], expectations={"yield"}, deployed=True) == Level.FRESH_TAKE
    assert level_of(["different"], expectations=both) == Level.OPPOSITE_RISK
    assert level_of(["different"], expectations=both, deployed=True) == Level.POST_DEPLOY
    assert set(CLAIMS) == set(Level)
    assert len({claim.sentence for claim in CLAIMS.values()}) == len(Level)
