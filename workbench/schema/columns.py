"""Kinds of column. Each kind fixes the type, the unit and the ending of the name, once.

A column is a dataframely column whose ``metadata`` says the unit, whether it holds JSON text, and how
it is encoded on disk. ``null`` is the rule for an empty cell: why a value may be missing.
"""

from __future__ import annotations

from typing import Any

import dataframely as dy


def _metadata(unit: str | None, null: str | None, **more: Any) -> dict[str, Any]:
    return {"unit": unit, "null": null, **more}


def key(description: str, *, unit: str | None = None) -> dy.String:
    """Text that is part of the row's key; never null."""
    return dy.String(primary_key=True, min_length=1, description=description, metadata=_metadata(unit, None))


def key_ix(description: str) -> dy.Int32:
    """A 0-based position that is part of the row's key; never null."""
    return dy.Int32(primary_key=True, min=0, description=description, metadata=_metadata("index", None))


def text(description: str, *, null: str | None = None) -> dy.String:
    """Free text, kept as it came."""
    return dy.String(nullable=null is not None, description=description, metadata=_metadata(None, null))


def choice(description: str, *allowed: str, null: str | None = None) -> dy.String:
    """Text from a fixed list."""
    return dy.String(
        nullable=null is not None,
        regex="^(" + "|".join(allowed) + ")$",
        description=f"{description} ({', '.join(allowed)})",
        metadata=_metadata(None, null, allowed=list(allowed)),
    )


def json(description: str, *, null: str | None = "not supplied") -> dy.String:
    """JSON as text; the DuckDB type is JSON."""
    return dy.String(nullable=null is not None, description=description, metadata=_metadata(None, null, json=True))


def flag(description: str, *, null: str | None = None) -> dy.Bool:
    """Yes or no."""
    return dy.Bool(nullable=null is not None, description=description, metadata=_metadata(None, null))


def number(description: str, unit: str, *, null: str | None = None, **limits: float) -> dy.Float64:
    """A finite double with the named unit."""
    return dy.Float64(
        nullable=null is not None,
        description=description,
        metadata=_metadata(unit, null),
        **limits,  # type: ignore[arg-type]
    )


def seconds(description: str, *, null: str | None = None, **limits: float) -> dy.Float64:
    """Seconds from the start of the call, or a duration in seconds (name ends in ``_s``)."""
    return number(description, "s", null=null, **limits)


def index(description: str, *, null: str | None = None) -> dy.Int32:
    """A 0-based position (name ends in ``_ix``)."""
    return dy.Int32(nullable=null is not None, min=0, description=description, metadata=_metadata("index", null))


def integer(description: str, unit: str, *, null: str | None = None, **limits: int) -> dy.Int64:
    """A whole number with the named unit."""
    return dy.Int64(
        nullable=null is not None,
        description=description,
        metadata=_metadata(unit, null),
        **limits,  # type: ignore[arg-type]
    )


def centi(description: str, unit: str, *, null: str | None = None) -> dy.Int16:
    """A level stored as hundredths of the unit in a SMALLINT; the staging view shows it as a double."""
    return dy.Int16(
        nullable=null is not None,
        description=f"{description}, in hundredths",
        metadata=_metadata(f"{unit}/100", null, delta=True),
    )


def utc(description: str, *, null: str | None = None) -> dy.Datetime:
    """A wall-clock moment in UTC."""
    return dy.Datetime(
        nullable=null is not None,
        time_zone="UTC",
        time_unit="us",
        description=description,
        metadata=_metadata("UTC", null),
    )


def names(description: str, *, null: str | None = None) -> dy.List:
    """A list of names."""
    return dy.List(
        dy.String(nullable=False),
        nullable=null is not None,
        description=description,
        metadata=_metadata(None, null),
    )


def tags(description: str, *, null: str | None = "not supplied") -> dy.List:
    """Free key and value pairs; the DuckDB type is MAP(VARCHAR, VARCHAR)."""
    return dy.List(
        dy.Struct({"key": dy.String(nullable=False), "value": dy.String(nullable=True)}, nullable=False),
        nullable=null is not None,
        description=description,
        metadata=_metadata(None, null, map=True),
    )
