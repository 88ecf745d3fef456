import pytest

from workbench.text.named import normaliser


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
        ("the 25th", "the twenty fifth", "PASS", "PASS"),
        ("the 22nd", "the twenty second", "PASS", "PASS"),
        ("twenty second delay", "20 second delay", "PASS", "PASS"),
        ("flight 703", "flight seven oh three", "PASS", "PASS"),
        ("$120 by 4 p.m.", "one hundred twenty dollars by four p m", "PASS", "PASS"),
        ("it is Z. K. 3FFW", "it is Z K three F F W", "PASS", "PASS"),
        ("it is Z. 3FFW", "it is Z K three F F W", "PASS", "FAIL"),
        ("$50", "fifteen dollars", "FAIL", "PASS"),
        ("I can", "I can't", "PASS", "FAIL"),
        ("um yes", "yes uh", "PASS", "PASS"),
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


FIVE = "Heard 1 where the caller said 6; heard 2 where the caller said 7; heard 3 where the caller said 8; and 2 more."


@pytest.mark.parametrize(
    ("heard", "truth", "assertion", "message"),
    [
        ("too", "two", "misheard_number", 'Heard "too" where the caller said "two".'),
        ("a table for or on", "a table for four on", "misheard_number", 'Heard "or" where the caller said "four".'),
        ("fifty dollars", "fifteen dollars", "misheard_number", "Heard 50 where the caller said 15."),
        (
            "703 on March 22nd. 25th",
            "seven zero three on March twenty-fifth",
            "misheard_number",
            "Heard 22, which the caller did not say.",
        ),
        ("708", "seven zero three", "misheard_number", "Heard 708 where the caller said 703."),
        ("five", "five six", "misheard_number", "Did not hear 6."),
        ("1 or 2 or 3 or 4 or 5", "6 or 7 or 8 or 9 or 0", "misheard_number", FIVE),
        ("a Windows seat", "a window seat", "misheard", 'Heard "Windows" where the caller said "window".'),
        ("move me", "That works. Move me", "misheard", 'Did not hear "That works".'),
        ("so bye", "bye", "misheard", 'Heard "so", which the caller did not say.'),
    ],
)  # fmt: skip
def test_the_message_quotes_what_differs_and_nothing_else(made, heard, truth, assertion, message):
    row = made.only(caller(made, heard, truth), assertion)
    assert row["message"] == message
    assert (row["observed"]["heard"], row["expected"]["truth"]) == (heard, truth)


def test_a_long_difference_is_cut_and_kept_whole_in_the_values(made):
    heard = "; ".join(f"same {letter * 50}" for letter in "abcd")
    truth = "; ".join(f"same {letter * 50}" for letter in "efgh")
    row = made.only(caller(made, heard, truth), "misheard")
    assert len(row["message"]) <= 160
    assert row["message"].endswith("…")
    assert row["observed"]["heard"] == heard


def test_the_normaliser_is_named_and_the_old_one_stays(made):
    row = made.only(caller(made, "fifty", "fifteen"), "misheard_number")
    assert row["evidence"]["normaliser"] == "words-numbers/2"
    assert normaliser("words-numbers/1")("L A X") == "l a x"
    assert normaliser("words-numbers/2")("L A X") == "lax"


@pytest.mark.parametrize(("count", "opening"), [(1, "1 turn differs"), (2, "2 turns differ")])
def test_turns_that_nobody_can_judge_are_counted_in_good_english(made, count, opening):
    turns = [made.turn("caller", 0.0, 1.0, "halvtreds", truth="femten")] * count
    row = made.only(made.rows({"language": "da", "turns": turns}), "misheard_number")
    assert row["message"].startswith(opening)
