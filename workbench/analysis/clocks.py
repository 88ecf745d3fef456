"""Two clocks: the latency a framework reported beside the one that is heard, and reports that cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.errors import UsageError
from workbench.plural import plural
from workbench.stats.theil_sen import Line, theil_sen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from workbench.archive.archive import Archive

Row = dict[str, Any]
LEAST_TURNS = 3
LONGEST_MS = 60_000.0
FAR_MS, FAR_MADS = 1000.0, 5.0
"""A report is looked for at a neighbour when it is this far off, and this many median deviations."""
NEAR_MS, NEAR_SHARE = 250.0, 0.2
"""It is taken for the neighbour's when it lies this near there, and at most this share of its own residual off."""
SHIFTED_LEAST, SHIFTED_SHARE = 5, 1 / 3
"""Reports are one answer late or early as a whole when that makes the median deviation this many times smaller."""

NO_REPORTS = "no response latency was reported"
SOUND_WANTED = (
    "its recording, caller and agent on channels of their own, imported with the call (--replace where it is there "
    "already) and measured"
)
REPORTS_WANTED = (
    "import the call with the latencies its framework reported (stage_timings of the stage e2e), with --replace"
)

QUERIES = {
    "timings": "select (select count(*) from stage_timings where call_id = $call) from calls where call_id = $call",
    "reports": "from reported_latency where call_id = $call order by answer_start_s nulls last, timing_ix",
    "gaps": "select gap_ix, agent_start_s, gap_s from turn_gaps where call_id = $call order by gap_ix",
    "calls": "select distinct call_id from reported_latency order by call_id",
}
"""The SQL behind it; `$call` is the call."""


@dataclass(frozen=True)
class TwoClocks:
    """How the reports of a call relate to its sound.

    `status` is SCORED, or INCONCLUSIVE with its `reason`. For a report at ``t`` seconds of the call the fit is
    ``reported_ms = gap_ms + offset_ms + drift_ms_per_min * t / 60``. The limits of the drift are those of 95 %, None
    where there are too few turns for any. `residual_mad_ms` is the median size of a residual over the fitted turns.
    `next_step` says what would give the call the clock it lacks.
    `shift` is -1 or 1 where the reports as a whole fit the answers one before or after theirs.
    `turns` has a row a report: those of the view, `residual_ms`, and `fault`, why it is impossible.
    """

    call_id: str
    status: str
    reason: str | None = None
    next_step: str | None = None
    report_count: int = 0
    common_count: int = 0
    fitted_count: int = 0
    offset_ms: float | None = None
    drift_ms_per_min: float | None = None
    drift_low_ms_per_min: float | None = None
    drift_high_ms_per_min: float | None = None
    residual_mad_ms: float | None = None
    shift: int | None = None
    turns: list[Row] = field(default_factory=list)

    @property
    def faults(self) -> list[Row]:
        """The reports that are impossible."""
        return [turn for turn in self.turns if turn["fault"]]

    def frame(self) -> pl.DataFrame:
        """Return the turns as a frame."""
        import polars as pl

        numbers = "reported_ms answer_start_s gap_ms difference_ms residual_ms".split()
        types = dict.fromkeys(numbers, pl.Float64()) | {"fault": pl.String()}
        return pl.DataFrame(self.turns, schema_overrides=types, infer_schema_length=None)


def two_clocks(archive: Archive, call_id: str) -> TwoClocks:
    """Relate the reports of a call to its sound.

    Parameters
    ----------
    archive : Archive
        The archive.
    call_id : str
        The call; used as a parameter only.

    Returns
    -------
    TwoClocks
        INCONCLUSIVE for a call that reports nothing or that is not timed by audio.

    Raises
    ------
    UsageError
        When the archive has no such call.
    """
    import polars as pl

    timings = archive.sql(QUERIES["timings"], {"call": call_id})
    if timings.is_empty():
        hint = archive.layout.command("workbench sql 'from reported_latency'")
        raise UsageError(f"no call {call_id!r}", where=str(archive.path), hint=hint)
    if not timings.item():
        return relate(call_id, pl.DataFrame(), pl.DataFrame())
    reports, gaps = (archive.sql(QUERIES[name], {"call": call_id}) for name in ("reports", "gaps"))
    return relate(call_id, reports, gaps)


def every_call(archive: Archive) -> list[TwoClocks]:
    """Relate the two clocks of each call that reports a latency.

    Parameters
    ----------
    archive : Archive
        The archive.

    Returns
    -------
    list of TwoClocks
        In the order of the calls; empty where none reports any.
    """
    return [two_clocks(archive, call_id) for call_id in archive.sql(QUERIES["calls"])["call_id"]]


