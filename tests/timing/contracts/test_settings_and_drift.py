"""Settings files that are not quite right, and drift by hand."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import UsageError
from workbench.timing.contracts.drift import drifts, figures, tolerances_of
from workbench.timing.contracts.gate import policy_of
from workbench.timing.contracts.settings_file import settings

LETTERS = list(zip("abcdefghi", "bcdefghij", strict=True))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("empty.json", ""),
        ("empty.yaml", ""),
        ("none.json", "null"),
        ("nothing.json", "{}"),
        ("list.json", "[1]"),
        ("list.yaml", "- a\n- b\n"),
        ("numbers.yaml", "1: 2\n"),
        ("broken.json", '{"a": '),
        ("tab.yaml", "target:\n\timprove: 1\n"),
        ("deep.json", "[" * 100_000),
        ("deeper.json", '{"a": ' + "[" * 5000 + "]" * 5000 + "}"),
        ("deep.yaml", "a: " + "[" * 150 + "]" * 150),
        ("twice.json", '{"a": 1, "a": 2}'),
        ("huge.json", '{"a": ' + "9" * 400 + "}"),
        ("huge.yaml", "a: " + "9" * 400),
        ("laughs.yaml", "a: &a [1,1]\n" + "".join(f"{y}: &{y} [{','.join(['*' + x] * 9)}]\n" for x, y in LETTERS)),
        ("itself.yaml", "a: &a [*a]\n"),
        ("tag.yaml", "a: !!python/object/apply:os.system ['true']\n"),
    ],
)
def test_a_settings_file_that_is_none(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        settings(path)
    assert caught.value.hint


def test_a_settings_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        settings(tmp_path / "none.json")


def test_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "target:\n  improve:\n    failed_count: decrease\nguardrails:\n  max_not_scorable: 0\n"
    )
    (tmp_path / "a.json").write_text(
        '{"target":{"improve":{"failed_count":"decrease"}},"guardrails":{"max_not_scorable":0}}'
    )
    one, two = (policy_of(settings(tmp_path / f"a.{kind}"), where="") for kind in ("yaml", "json"))
    assert one == two


def test_without_its_reader_yaml_is_refused_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="YAML cannot be read here") as caught:
        settings(tmp_path / "a.yaml")
    assert "JSON" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "given",
    [
        {"tagret": {}},
        {"target": {"worsen": {}}},
        {"target": {"improve": {"accuracy": 1}}},
        {"guardrails": {"max_blunders": 0}},
        {"target": []},
        {"target": {"improve": [1]}},
        {"target": {"improve": {"failed_count": True}}},
        {"target": {"improve": {"failed_count": "lower"}}},
        {"target": {"improve": {"failed_count": None}}},
        {"target": {"improve": {"failed_count": float("nan")}}},
        {"target": {"improve": {"failed_count": 10**400}}},
        {"target": {"improve": {"failed_count": -(10**30)}}},
        {"target": {"improve": {"failed_count": ["decrease"]}}},
        {"guardrails": {"max_not_scorable": 10**400}},
        {"guardrails": {"max_not_scorable": True}},
        {"guardrails": {"max_not_scorable": 0.5}},
        {"guardrails": {"max_not_scorable": -1}},
        {"guardrails": {"require_hold_fixture": 1}},
        {"target": {}},
        {"target": {"improve": {}}, "guardrails": {}},
        {},
    ],
)
def test_a_policy_that_is_not_clear_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        policy_of(given, where="policy.json")


@pytest.mark.parametrize(
    "given",
    [
        {"speed": "+10%"},
        *(
            {"talk_over_s": bad}
            for bad in ("10%", "-5%", "+", "+x", 0.05, None, "+10 %", "+1e3", "+\u0663%", "+" + "9" * 400)
        ),
    ],
)
def test_a_tolerance_that_is_none_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        tolerances_of(given, where="t.json")


def event(status: str = "PASS", expect: str = "yield", **more: Any) -> dict[str, Any]:
    row = {
        "status": status,
        "expect": expect,
        "yield_observed_s": 0.4,
        "yield_censored": False,
        "talk_over_s": 0.2,
        "response_gap_s": 1.0,
        "response_observed_s": 1.0,
        "response_censored": False,
        "premature_start_s": 0.0,
    }
    return row | more


def unanswered(lasted_s: float) -> dict[str, Any]:
    return event(response_gap_s=None, response_observed_s=lasted_s, response_censored=True, premature_start_s=None)


def test_figures_by_hand() -> None:
    never = event("FAIL", yield_observed_s=3.0, yield_censored=True, talk_over_s=1.0)
    cut = unanswered(2.0)
    held = event("PASS", "hold", yield_observed_s=3.0, yield_censored=True)
    lost = event("NOT_SCORABLE", talk_over_s=99.0)
    found = figures([event(), never, cut, held, lost])
    assert {name: (f.value, f.events, f.censored) for name, f in found.items()} == {
        "time_to_yield_s": (1.266667, 3, 1),  # (0.4 + 3.0 + 0.4) / 3
        "talk_over_s": (0.4, 4, 0),  # (0.2 + 1.0 + 0.2 + 0.2) / 4
        "response_gap_s": (1.25, 4, 1),  # one of four is still unanswered from 1.0 to 2.0 s: 1.0 + 1.0 / 4
        "premature_start_s": (0.0, 3, 0),
    }
    assert (found["time_to_yield_s"].tau_s, found["response_gap_s"].tau_s, found["talk_over_s"].tau_s) == (3, 2, None)


def test_an_agent_that_stops_less_often_does_not_look_faster() -> None:
    """Dropping the censored event would give 0.4 s on both sides: no drift."""
    before = figures([event(), event()])
    now = figures([event(), event("FAIL", yield_observed_s=3.0, yield_censored=True)])
    (drift,) = drifts(before, now, tolerances={"time_to_yield_s": "+10%"})
    assert (drift.baseline, drift.now, drift.drifted) == (0.4, 1.7, True)


def test_an_agent_that_stops_answering_drifts() -> None:
    """Dropping the unanswered would give 0.75 s after 1.0 s: no drift. By hand, both up to 5 s: 1.0 s and 2.875 s."""
    before = figures([event(response_gap_s=gap, response_observed_s=gap) for gap in (0.5, 0.5, 1.5, 1.5)])
    now = figures([*(event(response_gap_s=0.75, response_observed_s=0.75) for _ in range(2)), *[unanswered(5.0)] * 2])
    (drift,) = drifts(before, now, tolerances={"response_gap_s": "+10%"})
    assert (drift.baseline, drift.now, drift.tau_s, drift.drifted) == (1.0, 2.875, 5.0, True)


def test_both_sides_of_a_check_end_at_one_time() -> None:
    """The calls of now end 2 s after the caller: of the answers of before, 1 s and 4 s, 2 s of the second count."""
    before = figures([event(response_gap_s=gap, response_observed_s=gap) for gap in (1.0, 4.0)])
    assert (before["response_gap_s"].value, before["response_gap_s"].tau_s) == (2.5, 4.0)
    (drift,) = drifts(before, figures([event(), unanswered(2.0)]), tolerances={"response_gap_s": "+0"})
    assert (drift.baseline, drift.now, drift.tau_s, drift.drifted) == (1.5, 1.5, 2.0, False)


def test_calls_that_end_before_any_answer_are_no_sign_that_nothing_drifted() -> None:
    before = figures([event()])
    with pytest.raises(UsageError, match=r"up to 0\.5 s no response_gap_s ended on either side"):
        drifts(before, figures([unanswered(0.5)]), tolerances={"response_gap_s": "+10%"})


@pytest.mark.parametrize(
    ("tolerance", "now", "drifted"),
    [("+10%", 0.22, False), ("+10%", 0.221, True), ("+0.05", 0.25, False), ("+0.05", 0.251, True), ("+0", 0.1, False)],
)
def test_drift_is_a_rise_beyond_the_tolerance(tolerance: str, now: float, drifted: bool) -> None:
    before = figures([event(talk_over_s=0.2)])
    (drift,) = drifts(before, figures([event(talk_over_s=now)]), tolerances={"talk_over_s": tolerance})
    assert drift.drifted is drifted


def test_a_dimension_that_was_not_measured_is_refused() -> None:
    now = figures([event(response_gap_s=None, response_observed_s=None, response_censored=None)])
    with pytest.raises(UsageError, match="nowhere in the archive"):
        drifts(figures([event()]), now, tolerances={"response_gap_s": "+10%"})
    with pytest.raises(UsageError, match="nowhere in the baseline"):
        drifts(figures([event(talk_over_s=None)]), now, tolerances={"talk_over_s": "+10%"})
