"""Over many moments: which share of the verdicts holds, is withheld, or is another one, at each level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.analysis.robustness import VERDICTS
from workbench.analysis.timing_counts import interval_over_calls
from workbench.analysis.timing_slices import group_of
from workbench.archive.call_slices import SLICES
from workbench.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from workbench.analysis.robustness import Curve, Step
    from workbench.archive.archive import Archive

HOLDS, WITHHELD, OTHER = "holds", "withheld", "other verdict"
"""What becomes of a verdict: the same, none is given any more, or another one is."""


def shares(
    curves: Sequence[Curve], *, confidence: float = 0.95, groups: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """Count what becomes of the verdicts of all moments at each level of each perturbation.

    Parameters
    ----------
    curves : sequence of Curve
        From :mod:`workbench.analysis.robustness`: moments that have a verdict as they are.
    confidence : float, default 0.95
        Two-sided level.
    groups : mapping of str to str, optional
        Group of each call, from :func:`groups_of`: each is counted apart.

    Returns
    -------
    polars.DataFrame
        `group` (where `groups` is given), `perturbation`, `unit`, `level_ix` (0 is the most harmless), `level`,
        `call_count`, `moment_count`, `holds_count`, `withheld_count`, `other_count`, `holds_share` (0..1) with
        `holds_low` and `holds_high`, and `interval_unit`: Wilson's with one moment a call, else over calls. No rows
        without curves.
    """
    import polars as pl

    if groups is not None:
        parted: dict[str, list[Curve]] = {}
        for curve in curves:
            parted.setdefault(groups[curve.call_id], []).append(curve)
        found = [
            shares(parted[group], confidence=confidence).select(pl.lit(group).alias("group"), pl.all())
            for group in sorted(parted)
        ]
        return pl.concat(found) if found else shares(()).select(pl.lit("").alias("group"), pl.all())
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(curve.perturbation for curve in curves):
        own = [curve for curve in curves if curve.perturbation == name]
        for ix in range(max(len(curve.steps) for curve in own)):
            there = [(curve, curve.steps[ix]) for curve in own if ix < len(curve.steps)]
            rows.append({"perturbation": name, "unit": own[0].unit, "level_ix": ix} | _row(there, confidence))
    counts = ("call_count", "moment_count", "holds_count", "withheld_count", "other_count")
    kinds: dict[str, Any] = {"perturbation": pl.String, "unit": pl.String, "level_ix": pl.Int64, "level": pl.Float64}
    kinds |= dict.fromkeys(counts, pl.Int64) | dict.fromkeys(("holds_share", "holds_low", "holds_high"), pl.Float64)
    return pl.DataFrame(rows, schema=kinds | {"interval_unit": pl.String})


def groups_of(archive: Archive, by: str) -> dict[str, str]:
    """Return the group of each call, by how it sounded.

    Parameters
    ----------
    archive : Archive
        The archive.
    by : str
        One of :data:`workbench.archive.call_slices.SLICES`.

    Returns
    -------
    dict of str to str
        In words; "not described" where that side of a call is not.

    Raises
    ------
    UsageError
        When there is no such slice.
    """
    if by not in SLICES:
        raise UsageError(f"shares cannot be parted by {by!r}", where="--by", hint=f"one of {', '.join(SLICES)}")
    return dict(archive.sql("from call_slices").select("call_id", group_of(by)).iter_rows())


def by_group(rows: pl.DataFrame) -> list[tuple[pl.DataFrame, dict[str, str]]]:
    """Return the rows of each group, and the title that its chart has; no title where all are together.

    Parameters
    ----------
    rows : polars.DataFrame
        From :func:`shares`.

    Returns
    -------
    list of (polars.DataFrame, dict of str to str)
        At least one.
    """
    if "group" not in rows.columns or rows.is_empty():
        return [(rows, {})]
    groups = rows["group"].unique(maintain_order=True)
    return [
        (rows.filter(rows["group"] == group), {"title": f"Verdicts while the sound gets worse: {group}"})
        for group in groups
    ]


def becomes(curve: Curve, step: Step) -> str:
    """Return what becomes of a moment's verdict at one level.

    Parameters
    ----------
    curve : Curve
        Of the moment.
    step : Step
        One of its levels.

    Returns
    -------
    {'holds', 'withheld', 'other verdict'}
    """
    if step.status == curve.original.status:
        return HOLDS
    return OTHER if step.status in VERDICTS else WITHHELD


def _row(there: Sequence[tuple[Curve, Step]], confidence: float) -> dict[str, Any]:
    found = [(curve.call_id, becomes(curve, step)) for curve, step in there]
    counts = Counter(what for _, what in found)
    trials = Counter(call_id for call_id, _ in found)
    holds = Counter(call_id for call_id, what in found if what == HOLDS)
    calls = sorted(trials)
    interval, unit = interval_over_calls(
        [holds[call_id] for call_id in calls], [trials[call_id] for call_id in calls], confidence=confidence
    )
    return {
        "level": there[0][1].level,
        "call_count": len(calls),
        "moment_count": len(found),
        "holds_count": counts[HOLDS],
        "withheld_count": counts[WITHHELD],
        "other_count": counts[OTHER],
        "holds_share": counts[HOLDS] / len(found),
        "holds_low": interval[0],
        "holds_high": interval[1],
        "interval_unit": unit,
    }
