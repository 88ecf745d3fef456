"""What asks a caller's leave, what the caller answers, and which action the two belong to."""

import pytest

ASKED = [
    "Would you like me to proceed with issuing a $50 certificate for this reservation?",
    "Do you want me to refund 14 dollars?",
    "Do I have your okay to refund 14 dollars now?",
    "Do I have your okay to charge that one hundred fifteen dollars and rebook you now?",
    "Is it okay if I refund 14 dollars?",
    "May I refund 14 dollars?",
    "14 dollars, right?",
    "Would you like to proceed with canceling the reservation NQNU5R?",
    "Shall we book it?",
    "Are you sure you want to cancel?",
    "Please confirm if everything is correct, and I'll proceed with the booking.",
    "Can you confirm the refund of 14 dollars?",
    "I will cancel it. Is that correct?",
    "Would you like to use your credit card to cover the cost of the upgrade?",
    "To confirm, your refund is 14 dollars.",
]
INTAKE = [
    "Please confirm the payment method(s) you'd like to use from your profile.",
    "Please let me know which reservation(s) you would like to cancel, and I'll proceed.",
    "Could you please confirm your user ID?",
    "Can you confirm the name on the booking?",
    "Please confirm which reservation you would like to cancel.",
    "Which of these would you like me to book?",
    "Which payment method from your profile would you like to use?",
    "May I have your name, please?",
    "How may I help you today?",
    "Would you like me to search for other flights, or would you like to speak with an agent?",
    "Let me know how you'd like to proceed.",
    "I can confirm that your refund is on its way.",
]
OTHER = [
    ("da", "Er det okay, hvis jeg refunderer 14 kroner?", "nej tak", "ja tak"),
    ("da", "Vil du have, at jeg annullerer den?", "nej, vent", "gør det bare"),
    ("de", "Möchten Sie, dass ich den Betrag erstatte?", "Nein, danke", "Ja, bitte"),
    ("de", "Habe ich Ihre Zustimmung?", "Äh, noch nicht", "Sicher"),
    ("es", "¿Quiere que le devuelva 14 dólares?", "No, espere", "Sí, adelante"),
    ("es", "Son 14 dólares, ¿correcto?", "Todavía no", "Correcto"),
    ("fr", "Souhaitez-vous que je rembourse 14 euros ?", "Euh, non", "Oui, allez-y"),
    ("fr", "Ai-je votre accord pour annuler ?", "Attendez", "Oui"),
    ("nl", "Zal ik 14 euro terugbetalen?", "Nee, wacht", "Ja graag"),
    ("nl", "Heb ik uw toestemming?", "Eh, nog niet", "Ja hoor"),
]
NOT_ASKED = [
    ("da", "Må jeg få dit telefonnummer?"),
    ("de", "Darf ich fragen, wie Sie heißen?"),
    ("es", "¿Puedo ayudarle en algo?"),
    ("fr", "Puis-je avoir votre numéro ?"),
    ("nl", "Mag ik uw naam?"),
]


def call(made, *turns, actions=((3, "refund"),), **more):
    """A call of alternating turns, the caller's first; actions are given as (turn, tool)."""
    roles = ("caller", "agent")
    spoken = [made.turn(roles[ix % 2], ix * 2.0, ix * 2.0 + 1.0, text) for ix, text in enumerate(turns)]
    tools = [{"turn_ix": ix, "name": name} for ix, name in actions]
    return made.rows({"turns": spoken, "tool_calls": tools, **more})


def failed(made, rows):
    """Tools of the findings."""
    found = made.results(rows, "no_confirmation")
    return [row["observed"]["tool"] for row in found if row["status"] == "FAIL"]


@pytest.mark.parametrize("said", ASKED)
@pytest.mark.parametrize("language", ["en-US", None])
def test_asking_leave_is_asking(made, said, language):
    rows = call(made, "a refund please", said, "Yes, please proceed", "Done.", language=language)
    assert made.only(rows, "no_confirmation")["status"] == "PASS"


@pytest.mark.parametrize("said", INTAKE)
@pytest.mark.parametrize("language", ["en-US", None])
def test_asking_for_names_choices_and_numbers_is_not(made, said, language):
    rows = call(made, "a refund please", said, "Yes, please", "Done.", language=language)
    assert made.only(rows, "no_confirmation")["status"] == "FAIL"


@pytest.mark.parametrize(("language", "said", "no", "yes"), OTHER)
def test_other_languages_ask_and_refuse(made, language, said, no, yes):
    for answer, status in ((yes, "PASS"), (no, "FAIL")):
        rows = call(made, "…", said, answer, "…", language=language)
        assert made.only(rows, "no_confirmation")["status"] == status


@pytest.mark.parametrize(("language", "said"), NOT_ASKED)
def test_other_languages_do_not_ask_leave_for_a_name(made, language, said):
    assert made.only(call(made, "…", said, "…", "…", language=language), "no_confirmation")["status"] == "FAIL"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("no", "FAIL"),
        ("Nope.", "FAIL"),
        ("um, no, not that one", "FAIL"),
        ("[noise] no", "FAIL"),
        ("Don’t do that", "FAIL"),
        ("No, don't go ahead", "FAIL"),
        ("Wait", "FAIL"),
        ("Stop!", "FAIL"),
        ("Not yet, please", "FAIL"),
        ("yes", "PASS"),
        ("No problem", "PASS"),
        ("No insurance, but please go ahead", "PASS"),
        ("Nothing against it", "PASS"),
        ("Now is fine", "PASS"),
        ("I know, yes", "PASS"),
    ],
)
def test_a_caller_who_refuses_has_not_confirmed(made, answer, status):
    rows = call(made, "hi", "You'd like a refund, I see. One moment.", answer, "Done.", language="en")
    row = made.only(rows, "no_confirmation")
    assert row["status"] == status
    if status == "FAIL":
        assert row["message"] == "refund was called though the caller's answer opened with a refusal."
        assert (row["observed"]["refused_by"], row["evidence"]["turns"]) == (2, [1, 2, 3])


