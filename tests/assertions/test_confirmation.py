import pytest


def refund(made, said, *, tool=None, answer=True, **call):
    turns = [made.turn("caller", 0.0, 1.0, "a refund please"), made.turn("agent", 1.5, 3.0, said)]
    turns += [made.turn("caller", 3.5, 4.0, "yes" if answer is True else answer)] if answer else []
    turns += [made.turn("agent", 4.5, 6.0, "Done.")]
    action = {"name": "refund", "turn_ix": len(turns) - 1, "arguments": {"amount": 15}, **(tool or {})}
    return made.rows({"turns": turns, "tool_calls": [action], **call})


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Just to confirm, fifteen dollars?", "PASS"),
        ("JUST TO CONFIRM fifteen", "PASS"),
        ("So you’d like fifteen back?", "PASS"),
        ("Shall I do that?", "PASS"),
        ("That is fifteen, correct?", "PASS"),
        ("That is correct.", "FAIL"),
        ("We are a confirmed dealer.", "FAIL"),
        ("Marshall I will refund.", "FAIL"),
        ("I can't confirm that.", "FAIL"),
        ("I can’t yet fully confirm that.", "FAIL"),
        ("I am unable to confirm it, but shall I go ahead?", "PASS"),
        ("I cannot see it. Should I refund fifteen?", "PASS"),
        ("Refunding now.", "FAIL"),
    ],
)
def test_what_counts_as_asking(made, said, status):
    assert made.only(refund(made, said), "no_confirmation")["status"] == status


@pytest.mark.parametrize(
    ("language", "said", "status"),
    [
        ("da-DK", "Skal jeg refundere femten kroner?", "PASS"),
        ("da", "Jeg kan ikke bekræfte det.", "FAIL"),
        ("de", "Soll ich das machen?", "PASS"),
        ("de-AT", "Ich kann das nicht bestätigen.", "FAIL"),
        ("en", "Soll ich das machen?", "FAIL"),
        (None, "Soll ich das machen?", "PASS"),
        ("sv", "Ska jag göra det?", "INCONCLUSIVE"),
    ],
)
def test_phrases_belong_to_the_language_of_the_call(made, language, said, status):
    assert made.only(refund(made, said, language=language), "no_confirmation")["status"] == status


@pytest.mark.parametrize(
    ("said", "answer", "names", "answered"),
    [
        ("Just to confirm, fifteen dollars?", "yes", True, 2),
        ("Just to confirm, fifty dollars?", "yes", False, 2),
    ],
)
def test_whether_the_value_was_named_and_the_answer_are_recorded(made, said, answer, names, answered):
    row = made.only(refund(made, said, answer=answer), "no_confirmation")
    assert row["status"] == "PASS"
    (action,) = row["evidence"]["actions"]
    assert (action["names_value"], action["answered_by"], action["confirmed_by"]) == (names, answered, 1)


def test_an_action_without_numbers_has_no_value_to_name(made):
    row = made.only(refund(made, "Shall I?", tool={"arguments": {"order": "abc"}}), "no_confirmation")
    assert row["evidence"]["actions"][0]["names_value"] is None


def test_a_confirmation_in_the_turn_of_the_action_is_not_earlier(made):
    rows = made.rows(
        {
            "turns": [made.turn("agent", 0.0, 1.0, "Just to confirm, I refunded it.")],
            "tool_calls": [{"name": "refund", "turn_ix": 0}],
        }
    )
    row = made.only(rows, "no_confirmation")
    assert (row["status"], row["turn_ix"], row["start_s"]) == ("FAIL", 0, 0.0)
    assert row["evidence"]["tool_calls"] == [0]


@pytest.mark.parametrize(
    ("tool", "status"),
    [
        ({"consequential": False}, "SKIPPED"),
        ({"consequential": None}, "INCONCLUSIVE"),
        ({"turn_ix": None}, "INCONCLUSIVE"),
        ({"turn_ix": None, "start_s": 4.5}, "PASS"),
        ({"turn_ix": None, "start_s": 1.0}, "FAIL"),
    ],
)
def test_marks_and_order_of_the_action(made, tool, status):
    assert made.only(refund(made, "Shall I?", tool=tool), "no_confirmation")["status"] == status


