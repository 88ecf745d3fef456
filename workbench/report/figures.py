"""Geometry of the drawings: what lies where, in percent of the width. The templates draw it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

FLOOR_DBFS = -60.0
LEVEL_COLUMNS = 300
KNOWN = {
    "eligible for scan": "good",
    "scan with caution": "care",
    "NOT SCORABLE": "bad",
    "not measured": "faint",
    "no audio": "quiet",
    "no clock": "faint",
}


@dataclass(frozen=True)
class Part:
    """A part of a stacked bar."""

    name: str
    count: int
    x: float
    width: float
    look: str


@dataclass(frozen=True)
class Stack:
    """A bar of counts that add up to the whole."""

    title: str
    total: int
    parts: tuple[Part, ...]


def stack(title: str, counts: Iterable[tuple[str, int]]) -> Stack:
    """Return a stacked bar.

    Parameters
    ----------
    title : str
        What the parts have in common.
    counts : iterable of (str, int)
        Parts in the order in which they are drawn; parts of 0 are left out.

    Returns
    -------
    Stack
        Positions and widths in percent; without parts when all counts are 0.
    """
    found = [(name, count) for name, count in counts if count > 0]
    total = sum(count for _, count in found)
    parts, before, plain = [], 0, 0
    for name, count in found:
        look = KNOWN.get(name)
        if look is None:
            look, plain = f"part{plain % 6}", plain + 1
        parts.append(Part(name, count, 100 * before / total, 100 * count / total, look))
        before += count
    return Stack(title, total, tuple(parts))


@dataclass(frozen=True)
class Bar:
    """A bin of a distribution: position, width and height in percent."""

    x: float
    width: float
    height: float
    count: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class GapRow:
    """The response gaps of one agent on one clock; `reason`: why there is no interval, or what speaks against it."""

    agent: str
    clock: str
    response_count: int
    call_count: int
    bars: tuple[Bar, ...]
    median: float
    median_s: float
    low: float | None
    high: float | None
    low_s: float | None
    high_s: float | None
    reason: str | None


@dataclass(frozen=True)
class GapFigure:
    """Rows on one axis of seconds; `ticks` are (percent, label)."""

    rows: tuple[GapRow, ...]
    ticks: tuple[tuple[float, str], ...]
    left_out: int


BINS = 40
WIDTHS_S = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0)


def bin_width(longest_s: float) -> float:
    """Return the width of 40 bins that reach a length, at most 1 s."""
    return next((width for width in WIDTHS_S if width * BINS >= longest_s), WIDTHS_S[-1])


def gap_figure(
    agents: Sequence[dict[str, Any]], bins: Sequence[dict[str, Any]], *, bin_s: float, most: int = 12
) -> GapFigure:
    """Return the distributions of response gaps, the agents with most answers first.

    Parameters
    ----------
    agents : sequence of dict
        Rows of `response_gap_by_agent`.
    bins : sequence of dict
        Rows of the query `gap_histogram` for the same agents, 40 bins of `bin_s`.
    bin_s : float
        Width of a bin in seconds.
    most : int
        Rows drawn.

    Returns
    -------
    GapFigure
        Without rows when nobody answered.
    """
    span = bin_s * BINS
    key = ("agent_id", "agent_version", "clock")
    grouped: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in bins:
        grouped.setdefault(tuple(row[name] for name in key), []).append(row)
    ordered = sorted(agents, key=lambda row: (-row["response_count"], *(row[name] for name in key)))
    rows = []
    for row in ordered[:most]:
        found = grouped.get(tuple(row[name] for name in key), [])
        top = max((each["gap_count"] for each in found), default=1)
        bars = tuple(
            Bar(
                100 * each["bin_start_s"] / span,
                100 / BINS,
                100 * each["gap_count"] / top,
                each["gap_count"],
                each["bin_start_s"],
                each["bin_end_s"],
            )
            for each in found
        )
        version = "" if row["agent_version"] == "not supplied" else f" {row['agent_version']}"
        name = "agent not named" if row["agent_id"] == "not supplied" else row["agent_id"]
        low, high = row["gap_p50_low_s"], row["gap_p50_high_s"]
        rows.append(
            GapRow(
                name + version,
                row["clock"],
                row["response_count"],
                row["call_count"],
                bars,
                _percent(row["gap_p50_lin_s"], span),
                row["gap_p50_lin_s"],
                None if low is None else _percent(low, span),
                None if high is None else _percent(high, span),
                low,
                high,
                row["reason"],
            )
        )
    step = next(step for step in (0.5, 1.0, 2.0, 5.0, 10.0) if span / step <= 8)
    ticks = tuple((100 * at * step / span, f"{at * step:g}") for at in range(int(span / step) + 1))
    return GapFigure(tuple(rows), ticks, max(0, len(ordered) - most))


def _percent(value: float, span: float) -> float:
    return min(100.0, 100 * value / span)


def level_path(points: Sequence[tuple[float, float]], start_s: float, end_s: float) -> str:
    """Return the outline of a level envelope, mirrored about the middle of its lane.

    Parameters
    ----------
    points : sequence of (float, float)
        Time in seconds and level in dBFS, in the order of time.
    start_s, end_s : float
        What the lane shows.

    Returns
    -------
    str
        SVG path in a box 1000 wide and 100 high, -60 dBFS and below being a line; "" without points.
    """
    loudest: dict[int, float] = {}
    for time_s, level in points:
        column = int((time_s - start_s) / (end_s - start_s) * LEVEL_COLUMNS)
        if 0 <= column < LEVEL_COLUMNS:
            loudest[column] = max(level, loudest.get(column, FLOOR_DBFS))
    if not loudest:
        return ""
    xs = sorted(loudest)
    heights = [round(48 * min(1.0, max(0.0, 1 - loudest[x] / FLOOR_DBFS))) for x in xs]
    at = [round((x + 0.5) * 1000 / LEVEL_COLUMNS) for x in xs]
    upper = [f"{x} {50 - height}" for x, height in zip(at, heights, strict=True)]
    lower = [f"{x} {50 + height}" for x, height in zip(reversed(at), reversed(heights), strict=True)]
    return f"M{at[0]} 50L" + "L".join([*upper, *lower]) + "Z"
