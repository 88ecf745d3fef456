import itertools
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.numbers import numbers, same_values, values, write_digits

TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TIES = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("no number here", []),
        ("fifteen", ["15"]),
        ("Twenty-Five dollars", ["25"]),
        ("twenty‑five", ["25"]),
        ("1,500", ["1500"]),
        ("1,500.50 and 0.5", ["1500.5", "0.5"]),
        ("15 then 15", ["15", "15"]),
        ("a hundred", ["100"]),
        ("one hundred and five", ["105"]),
        ("fifteen hundred", ["1500"]),
        ("two million three hundred thousand and five", ["2300005"]),
        ("one fifty", ["1", "50"]),
        ("two point five", ["2.5"]),
        ("15th of May, the fifty-first", ["15", "51"]),
        ("2.5 million", ["2500000"]),
        ("one and two", ["1", "2"]),
        ("３ ５０", ["3", "50"]),
        ("someone tenant often", []),
    ],
)
def test_values_counted_by_hand(text, wanted):
    assert values(text) == wanted


def spell(number: int) -> str:
    ones = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
    ones += ["twelve", *TEENS]
    if number < 20:
        return ones[number]
    if number < 100:
        tail = f"-{ones[number % 10]}" if number % 10 else ""
        return ["twenty", *TIES][number // 10 - 2] + tail
    if number < 1000:
        tail = f" and {spell(number % 100)}" if number % 100 else ""
        return f"{ones[number // 100]} hundred{tail}"
    tail = number % 1000
    join = "" if not tail else " and " if tail < 100 else " "
    return f"{spell(number // 1000)} thousand{join}{spell(tail) if tail else ''}"


@given(st.integers(0, 999_999))
def test_every_spelled_number_folds_to_its_value(number):
    assert [found.value for found in numbers(f"I want {spell(number)} please")] == [Decimal(number)]


@given(st.integers(0, 999_999))
def test_spelled_and_written_and_grouped_digits_are_the_same_value(number):
    assert same_values(spell(number), str(number))
    assert same_values(f"{number:,}", str(number))


@pytest.mark.parametrize(
    "frame", ["{}", "{} dollars", "one hundred and {}", "{} hundred", "1, {} and 3", "{} thousand"]
)
@pytest.mark.parametrize(("teen", "ty"), list(itertools.product(TEENS, TIES)))
def test_a_teen_never_folds_to_a_ty(teen, ty, frame):
    assert not same_values(frame.format(teen), frame.format(ty))
    assert values(frame.format(teen)) != values(frame.format(ty))


@given(st.text(max_size=60))
def test_any_text_folds_without_an_error_and_folding_twice_changes_nothing(text):
    once = write_digits(text)
    assert values(once) == values(write_digits(once))


def test_grouping_of_digits_is_not_a_difference_but_another_digit_is():
    assert same_values("nineteen eighty-four", "1984")
    assert same_values("four one five five", "4155")
    assert not same_values("four one five five", "4156")
    assert not same_values("1 and 55", "15 and 5")
    assert not same_values("fifty", "five hundred")


def test_order_and_repeats_count():
    assert not same_values("two for ten", "ten for two")
    assert not same_values("five", "five five")
