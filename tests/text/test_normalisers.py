import unicodedata

import pytest

from workbench.errors import UsageError
from workbench.text.named import NORMALISERS, normaliser
from workbench.text.normalize import fold, words, words_numbers


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("That’s right.", "that's  right"),
        ("Größe", unicodedata.normalize("NFD", "größe")),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
    ],
)
def test_equal_words(left, right):
    assert words(left) == words(right) != ""


def test_texts_that_are_not_latin_are_not_all_equal():
    assert words("да") != words("нет")
    assert words("はい、") == "はい"
    assert words("हिन्दी") == "हिन्दी"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("fifteen", "15"),
        ("Twenty-five dollars!", "25 dollars"),
        ("four one five", "415"),
        ("a hundred", "100"),
    ],
)
def test_numbers_in_words_and_digits_are_equal(left, right):
    assert words_numbers(left) == words_numbers(right)
    assert words(left) != words(right)


def test_fold_keeps_punctuation_and_makes_apostrophes_one():
    assert fold("Is that CORRECT?") == "is that correct?"
    assert {fold(f"you{mark}d") for mark in "'’‘ʼ′`´"} == {"you'd"}


def test_text_without_letters_is_empty():
    assert words("?! …") == words("") == ""


def test_normalisers_carry_a_version_and_an_unknown_one_is_refused():
    assert all(name.partition("/")[2].isdigit() for name in NORMALISERS)
    with pytest.raises(UsageError, match="words/9"):
        normaliser("words/9")
