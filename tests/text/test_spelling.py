"""What is only spelling is one; what was said differently is not."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.difference import differences
from workbench.text.normalize import words_numbers
from workbench.text.spelling import numbers_said, spelled, tokens

TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TIES = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def same(left, right, language="en"):
    return not differences(tokens(left, language=language), tokens(right, language=language))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("to L A X only", "to LAX only"),
        ("Z K three F F W", "ZK3FFW"),
        ("Z. K. 3FFW and", "Z K three F F W, and"),
        ("nine a m", "9 am"),
        ("nine a.m.", "9am"),
        ("by four p m Pacific", "by 4 p.m. Pacific,"),
        ("four p m", "4:00 PM"),
        ("a m", "a.m."),
        ("$120", "one hundred twenty dollars"),
        ("$120.", "120 dollars"),
        ("$1,500.50", "1500.50 dollars"),
        ("$2 million", "two million dollars"),
        ("€5", "five euros"),
        ("5 €", "five euro"),
        ("£1", "one pound"),
        ("March twenty fifth", "March 25th"),
        ("the first", "the 1st"),
        ("eight fifteen", "8:15"),
        ("um yes", "yes"),
        ("uhm eight", "uh eight"),
        ("", "hmm"),
    ],
)
def test_what_the_normaliser_makes_one(left, right):
    assert spelled(left) == spelled(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a new check book", "a new checkbook"),
        ("my e-mail", "my email"),
        ("can not", "cannot"),
        ("bye-bye", "bye bye"),
        ("A I", "AI"),
        ("a t-shirt", "a tshirt"),
        ("5 kg", "5kg"),
        ("three D", "3D"),
    ],
)
def test_a_space_or_hyphen_alone_is_no_difference(left, right):
    assert same(left, right)
    assert same(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("I can do that", "I can't do that"),
        ("not able", "notable"),
        ("I know", "I no"),
        ("un happy", "unhappy"),
        ("a part", "apart"),
        ("uh-uh", ""),
        ("uh uh", ""),
        ("uh-huh", ""),
        ("mellor", "miller"),
        ("fair", "fare"),
        ("eight fifteen", "8"),
        ("$5", "€5"),
        ("$5", "5"),
        ("4 am", "4 pm"),
        ("L A X", "L A S"),
        ("Z K three", "Z three"),
        ("the ER", "the"),
        ("да", "нет"),
    ],
)
def test_what_was_said_differently_stays_different(left, right):
    assert not same(left, right)
    assert not same(right, left)


def test_fillers_belong_to_a_language():
    assert spelled("øh ja", language="da") == "ja"
    assert spelled("ähm ja", language="de") == "ja"
    assert spelled("er kommt um acht", language="de") == "er kommt um acht"
    assert spelled("er", language="da") == "er"
    assert spelled("um", language="fr") == "um"


@pytest.mark.parametrize("frame", ["{}", "${}", "{} dollars", "A {} B", "{} p m", "{} fifteen", "the {} th", "uh {}"])
@pytest.mark.parametrize(("teen", "ty"), list(itertools.product(TEENS, TIES)))
def test_a_teen_never_folds_to_a_ty(teen, ty, frame):
    assert not same(frame.format(teen), frame.format(ty))


@given(st.text(max_size=60))
def test_any_text_folds_and_is_the_same_as_itself(text):
    assert same(text, text)
    for token in tokens(text):
        assert 0 <= token.start <= token.end
    spelled(text)


@given(st.text(alphabet="ab iop mxt15$.,-':0 ", max_size=24), st.text(alphabet="ab iop mxt15$.,-':0 ", max_size=24))
def test_comparing_has_no_sides(left, right):
    assert (spelled(left) == spelled(right)) <= same(left, right)
    assert same(left, right) == same(right, left)


@given(st.lists(st.sampled_from(["refund", "please", "the", "book", "fifteen", "25", "can't"]), max_size=8))
def test_plain_words_are_what_the_first_version_makes_of_them(said):
    assert spelled(" ".join(said)) == words_numbers(" ".join(said))


def test_full_hours_and_words_that_are_numbers_in_places():
    assert [str(number.value) for number in numbers_said("4:00 and 4:15, 100:00")] == ["4", "4", "15", "100", "0"]
    assert [str(number.value) for number in numbers_said("twenty second, seven oh three")] == ["20", "7", "3"]
    loosely = numbers_said("twenty second, seven oh three", loosely=True)
    assert [str(number.value) for number in loosely] == ["22", "7", "0", "3"]
