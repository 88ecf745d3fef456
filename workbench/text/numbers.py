"""Spoken numbers folded to values: fifteen is 15, "twenty-five" is 25, "1,500" is 1500.

**Conventions.** Number words are English (``LANGUAGES``); digits are read in any language. A comma between
groups of three digits separates thousands, a full stop before digits is the decimal point. Each number is a
value and the digits as spoken, since "nineteen eighty-four" and "1984" are two and one values with the same
digits. Signs are not read: callers say "minus" for hyphens.

Not read as a person would: "one thousand two thousand" without a comma, several scale words behind digits
(2 million 300 thousand), and "second", which is a time as often as a place (see `also`).

A tens word and a teen never share a value; a ones word after a tens word adds (twenty five), otherwise a new
number begins (one fifty is 1, 50).
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES = ("en",)

_ONES = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_ONES |= {"nine": 9}
_TEENS = {"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15}
_TEENS |= {"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
_TENS |= {"ninety": 90}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_MULTIPLIERS = {"hundred", *_SCALES}
_IRREGULAR = {"first": "one", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine"}
_IRREGULAR |= {"twelfth": "twelve", "fourty": "forty", "nought": "zero"}
_WORDS = {**_ONES, **_TEENS, **_TENS, "hundred": 100, **_SCALES}
_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+|\s+|.", re.DOTALL)
_GAP = re.compile(r"[\s\-‐‑‒–—]*")
_STARTS = {*_WORDS, *_IRREGULAR, "a"}
_HINT = re.compile(r"\d|" + "|".join(sorted({*_WORDS, *_IRREGULAR, "ieth"})), re.IGNORECASE)
_ORDINAL_ENDINGS = {"st", "nd", "rd", "th"}


class Number(NamedTuple):
    """A number in a text: its value, its digits as spoken, and where it stands."""

    value: Decimal
    digits: str
    start: int
    end: int


def numbers(text: str, *, also: Mapping[str, str] | None = None) -> list[Number]:
    """Find the numbers of a text in order.

    Parameters
    ----------
    text : str
        Any text.
    also : mapping of str to str, optional
        Further words and the number word each is read as: ``{"second": "two"}`` makes "twenty second" 22.

    Returns
    -------
    list of Number
        `start` and `end` are positions in the NFKC form of `text`; empty where there is no number.

    Examples
    --------
    >>> [str(number.value) for number in numbers("one hundred and five, or 1,500.50?")]
    ['105', '1500.50']
    """
    tokens = [(match.group(), match.start()) for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text))]
    irregular = {**_IRREGULAR, **(also or {})}
    found: list[Number] = []
    at = 0
    while at < len(tokens):
        token = tokens[at][0]
        lower = token.casefold()
        if not (token[0].isdecimal() or lower in _STARTS or lower in irregular or lower[-2:] == "th"):
            at += 1
            continue
        reader = _Reader(tokens, at, irregular)
        number = reader.read()
        if number is None:
            at += 1
        else:
            found.append(number)
            at = reader.at
    return found


def values(text: str) -> list[str]:
    """Return the values of the numbers of a text in order, as canonical text.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
        Without trailing decimal zeros, so that 15.50 and 15.5 are equal.

    Examples
    --------
    >>> values("fifteen, not 50.00")
    ['15', '50']
    """
    return [canonical(number.value) for number in numbers(text)]


def canonical(value: Decimal) -> str:
    """Return a value as text.

    Parameters
    ----------
    value : decimal.Decimal
        A finite value.

    Returns
    -------
    str
        Without exponent or trailing decimal zeros.
    """
    shown = format(value, "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def same_values(left: str, right: str) -> bool:
    """Return whether two texts carry the same sequence of numbers.

    Parameters
    ----------
    left, right : str
        Any texts.

    Returns
    -------
    bool
        True for equal values in equal order, and for the same digits grouped into another count of numbers
        ("four one five" and 415): grouping is a matter of writing.
    """
    return same_numbers(numbers(left), numbers(right))


def same_numbers(ours: list[Number], theirs: list[Number]) -> bool:
    """Return whether two lists of numbers are the same sequence, as `same_values` says.

    Parameters
    ----------
    ours, theirs : list of Number
        What `numbers` gives for two texts.

    Returns
    -------
    bool
        True for two empty lists.
    """
    if [number.value for number in ours] == [number.value for number in theirs]:
        return True
    return len(ours) != len(theirs) and _digits(ours) == _digits(theirs) != ""


def write_digits(text: str, *, found: list[Number] | None = None) -> str:
    """Return a text with each spoken number written in digits.

    Parameters
    ----------
    text : str
        Any text.
    found : list of Number, optional
        What `numbers` gives for the text, where it is known.

    Returns
    -------
    str
        In NFKC form; the rest is unchanged.

    Examples
    --------
    >>> write_digits("Refund twenty-five dollars")
    'Refund 25 dollars'
    """
    composed = unicodedata.normalize("NFKC", text)
    parts, last = [], 0
    for number in numbers(composed) if found is None else found:
        parts += [composed[last : number.start], canonical(number.value)]
        last = number.end
    return "".join([*parts, composed[last:]])


def _digits(found: list[Number]) -> str:
    return "".join(number.digits for number in found)


class _Reader:
    """Reads one number that begins at a token."""

    def __init__(self, tokens: list[tuple[str, int]], at: int, irregular: dict[str, str]) -> None:
        self.tokens = tokens
        self.at = at
        self.irregular = irregular

    def word(self, at: int) -> str:
        """Return the token at a position as a number word in its cardinal form."""
        if at >= len(self.tokens):
            return ""
        word = self.tokens[at][0].casefold()
        word = self.irregular.get(word, word)
        if word not in _WORDS and word.endswith("ieth"):
            word = word[:-4] + "y"
        elif word not in _WORDS and word.endswith("th"):
            word = word[:-2]
        return word

    def after_gap(self, at: int) -> int:
        """Return the position after spaces and hyphens."""
        while at < len(self.tokens) and _GAP.fullmatch(self.tokens[at][0]):
            at += 1
        return at

    def number(self, value: Decimal, digits: str, start: int) -> Number:
        """Close a number that ends before the current token."""
        text, position = self.tokens[self.at - 1]
        return Number(value, digits, start, position + len(text))

    def read(self) -> Number | None:
        """Return the number that begins here and move behind it, or None."""
        token, start = self.tokens[self.at]
        if token[0].isdecimal():
            return self.read_digits(token, start)
        if token.casefold() == "a" and self.word(following := self.after_gap(self.at + 1)) in _MULTIPLIERS:
            self.at = following
        if self.word(self.at) not in _WORDS:
            return None
        return self.read_words(start)

    def read_digits(self, token: str, start: int) -> Number:
        """Read digits, and a scale word behind them."""
        plain = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in token)
        value = Decimal(plain.replace(",", ""))
        digits = re.sub(r"\D", "", plain)
        self.at += 1
        if self.at < len(self.tokens) and self.tokens[self.at][0].casefold() in _ORDINAL_ENDINGS:
            self.at += 1
            return self.number(value, digits, start)
        following = self.after_gap(self.at)
        scale = 100 if self.word(following) == "hundred" else _SCALES.get(self.word(following))
        if scale is None:
            return self.number(value, digits, start)
        self.at = following + 1
        return self.number(value * scale, canonical(value * scale), start)

    def read_words(self, start: int) -> Number:
        """Read number words as far as they make one number."""
        total, group = 0, 0
        room = 10**12  # the next word must be worth less than this
        while True:
            word = self.word(self.at)
            worth = _WORDS[word]
            if word in _SCALES:
                total, group, room = total + (group or 1) * worth, 0, worth
            elif word == "hundred":
                group, room = (group or 1) * 100, 100
            else:
                group += worth
                room = 10 if word in _TENS else 1
            self.at += 1
            following = self.continues(group=group, total=total, room=room)
            if following is None:
                break
            self.at = following
        whole, decimals = total + group, self.decimals()
        value = Decimal(f"{whole}.{decimals}") if decimals else Decimal(whole)
        return self.number(value, f"{whole}{decimals}", start)

    def continues(self, *, group: int, total: int, room: int) -> int | None:
        """Return the position of the next word of the same number, or None."""
        following = self.after_gap(self.at)
        word = self.word(following)
        if word == "and" and room >= 100 and (group or total):
            following = self.after_gap(following + 1)
            word = self.word(following)
            if word in _SCALES or word == "hundred":
                return None
        if word in _SCALES:
            return following if group and (not total or _smaller_scale(total, _SCALES[word])) else None
        if word == "hundred":
            return following if 0 < group < 100 else None
        fits = word in _WORDS and 0 < _WORDS[word] < room
        return following if fits else None

    def decimals(self) -> str:
        """Read "point five two" behind a whole number."""
        following = self.after_gap(self.at)
        if self.word(following) != "point":
            return ""
        digits = ""
        following = self.after_gap(following + 1)
        while self.word(following) in _ONES:
            digits += str(_ONES[self.word(following)])
            self.at = following + 1
            following = self.after_gap(self.at)
        return digits


def _smaller_scale(total: int, scale: int) -> bool:
    """Return whether a scale word may follow: two million three thousand, not three thousand two million."""
    return total % (scale * 1000) == 0
