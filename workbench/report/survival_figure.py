"""Geometry of a survival curve: steps and band in a box, ticks and numbers at risk in percent of the width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

WIDE, HIGH = 1000, 100


@dataclass(frozen=True)
class SurvivalFigure:
    """A step curve and its band as SVG paths in a box 1000 wide and 100 high; 100 % lies at the top.

    `ticks` are (percent, label, number at risk); `censored` are places in percent at which observation of a moment
    ended before the event, with the height of the curve there in percent from the top.
    """

    line: str
    band: str
    ticks: tuple[tuple[float, str, int], ...]
    censored: tuple[tuple[float, float], ...]
    label: str


def survival_figure(
    curve: Sequence[dict[str, Any]],
    times: Sequence[dict[str, Any]],
    *,
    at_risk: Sequence[dict[str, Any]],
    label: str,
) -> SurvivalFigure:
    """Return how a curve is drawn.

    Parameters
    ----------
    curve : sequence of dict
        Rows of :func:`workbench.analysis.timing_survival.curves` of one group, at least one.
    times : sequence of dict
        The times it was made from: `duration_s`, `observed`.
    at_risk : sequence of dict
        `time_s` and `at_risk`.
    label : str
        What it says in words, for those who do not see it.

    Returns
    -------
    SurvivalFigure
    """
    last = max([*(row["time_s"] for row in curve), *(row["time_s"] for row in at_risk)]) or 1.0

    def x(time_s: float) -> float:
        return round(WIDE * time_s / last, 1)

    def y(share: float) -> float:
        return round(HIGH * (1 - share), 2)

    line = _steps([(x(row["time_s"]), y(row["survival"])) for row in curve])
    upper = _corners([(x(row["time_s"]), y(row["high"])) for row in curve])
    lower = _corners([(x(row["time_s"]), y(row["low"])) for row in curve])
    band = "M" + "L".join(f"{at:g} {height:g}" for at, height in [*upper, *reversed(lower)]) + "Z"
    ends = sorted({row["duration_s"] for row in times if not row["observed"]})
    censored = tuple((100 * end / last, y(_level(curve, end))) for end in ends)
    ticks = tuple((100 * row["time_s"] / last, f"{row['time_s']:g}", row["at_risk"]) for row in at_risk)
    return SurvivalFigure(line, band, ticks, censored, label)


def _corners(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points of a line that keeps its height up to the next point."""
    found = [points[0]]
    for (_, before), (at, height) in pairwise(points):
        found += [(at, before), (at, height)]
    return found


def _steps(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{at:g} {height:g}" for at, height in [(0.0, 0.0), *_corners(points)])


def _level(curve: Sequence[dict[str, Any]], time_s: float) -> float:
    return float(next((row["survival"] for row in reversed(curve) if row["time_s"] <= time_s), 1.0))