def relate(call_id: str, reports: pl.DataFrame, gaps: pl.DataFrame) -> TwoClocks:
    """Fit offset and drift of one call's reports, and name those that are impossible.

    Parameters
    ----------
    call_id : str
        The call.
    reports : polars.DataFrame
        Its rows of `reported_latency`.
    gaps : polars.DataFrame
        `gap_ix`, `agent_start_s`, `gap_s` of all its answers, in order.

    Returns
    -------
    TwoClocks
        A report below 0 or above 60 s is impossible and takes no part. Offset and drift are fitted to the others
        (Theil-Sen). A report more than 1 s and more than 5 median deviations off, that fits the answer before or
        after its own within 250 ms and a fifth of that, is attributed to the wrong turn: it is named and the line
        fitted again without it. INCONCLUSIVE with a reason where fewer than 3 reports remain, or the call's clock is
        not audio: other clocks are the source's own, and a source cannot be held against itself.
    """
    rows = [row | {"residual_ms": None, "fault": _impossible(row["reported_ms"])} for row in reports.to_dicts()]
    common = [row for row in rows if row["difference_ms"] is not None]
    usable = [row for row in common if not row["fault"]]
    reason, next_step = _against(rows, usable)
    found = TwoClocks(call_id, "INCONCLUSIVE", reason, next_step, len(rows), len(common), turns=rows)
    if found.reason is not None:
        return found
    heard = _Heard(gaps["agent_start_s"].to_numpy(), 1000 * gaps["gap_s"].to_numpy())
    shift = _shift(usable, heard)
    if shift:
        whose = "before" if shift < 0 else "after"
        for row in usable:
            row["fault"] = f"attributed to the wrong turn: all reports of the call fit the answer {whose} theirs"
    fitted = usable if shift else _named(usable, heard)
    line = heard.line(fitted, shift)
    for row in common:
        row["residual_ms"] = float(heard.residuals([row], line)[0])
    return replace(
        found,
        status="SCORED",
        fitted_count=len(fitted),
        offset_ms=line.intercept,
        drift_ms_per_min=line.slope * 60,
        drift_low_ms_per_min=None if line.slope_low is None else line.slope_low * 60,
        drift_high_ms_per_min=None if line.slope_high is None else line.slope_high * 60,
        residual_mad_ms=float(np.median(np.abs(heard.residuals(fitted, line, shift=shift)))),
        shift=shift or None,
    )


def _against(rows: Sequence[Row], usable: Sequence[Row]) -> tuple[str | None, str | None]:
    """Return why the clocks cannot be related, or None; and what to import."""
    if not rows:
        return NO_REPORTS, REPORTS_WANTED
    if not any(row["clock"] == "audio" for row in rows):
        clock = rows[0]["clock"]
        why = f"its times are the source's own ({clock})" if clock else "the call has none"
        return f"no audio clock: {why}", f"it needs {SOUND_WANTED}"
    if len(usable) >= LEAST_TURNS and len({row["answer_start_s"] for row in usable}) > 1:
        return None, None
    turns = plural(len(usable), "turn")
    missing = _most_frequent(rows)
    return f"{turns} in common, at least {LEAST_TURNS} are needed" + (f" ({missing})" if missing else ""), None


def _impossible(reported_ms: float | None) -> str | None:
    if reported_ms is None:
        return None
    if reported_ms < 0:
        return "negative: the answer would have come before the question ended"
    return f"over {LONGEST_MS / 1000:.0f} s" if reported_ms > LONGEST_MS else None


def _most_frequent(rows: Sequence[Row]) -> str:
    reasons = [row["reason"] for row in rows if row["reason"]]
    return max(reasons, key=lambda reason: (reasons.count(reason), reason)) if reasons else ""


@dataclass(frozen=True)
class _Heard:
    """The answers of a call: when they come in seconds, and the gaps before them in ms."""

    at: NDArray[np.float64]
    gap_ms: NDArray[np.float64]

    def differences(self, rows: Sequence[Row], shift: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return when answers come and how far reports differ from them; of the answers `shift` later, if asked."""
        inside = [(row, row["gap_ix"] + shift) for row in rows if 0 <= row["gap_ix"] + shift < len(self.at)]
        times = np.array([self.at[ix] for _, ix in inside])
        return times, np.array([row["reported_ms"] - self.gap_ms[ix] for row, ix in inside])

    def line(self, rows: Sequence[Row], shift: int = 0) -> Line:
        return theil_sen(*self.differences(rows, shift))

    def residuals(self, rows: Sequence[Row], line: Line, *, shift: int = 0) -> NDArray[np.float64]:
        times, differences = self.differences(rows, shift)
        residuals: NDArray[np.float64] = differences - line.intercept - line.slope * times
        return residuals


def _shift(rows: Sequence[Row], heard: _Heard) -> int:
    """Return -1 or 1 where all reports fit the answers before or after theirs much better, else 0."""
    spread = {}
    for shift in (0, -1, 1):
        times, _ = heard.differences(rows, shift)
        if len(times) >= (SHIFTED_LEAST if shift else LEAST_TURNS) and len(np.unique(times)) > 1:
            residuals = heard.residuals(rows, heard.line(rows, shift), shift=shift)
            spread[shift] = float(np.median(np.abs(residuals)))
    best = min(spread, key=lambda shift: (spread[shift], abs(shift)))
    return best if best and spread[0] > NEAR_MS and spread[best] <= SHIFTED_SHARE * spread[0] else 0


def _named(rows: list[Row], heard: _Heard) -> list[Row]:
    """Name reports that belong to a neighbouring answer and return the others; none where too few would be left."""
    line = heard.line(rows)
    own = np.abs(heard.residuals(rows, line))
    far = np.maximum(FAR_MS, FAR_MADS * np.median(own))
    kept = []
    for row, size in zip(rows, own, strict=True):
        others = {
            row["gap_ix"] + step: abs(float(residual))
            for step in (-1, 1)
            for residual in heard.residuals([row], line, shift=step)
        }
        ix = min(others, key=lambda ix: others[ix]) if others else None
        if size > far and ix is not None and others[ix] <= min(NEAR_MS, NEAR_SHARE * size):
            row["fault"] = (
                f"attributed to the wrong turn: it fits the answer at {heard.at[ix]:.2f} s within {others[ix]:.0f} ms "
                f"and is {size:.0f} ms off its own"
            )
        else:
            kept.append(row)
    if len(kept) >= LEAST_TURNS and len({row["answer_start_s"] for row in kept}) > 1:
        return kept
    for row in rows:
        row["fault"] = None  # with so few turns it cannot be told which is wrong
    return rows