def test_an_action_out_of_order_fails_where_no_turn_at_all_confirms(made):
    assert made.only(refund(made, "Done.", tool={"turn_ix": None}), "no_confirmation")["status"] == "FAIL"


def test_an_earlier_agent_turn_without_text_could_have_asked(made):
    assert made.only(refund(made, None), "no_confirmation")["status"] == "INCONCLUSIVE"


def test_no_tool_calls_supplied_differs_from_none_made(made):
    rows = made.rows({"id": "a", "turns": []}, {"id": "b", "turns": [], "tool_calls": []})
    never, none = made.results(rows, "no_confirmation")
    assert (never["status"], none["status"]) == ("INCONCLUSIVE", "SKIPPED")
    assert "tool calls" in never["message"]


def test_each_unconfirmed_action_is_a_finding(made):
    tools = [{"name": "refund", "turn_ix": 0}, {"name": "cancel", "turn_ix": 0}]
    found = made.results(
        made.rows({"turns": [made.turn("agent", 0.0, 1.0, "Done.")], "tool_calls": tools}), "no_confirmation"
    )
    assert [(row["result_ix"], row["observed"]["tool"]) for row in found] == [(0, "cancel"), (1, "refund")]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"amount": 15, "order_id": "W2890441"}, " (order_id W2890441)"),
        ({"note": "x", "reservation_id": "ZK3FFW", "id": 7}, " (id 7)"),
        ({"flag": True, "items": [1], "amount": 15.5}, " (amount 15.5)"),
        ({"reason": "a" * 60}, f" (reason {'a' * 39}…)"),
        ({"reason": "two\n lines"}, " (reason two lines)"),
        ({"orderId": "123e4567-e89b-12d3-a456-426614174000"}, " (orderId 123e4567-e89b-12d3-a456-426614174000)"),
        ({"card_number": "4111 1111 1111 1111", "day": "Tuesday"}, " (day Tuesday)"),
        ({"payment_id": "4111111111111111"}, ""),
        ({"last_four_of_card": "1111"}, ""),
        ({"card_type": "debit"}, " (card_type debit)"),
        ({"id": "sk-live-abcdefghijklmnop1234"}, ""),
        ({"api_key": "x", "pin": 1234, "password": "hunter2"}, ""),
        ({"token_id": "abc"}, ""),
        ({"ssn": "123-45-6789", "who": "123-45-6789"}, ""),
        ({}, ""),
        (None, ""),
        ("not an object", ""),
    ],
)
def test_the_message_names_the_action_and_nothing_secret(made, arguments, named):
    row = made.only(refund(made, "Done.", tool={"arguments": arguments}), "no_confirmation")
    assert row["message"] == f"No phrase that we know as asking to confirm was found before refund{named}."
    assert row["observed"]["argument"] == (named.strip(" ()") or None)


def test_two_actions_of_one_tool_can_be_told_apart(made):
    tools = [{"name": "cancel", "turn_ix": 0, "arguments": {"order_id": order}} for order in ("A1", "A2")]
    turns = [made.turn("agent", 0.0, 1.0, "Done.")]
    found = made.results(made.rows({"turns": turns, "tool_calls": tools}), "no_confirmation")
    assert len({row["message"] for row in found}) == 2


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (1, "Of 1 tool call it is not stated whether it is consequential."),
        (2, "Of 2 tool calls it is not stated whether they are consequential."),
    ],
)
def test_unmarked_tool_calls_are_counted_in_good_english(made, count, message):
    tools = [{"name": "refund", "turn_ix": 0, "consequential": None}] * count
    turns = [made.turn("agent", 0.0, 1.0, "Done.")]
    assert made.only(made.rows({"turns": turns, "tool_calls": tools}), "no_confirmation")["message"] == message
