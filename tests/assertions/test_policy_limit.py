import pytest


def status(made, policy, *tools, **call):
    rows = made.rows({"policy": policy, "turns": [], "tool_calls": list(tools), **call})
    return made.only(rows, "policy_limit")


def refund(arguments, **more):
    return {"name": "refund", "arguments": arguments, **more}


@pytest.mark.parametrize(
    ("amount", "wanted"),
    [
        (50, "PASS"),
        (50.01, "FAIL"),
        ("75", "FAIL"),
        ("$49.99", "PASS"),
        ("seventy-five", "FAIL"),
        ("1,500", "FAIL"),
        ("15 or 50", "INCONCLUSIVE"),
        ("a lot", "INCONCLUSIVE"),
        (True, "INCONCLUSIVE"),
        (None, "INCONCLUSIVE"),
        ([75], "INCONCLUSIVE"),
    ],
)
def test_amounts_in_every_shape(made, amount, wanted):
    assert status(made, {"max_refund": 50}, refund({"amount": amount}))["status"] == wanted


@pytest.mark.parametrize("arguments", [None, "null", "[]", '"x"', "not json"])
def test_arguments_that_hold_no_amount_do_not_crash(made, arguments):
    assert status(made, {"max_refund": 50}, refund(arguments))["status"] == "INCONCLUSIVE"


def test_the_finding_names_tool_value_and_limit(made):
    row = status(made, {"max_refund": 50}, refund({"amount": "75"}))
    assert row["observed"] == {"tool": "refund", "path": "amount", "value": "75"}
    assert row["expected"] == {"operator": "<=", "limit": "50"}
    assert (row["severity"], row["evidence"]["tool_calls"]) == ("high", [0])


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"limits": rows}])
@pytest.mark.parametrize(
    ("operator", "wanted"), [("<=", "PASS"), ("<", "FAIL"), (">=", "PASS"), (">", "FAIL"), ("==", "PASS")]
)
def test_policy_rows_with_paths_and_operators(made, wrap, operator, wanted):
    policy = wrap([{"tool": "order", "path": "items.0.price", "operator": operator, "limit": 20}])
    tool = {"name": "order", "arguments": {"items": [{"price": 20}]}}
    assert status(made, policy, tool)["status"] == wanted


@pytest.mark.parametrize(
    "policy",
    [
        {"max_refund": "whatever the manager says"},
        [{"tool": "refund", "path": "amount", "operator": "about", "limit": 5}],
        [{"tool": "refund", "limit": 5}],
        [5],
    ],
)
def test_a_limit_that_cannot_be_read_is_not_a_pass(made, policy):
    assert status(made, policy, refund({"amount": 1}))["status"] == "INCONCLUSIVE"


@pytest.mark.parametrize("policy", [None, {}, {"tone": "friendly"}, {"max_": 5}, "text", 7])
def test_no_limit_is_skipped(made, policy):
    policy = policy if policy is None or isinstance(policy, dict) else str(policy)
    row = status(made, policy, refund({"amount": 1}))
    assert (row["status"], row["severity"], row["failure_code"]) == ("SKIPPED", None, None)


def test_a_limit_with_no_call_to_its_tool_is_skipped_and_without_tool_calls_inconclusive(made):
    rows = made.rows(
        {"id": "a", "policy": {"max_refund": 50}, "tool_calls": []}, {"id": "b", "policy": {"max_refund": 50}}
    )
    assert [row["status"] for row in made.results(rows, "policy_limit")] == ["SKIPPED", "INCONCLUSIVE"]


def test_a_failure_outweighs_an_unreadable_argument(made):
    row = status(made, {"max_refund": 50}, refund({"amount": "?"}), refund({"amount": 60}))
    assert row["status"] == "FAIL"


def test_two_checks_of_one_action_are_not_one_stretch_of_silence(made):
    turns = [made.turn("agent", 0.0, 2.0, "Refunded.")]
    rows = made.rows({"policy": {"max_refund": 50}, "turns": turns, "tool_calls": [refund({"amount": 60}, turn_ix=0)]})
    limit, asked = made.only(rows, "policy_limit"), made.only(rows, "no_confirmation")
    assert (limit["start_s"], limit["end_s"]) == (asked["start_s"], asked["end_s"]) == (0.0, 2.0)
    assert "shares_stretch_with" not in limit["evidence"]


def test_a_clock_of_the_tool_call_is_not_mixed_with_its_turns(made):
    turns = [made.turn("agent", 0.0, 2.0, "Refunded.")]
    tool = refund({"amount": 60}, turn_ix=0, start_s=2.5)
    rows = made.rows({"policy": {"max_refund": 50}, "turns": turns, "tool_calls": [tool]})
    for assertion in ("policy_limit", "no_confirmation"):
        row = made.only(rows, assertion)
        assert (row["start_s"], row["end_s"]) == (2.5, None)
