"""What the settings of refined boundaries rest on: each is moved alone, on the sources they were chosen on.

The sound is heard once and the boundaries are derived for every setting, so that nothing else differs. The meetings
that the error is reported on take no part. A setting stands where no other value of its row is better on the sum
over sources of the median and the 90th percentile of absolute start errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from benchmarks.tables import Table
from benchmarks.timing_truth import WORSE, bank, worse
from workbench.analysis.timing_truth_calls import Item, rendered_calls
from workbench.audio.config import MeasureConfig
from workbench.audio.neural_tracks import REFINED, Heard, hear, runs_of
from workbench.audio.read import blocks
from workbench.audio.refined import RefinedConfig
from workbench.timing.truth import compare
from workbench.timing.truth_errors import distribution

FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0)
MOST = {"floor_quantile": 0.5, "peak_quantile": 0.95, "start_rise": 0.9, "end_rise": 0.9, "leak_quantile": 0.9}
MOST |= {"own_share": 0.95}
FIXED = ("neural", "frame_ms", "hop_ms")
SIZES = {
    "tiny": (("back_s",), 1, (), ("leak -20 dB",), 1),
    "quick": (("start_rise", "leak_margin_db", "back_s"), 4, WORSE[:1], ("leak -20 dB",), 4),
    "full": (
        tuple(name for name in RefinedConfig.__struct_fields__ if name not in FIXED),
        8,
        WORSE,
        ("clean", "noise 20 dB", "leak -20 dB"),
        12,
    ),
}
"""Settings, bank calls, what is done to them besides, conditions of rendered calls, rendered calls of each."""


class Listened(NamedTuple):
    """A source: its calls, and what was heard of each."""

    name: str
    items: list[Item]
    heard: list[Heard]


def run(size: str, scratch: Path) -> list[Table]:
    """Move each setting alone; the table has a row a setting and value, and says where a better one was found."""
    names, count, changes, conditions, made = SIZES[size]
    sources = [_listened("bank calls", bank()[:count])]
    for place in ("bank", "made"):
        (scratch / place).mkdir()
    for change in changes:
        items = [worse(item, change, scratch / "bank") for item in bank()[:count]]
        sources.append(_listened(f"bank calls, {change}", items))
    for condition in conditions:
        items = rendered_calls(condition, count=made, folder=scratch / "made")
        sources.append(_listened(f"rendered, {condition}", items))
    table = Table(
        "refined_tuning: absolute errors of starts in ms, median / 90th percentile, missed",
        ["setting", "value", *(source.name for source in sources), "sum"],
    )
    chosen = _errors(RefinedConfig(), sources)
    total = _sum(chosen)
    table.rows.append(["(as chosen)", "-", *map(_cell, chosen), f"{total:.0f}"])
    for name in names:
        best = (total, None)
        for config, value in _moved(name):
            found = _errors(config, sources)
            table.rows.append([name, f"{value:g}", *map(_cell, found), f"{_sum(found):.0f}"])
            best = min(best, (_sum(found), value), key=lambda pair: pair[0])
        if best[1] is not None and best[0] < 0.98 * total:
            table.remarks.append(f"{name} {best[1]:g} is better on these sources: {best[0]:.0f} against {total:.0f}")
    if not table.remarks:
        table.remarks.append("no setting moved alone is better by 2 % or more: the chosen ones come out again")
    return [table]


def _listened(name: str, items: list[Item]) -> Listened:
    heard = [hear(blocks(item.path), sample_rate_hz=item.call.sample_rate_hz) for item in items]
    return Listened(name, items, heard)


def _moved(name: str) -> list[tuple[RefinedConfig, float]]:
    """The config with one setting at other values than its own."""
    own = float(getattr(RefinedConfig(), name))
    values = sorted({round(min(own * factor, MOST.get(name, float("inf"))), 6) for factor in FACTORS} - {own})
    return [(msgspec.structs.replace(RefinedConfig(), **{name: value}), value) for value in values]


def _errors(config: RefinedConfig, sources: list[Listened]) -> list[tuple[float, float, int]]:
    found = []
    for source in sources:
        rows: list[dict[str, Any]] = []
        for item, heard in zip(source.items, source.heard, strict=True):
            for role, runs in zip(item.roles, runs_of(heard, item.roles, REFINED, config=config), strict=True):
                ids = {"call_id": item.call.call_id, "role": role}
                start = item.call.offset_s
                rows += [
                    ids | {"start_s": start + begin, "end_s": start + end, "voiced_end_s": start + end}
                    for begin, end in runs
                ]
        shape = dict.fromkeys(("call_id", "role"), pl.String)
        shape |= dict.fromkeys(("start_s", "end_s", "voiced_end_s"), pl.Float64)
        bare = msgspec.structs.replace(MeasureConfig(), hop_ms=1.0, hangover_s=0.0)
        one = compare([item.call for item in source.items], pl.DataFrame(rows, schema=shape), config=bare)
        errors = [row for row in one.errors if row["signal"] == "onset"]
        size = distribution(errors, missed=one.missed["onset"]).absolute
        found.append((size.median or 0.0, size.p90 or 0.0, one.missed["onset"]))
    return found


def _sum(found: list[tuple[float, float, int]]) -> float:
    return sum(median + p90 for median, p90, _ in found)


def _cell(found: tuple[float, float, int]) -> str:
    median, p90, missed = found
    return f"{median:.1f} / {p90:.0f}" + (f", {missed}" if missed else "")
