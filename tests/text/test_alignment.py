"""Numbers beside each other, paired by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.alignment import misaligned
from workbench.text.numbers import numbers, same_numbers


def pairs(heard, truth):
    found = misaligned(numbers(heard), numbers(truth))
    return [tuple(" ".join(str(number.value) for number in side) for side in pair) for pair in found]


@pytest.mark.parametrize(
    ("heard", "truth", "wanted"),
    [
        ("", "", []),
        ("50", "15", [("50", "15")]),
        ("703, 22, 25", "7, 0, 3, 25", [("22", "")]),
        ("7, 0, 3", "703", []),
        ("703; 2; 5; 1", "7; 0; 3; 251", []),
        ("708", "7, 0, 3", [("708", "7 0 3")]),
        ("7, 0, 8", "7, 0, 3", [("8", "3")]),
        ("1 and 55", "15 and 5", [("1", "15"), ("55", "5")]),
        ("two for ten", "ten for two", [("2", "10"), ("10", "2")]),
        ("", "4", [("", "4")]),
        ("1, 2, 3", "1, 3", [("2", "")]),
        ("1.5", "15", [("1.5", "15")]),
    ],
)
def test_only_what_differs_is_left(heard, truth, wanted):
    assert pairs(heard, truth) == wanted


def test_lists_too_long_to_align_give_what_lies_between_their_ends():
    left = ", ".join(["5"] * 60)
    assert pairs(left, left) == []
    assert pairs(f"{left}, 7, {left}", f"{left}, 8, {left}") == [("7", "8")]


@given(st.lists(st.integers(0, 99), max_size=6), st.lists(st.integers(0, 99), max_size=6))
def test_nothing_is_left_only_where_digits_agree(left, right):
    ours, theirs = numbers(", ".join(map(str, left))), numbers(", ".join(map(str, right)))
    if not misaligned(ours, theirs):
        assert "".join(n.digits for n in ours) == "".join(n.digits for n in theirs)
    if left == right:
        assert same_numbers(ours, theirs)
        assert misaligned(ours, theirs) == []
