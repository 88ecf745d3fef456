"""Fields of a native call that the format does not have: where they are, and which field was meant."""

from __future__ import annotations

import difflib
import functools
import typing
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from workbench.schema.call import Call

SHOWN: Final = 8
"""Fields that a message names; of more it gives the number."""

CLOSE: Final = 0.7
"""Least likeness (ratio of difflib) of a field that may have been meant: ``end`` and ``end_s`` have 0.75."""

UNITS: Final = ("_ms", "_us", "_ns", "Ms")
"""Ends of names that count time in another unit than the format."""


class Unknown(Struct, frozen=True):
    """A field that the format does not have: its place, the first place with an index, and what was meant."""

    field: str
    first: str
    meant: str | None


def unknown_fields(value: dict[str, Any]) -> list[Unknown]:
    """Return the fields of a call that the format does not have.

    Parameters
    ----------
    value : dict
        A call as decoded JSON.

    Returns
    -------
    list of Unknown
        Each field once, in order of its place (``turns[].txt``), those first that are close to a field of the
        format which is not there itself. Empty for a call of known fields.
    """
    found: dict[str, Unknown] = {}
    for unknown in _unknown(value, Call, field="", place=""):
        found.setdefault(unknown.field, unknown)
    return sorted(found.values(), key=lambda one: (one.meant is None, one.field))


def worded(unknown: list[Unknown]) -> str:
    """Return the fields as a message: one in a sentence, several as a list of at most eight."""
    if len(unknown) == 1:
        (one,) = unknown
        question = f"; did you mean {one.meant}?" if one.meant else ", and is ignored"
        return f"{one.first} is no field of the format{question}"
    named = [f"{one.first} (did you mean {one.meant}?)" if one.meant else one.first for one in unknown[:SHOWN]]
    more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
    return f"no fields of the format, ignored: {', '.join(named)}{more}"


def hint_for(unknown: list[Unknown]) -> str:
    """Return what to do about the fields."""
    free = "put free labels into tags, everything else into spans[].attributes"
    close = [one for one in unknown if one.meant]
    if not close:
        return free
    unit = " (the format counts seconds)" if any(one.field.endswith(UNITS) for one in close) else ""
    return f"rename {'it' if len(close) == 1 else 'them'}{unit} and import with --replace; {free}"


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, type[msgspec.Struct] | None]:
    """Return the fields of a struct, each with the struct it holds or lists."""
    found: dict[str, type[msgspec.Struct] | None] = {}
    for name, hint in typing.get_type_hints(kind).items():
        pending, inner = [hint], None
        while pending:
            one = pending.pop()
            if isinstance(one, type) and issubclass(one, msgspec.Struct):
                inner = one
            pending.extend(typing.get_args(one))
        found[name] = inner
    return found


def _unknown(value: Any, kind: type[msgspec.Struct], *, field: str, place: str) -> Iterator[Unknown]:
    if isinstance(value, list):
        for ix, item in enumerate(value):
            yield from _unknown(item, kind, field=f"{field}[]", place=f"{place}[{ix}]")
    elif isinstance(value, dict):
        fields = _fields(kind)
        for name in value.keys() - fields.keys():
            meant = _meant(name, frozenset(fields.keys() - value.keys()))
            yield Unknown(_below(field, name), _below(place, name), meant)
        for name, inside in fields.items():
            if inside is not None and name in value:
                yield from _unknown(value[name], inside, field=_below(field, name), place=_below(place, name))


def _below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


@functools.lru_cache(maxsize=1024)
def _meant(name: str, missing: frozenset[str]) -> str | None:
    """Return the field closest to a name among those that are not there."""
    return next(iter(difflib.get_close_matches(name.lower(), sorted(missing), n=1, cutoff=CLOSE)), None)
