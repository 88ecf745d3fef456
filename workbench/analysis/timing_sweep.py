"""A grid of parameters over all labelled moments: how many verdicts flip, which, and at which value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from workbench.analysis.timing_held import BOUNDS, HeldMoments, own_bounds
from workbench.analysis.timing_levels import SWEPT
from workbench.analysis.timing_settings import Value, value_text
from workbench.analysis.timing_slices import ALL
from workbench.errors import UsageError
from workbench.timing.events import bound_decides
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    import polars as pl

    from workbench.audio.config import MeasureConfig

MOST_POINTS = 2000
STATUSES = ("PASS", "FAIL", "INCONCLUSIVE", "NOT_SCORABLE")

Grid = Mapping[str, Sequence[Value]]


class Sweep(NamedTuple):
    """What a sweep found: the default it is compared with, one row a grid point, a moment, and a flip."""

    default: dict[str, Value]
    points: pl.DataFrame
    moments: pl.DataFrame
    flips: pl.DataFrame


def sweep(held: HeldMoments, grid: Grid, *, base: ScoreConfig | None = None, by: str | None = None) -> Sweep:
    """Derive every verdict anew at every point of a grid and compare it with the default.

    Parameters
    ----------
    held : HeldMoments
        Labelled moments and what their verdicts rest on.
    grid : mapping of str to sequence
        Values by parameter; every combination is a point. A bound replaces those that labels bring; no bound
        leaves them.
    base : ScoreConfig, optional
        The default that verdicts are compared with, beside the config that the archive was measured with.
    by : str, optional
        Column of the view `timing_events` that parts the counts, such as `caller_noisy`.

    Returns
    -------
    Sweep
        `points` counts statuses and flips of each combination and group (`group` is "all" without `by`); a flip is
        another status, not another reason. `flips` says for each moment and parameter, the others at their default,
        the nearest value below and above the default at which its verdict is another one. Tables are empty where
        nothing is labelled.

    Raises
    ------
    UsageError
        When the grid has more than 2,000 points, or a value that its config refuses; when `by` is no column.
    """
    base = base or ScoreConfig()
    size = prod(len(values) for values in grid.values())
    if size > MOST_POINTS:
        raise UsageError(f"{size} grid points are too many, {MOST_POINTS} is the most", hint="sweep fewer values")
    default = {name: _default(held, base, name) for name in grid}
    before = held.rows(base)
    seen: dict[tuple[Value, ...], list[dict[str, Any]]] = {tuple(default.values()): before}
    points = list(product(*_ordered(grid, held, base)))
    alone = [tuple((default | {name: value}).values()) for name, values in grid.items() for value in values]
    for point in (*points, *alone):
        if point not in seen:
            values = dict(zip(grid, point, strict=True))
            score, measure = _configs(held, base, values)
            replaced = [name for name in BOUNDS if values.get(name) is not None]
            seen[point] = held.rows(score, measure=measure, replaced=replaced)
    return Sweep(
        default,
        _points(grid, points, groups=held.groups(by), before=before, seen=seen),
        _moments(points, before=before, seen=seen),
        _flips(grid, default, labels=held.labels, before=before, seen=seen),
    )


def _ordered(grid: Grid, held: HeldMoments, base: ScoreConfig) -> Iterator[Sequence[Value]]:
    """The values of each parameter, refused before anything is derived where a config would not take one."""
    for name, values in grid.items():
        for value in values:
            _configs(held, base, {name: value})
        yield values


def _default(held: HeldMoments, base: ScoreConfig, name: str) -> Value:
    value: Value = getattr(held.measured_with if name in SWEPT else base, name)
    return value


def _configs(held: HeldMoments, base: ScoreConfig, values: Mapping[str, Value]) -> tuple[ScoreConfig, MeasureConfig]:
    scoring = {name: value for name, value in values.items() if name not in SWEPT}
    measuring = {name: value for name, value in values.items() if name in SWEPT}
    return msgspec.structs.replace(base, **scoring), msgspec.structs.replace(held.measured_with, **measuring)


Rows = list[dict[str, Any]]


def _points(
    grid: Grid,
    points: Sequence[tuple[Value, ...]],
    *,
    groups: Sequence[str],
    before: Rows,
    seen: Mapping[tuple[Value, ...], Rows],
) -> pl.DataFrame:
    import polars as pl

    found = []
    for group in sorted(set(groups)) or [ALL]:
        own = [ix for ix, name in enumerate(groups) if name == group]
        for values in points:
            pairs = [(before[ix]["status"], seen[values][ix]["status"]) for ix in own]
            counts = {f"{status.lower()}_count": sum(new == status for _, new in pairs) for status in STATUSES}
            flips = {"flip_count": sum(old != new for old, new in pairs)}
            flips |= {
                "pass_to_fail_count": pairs.count(("PASS", "FAIL")),
                "fail_to_pass_count": pairs.count(("FAIL", "PASS")),
            }
            found.append(dict(zip(grid, values, strict=True)) | {"group": group} | counts | flips)
    kinds: dict[str, Any] = {name: pl.Boolean if name == "echo_gate" else pl.Float64 for name in grid}
    counted = [f"{status.lower()}_count" for status in STATUSES]
    counted += ["flip_count", "pass_to_fail_count", "fail_to_pass_count"]
    return pl.DataFrame(found, schema=kinds | {"group": pl.String} | dict.fromkeys(counted, pl.Int64))


def _moments(
    points: Sequence[tuple[Value, ...]], *, before: Rows, seen: Mapping[tuple[Value, ...], Rows]
) -> pl.DataFrame:
    import polars as pl

    found = []
    for ix, old in enumerate(before):
        others = [seen[values][ix]["status"] for values in points]
        row = {name: old[name] for name in ("call_id", "label_id", "onset_s", "expect", "status", "reason")}
        row |= {"boundary_sensitive": old["boundary_sensitive"] if bound_decides(old) else None}
        row |= {"flip_count": sum(status != old["status"] for status in others), "point_count": len(points)}
        found.append(row)
    texts = ("call_id", "label_id", "expect", "status", "reason")
    kinds: dict[str, Any] = dict.fromkeys(texts, pl.String) | {"onset_s": pl.Float64, "boundary_sensitive": pl.Boolean}
    kinds |= dict.fromkeys(("flip_count", "point_count"), pl.Int64)
    frame = pl.DataFrame(found, schema=kinds)
    return frame.sort("flip_count", "call_id", "label_id", descending=[True, False, False])


def _flips(
    grid: Grid,
    default: Mapping[str, Value],
    *,
    labels: Sequence[Mapping[str, Any]],
    before: Rows,
    seen: Mapping[tuple[Value, ...], Rows],
) -> pl.DataFrame:
    """The nearest value on each side of the default, the other parameters at theirs, with another verdict."""
    import polars as pl

    found = []
    for name, values in grid.items():
        for ix, (old, label) in enumerate(zip(before, labels, strict=True)):
            own = own_bounds(label).get(name, default[name])
            for side, ordered in _sides(name, values, own).items():
                kept = own
                for value in ordered:
                    new = seen[tuple((dict(default) | {name: value}).values())][ix]
                    if new["status"] != old["status"]:
                        row = {key: old[key] for key in ("call_id", "label_id", "onset_s", "expect", "status")}
                        row |= {
                            "parameter": name,
                            "side": side,
                            "kept_at": value_text(kept),
                            "flips_at": value_text(value),
                        }
                        found.append(row | {"status_then": new["status"], "reason_then": new["reason"]})
                        break
                    kept = value
    texts = "call_id label_id expect status parameter side kept_at flips_at status_then reason_then".split()
    kinds: dict[str, Any] = dict.fromkeys(texts, pl.String)
    order = "call_id label_id onset_s expect parameter side kept_at flips_at status status_then reason_then".split()
    return (
        pl.DataFrame(found, schema=kinds | {"onset_s": pl.Float64})
        .select(order)
        .sort("call_id", "label_id", "parameter", "side")
    )


def _sides(name: str, values: Sequence[Value], own: Value) -> dict[str, list[Value]]:
    """The values below and above one, the nearest first."""
    centre, places = _place(name, own), {value: _place(name, value) for value in values}
    below = sorted((value for value in values if places[value] < centre), key=lambda value: -places[value])
    above = sorted((value for value in values if places[value] > centre), key=lambda value: places[value])
    return {"below": below, "above": above}


def _place(name: str, value: Value) -> float:
    """Where a value lies on its axis; no bound lies above every bound, no gate below every gate."""
    if value is None:
        return float("inf") if name in BOUNDS else float("-inf")
    return float(value)
