import pytest


def caller(made, text, truth, **more):
    return made.rows({"turns": [made.turn("caller", 0.0, 1.0, text, truth=truth, **more)]})


@pytest.mark.parametrize("assertion", ["misheard_number", "misheard"])
def test_without_truth_mishearing_is_inconclusive_by_construction(made, golden_calls, assertion):
    """The refund of fifty is only wrong because the truth says fifteen. Without it nothing can see that."""
    call = golden_calls("misheard_call")
    for given in call["turns"]:
        given.pop("truth", None)
    row = made.only(made.rows(call), assertion)
    assert row["status"] == "INCONCLUSIVE"
    assert "truth" in row["message"]


@pytest.mark.parametrize(
    ("heard", "truth", "number", "words"),
    [
        ("fifty dollars", "fifteen dollars", "FAIL", "PASS"),
        ("15 dollars", "fifteen dollars", "PASS", "PASS"),
        ("twenty-five  dollars", "Twenty five dollars!", "PASS", "PASS"),
        ("1,500", "1500", "PASS", "PASS"),
        ("two for ten", "ten for two", "FAIL", "PASS"),
        ("five", "five five", "FAIL", "PASS"),
        ("the red one", "the read one", "PASS", "FAIL"),
        ("Größe M", "größe m", "PASS", "PASS"),
        ("да", "нет", "PASS", "FAIL"),
        ("that’s right", "thats right", "PASS", "PASS"),
        ("four one five five", "4155", "PASS", "PASS"),
        ("fifty", "", "FAIL", "PASS"),
    ],
)
def test_words_and_numbers_are_compared_apart(made, heard, truth, number, words):
    rows = caller(made, heard, truth)
    assert made.only(rows, "misheard_number")["status"] == number
    assert made.only(rows, "misheard")["status"] == words


def test_what_the_recogniser_delivered_is_preferred_to_the_transcript(made):
    rows = caller(made, "fifteen", "fifteen", heard="fifty")
    assert made.only(rows, "misheard_number")["observed"] == {"numbers": ["50"], "heard": "fifty"}


def test_a_call_with_some_truth_passes_with_its_counts(made):
    turns = [made.turn("caller", 0.0, 1.0, "one", truth="one"), made.turn("caller", 2.0, 3.0, "two")]
    row = made.only(made.rows({"turns": turns}), "misheard_number")
    assert row["status"] == "PASS"
    assert row["observed"] == {"compared": 1, "caller_turns": 2}


def test_truth_of_the_agent_is_not_looked_at(made):
    rows = made.rows({"turns": [made.turn("agent", 0.0, 1.0, "fifty", truth="fifteen")]})
    assert made.only(rows, "misheard_number")["status"] == "INCONCLUSIVE"


def test_number_words_of_another_language_are_not_taken_for_right(made):
    rows = made.rows(
        {
            "language": "da-DK",
            "turns": [made.turn("caller", 0.0, 1.0, "halvtreds kroner", truth="femten kroner")],
        },
        {"language": "da", "turns": [made.turn("caller", 0.0, 1.0, "50 kroner", truth="15 kroner")]},
        {"language": "da", "turns": [made.turn("caller", 0.0, 1.0, "15 kroner", truth="femten kroner")]},
    )
    assert [row["status"] for row in made.results(rows, "misheard_number")] == [
        "INCONCLUSIVE",
        "FAIL",
        "INCONCLUSIVE",
    ]
    assert [row["status"] for row in made.results(rows, "misheard")] == ["FAIL", "PASS", "FAIL"]


def test_turns_never_supplied_and_supplied_empty_are_both_inconclusive_and_say_which(made):
    rows = made.rows({"id": "a"}, {"id": "b", "turns": []})
    never, empty = made.results(rows, "misheard")
    assert (never["status"], empty["status"]) == ("INCONCLUSIVE", "INCONCLUSIVE")
    assert "supplied" in never["message"]
    assert "truth" in empty["message"]