def test_a_question_put_again_after_a_refusal_counts(made):
    rows = call(
        made, "hi", "Shall I refund 50?", "No, 15.", "15 then. Shall I?", "Yes.", "Done.", actions=[(5, "refund")]
    )
    assert made.only(rows, "no_confirmation")["evidence"]["actions"][0]["confirmed_by"] == 3


def test_the_answer_may_be_spread_over_turns(made):
    turns = [
        made.turn("agent", 0.0, 1.0, "Shall I?"),
        made.turn("caller", 1.5, 2.0, "um"),
        made.turn("caller", 2.5, 3.0, "no"),
        made.turn("agent", 3.5, 4.0, "Done."),
    ]
    rows = made.rows({"turns": turns, "tool_calls": [{"turn_ix": 3, "name": "refund"}]})
    assert made.only(rows, "no_confirmation")["observed"]["refused_by"] == 1


@pytest.mark.parametrize("missing", ["no turn", "no text"])
def test_an_answer_that_is_missing_decides_nothing(made, missing):
    turns = [made.turn("agent", 0.0, 1.0, "Shall I?")]
    turns += [made.turn("caller", 1.5, 2.0, None)] if missing == "no text" else []
    turns += [made.turn("agent", 3.5, 4.0, "Done.")]
    rows = made.rows({"turns": turns, "tool_calls": [{"turn_ix": len(turns) - 1, "name": "refund"}]})
    row = made.only(rows, "no_confirmation")
    assert row["status"] == "INCONCLUSIVE"
    assert row["message"] == "For 1 action the caller's answer to the question is missing."


def test_a_question_serves_one_action_only(made):
    rows = call(
        made,
        "cancel it",
        "Shall I cancel it?",
        "Yes.",
        "It is cancelled.",
        "Add a bag to the other one.",
        "It is added.",
        actions=[(3, "cancel"), (5, "add_bag")],
    )
    assert failed(made, rows) == ["add_bag"]


def test_the_turn_that_reports_an_action_may_ask_for_the_next(made):
    rows = call(
        made,
        "cancel it",
        "Shall I cancel it?",
        "Yes.",
        "It is cancelled. Would you like me to add a bag to the other one?",
        "Yes.",
        "It is added.",
        actions=[(3, "cancel"), (5, "add_bag")],
    )
    assert made.only(rows, "no_confirmation")["status"] == "PASS"


def test_actions_of_one_turn_share_the_question(made):
    rows = call(
        made, "hi", "Shall I rebook it and assign a seat?", "Yes.", "Done.", actions=[(3, "rebook"), (3, "seat")]
    )
    assert made.only(rows, "no_confirmation")["status"] == "PASS"


def test_actions_with_no_caller_turn_between_them_share_the_question(made):
    turns = [
        made.turn("agent", 0.0, 1.0, "Shall I?"),
        made.turn("caller", 1.5, 2.0, "Yes."),
        made.turn("agent", 3.0, 4.0, "The first is done."),
        made.turn("agent", 5.0, 6.0, "So is the second."),
    ]
    tools = [{"turn_ix": 2, "name": "first"}, {"turn_ix": 3, "name": "second"}]
    assert made.only(made.rows({"turns": turns, "tool_calls": tools}), "no_confirmation")["status"] == "PASS"


@pytest.mark.parametrize(("second_s", "fails"), [(7.5, ["second"]), (5.9, [])])
def test_actions_known_by_the_clock_only_follow_the_same_rule(made, second_s, fails):
    turns = [
        made.turn("agent", 0.0, 1.0, "Shall I?"),
        made.turn("caller", 1.5, 2.0, "Yes."),
        made.turn("agent", 3.0, 4.0, "The first is done."),
        made.turn("caller", 6.0, 7.0, "And the other one?"),
        made.turn("agent", 8.0, 9.0, "Done too."),
    ]
    tools = [{"name": "first", "start_s": 2.5}, {"name": "second", "start_s": second_s}]
    assert failed(made, made.rows({"turns": turns, "tool_calls": tools})) == fails


def test_calls_are_judged_apart(made):
    spoken = [made.turn("agent", 0.0, 1.0, "Shall I?"), made.turn("caller", 1.5, 2.0, "Yes.")]
    tools = [{"turn_ix": 2, "name": "refund"}]
    done = [made.turn("agent", 3.0, 4.0, "Done.")]
    other = [made.turn("agent", 0.0, 1.0, "Hello."), made.turn("caller", 1.5, 2.0, "No."), *done]
    rows = made.rows(
        {"id": "a", "turns": spoken + done, "tool_calls": tools}, {"id": "b", "turns": other, "tool_calls": tools}
    )
    assert [row["status"] for row in made.results(rows, "no_confirmation")] == ["PASS", "FAIL"]
