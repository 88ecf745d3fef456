"""Times to yield and to respond as survival times: an agent that never stopped has a lower bound, and counts.

Dropping the moments whose end was not seen leaves those that went well, and flatters the agent. Here they stay:
they are censored at the end of what was observed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.analysis.timing_slices import group_of
from workbench.decimals import decimals
from workbench.errors import UsageError
from workbench.stats import resampling, survival
from workbench.stats.beta_product import beta_product
from workbench.stats.bounded import within
from workbench.stats.horizon import horizon
from workbench.stats.log_rank import LogRank, log_rank

if TYPE_CHECKING:
    import polars as pl

NONE = (None, None)
FEW = 10
"""Of fewer moments the bounds are rough, and `reason` says so."""

_KINDS = {"yield": ("awaits_yield", "yield_observed_s", "yield_censored")}
_KINDS["respond"] = ("awaits_response", "response_observed_s", "response_censored")


def times_to(kind: str, events: pl.DataFrame, *, by: str | None = None) -> pl.DataFrame:
    """Return the times of the moments that await a yield, or a response.

    Parameters
    ----------
    kind : {'yield', 'respond'}
        A yield is awaited where the label says yield and the agent was speaking; a response where the caller's
        turn ended before it.
    events : polars.DataFrame
        Rows of the view `timing_events` of one config.
    by : str, optional
        Column that parts them: `agent_version`, `source_format`, or a slice such as `caller_noisy`.

    Returns
    -------
    polars.DataFrame
        `call_id`, `label_id`, `group`, `duration_s`, `observed`; no rows where nothing is awaited.

    Raises
    ------
    UsageError
        For an unknown kind or column.
    """
    import polars as pl

    if kind not in _KINDS:
        raise UsageError(f"there are no times to {kind!r}", hint=f"one of: {', '.join(_KINDS)}")
    if by is not None and by not in events.columns:
        raise UsageError(f"the events have no column {by!r}", hint=f"one of: {', '.join(events.columns)}")
    awaits, duration, censored = _KINDS[kind]
    return events.filter(pl.col(awaits)).select(
        "call_id",
        "label_id",
        group_of(by),
        pl.col(duration).alias("duration_s"),
        (~pl.col(censored)).alias("observed"),
    )


def curves(times: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Return the survival curve of each group, as steps to draw.

    Parameters
    ----------
    times : polars.DataFrame
        From :func:`times_to`.
    confidence : float, default 0.95
        Two-sided level of the limits at each time.

    Returns
    -------
    polars.DataFrame
        `group`, `time_s`, `survival`, `low`, `high`, `at_risk`, `n`: from 0 over the event times to the longest
        time of the group. Limits are log-log where they exist, else those of the beta product.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    for group, own in _parted(times):
        durations, observed = own["duration_s"].to_numpy(), own["observed"].to_numpy()
        curve = survival.kaplan_meier(durations, observed, confidence=confidence)
        at = sorted({0.0, *curve.time_s.tolist(), curve.last_s})
        places = (np.searchsorted(curve.time_s, at, side="right") - 1).tolist()
        levels = [float(curve.survival[ix]) if ix >= 0 else 1.0 for ix in places]
        bare = [time for time, level in zip(at, levels, strict=True) if not 0 < level < 1]
        edge = dict(zip(bare, beta_product(durations, observed, times=bare, confidence=confidence), strict=True))
        for time, ix, level in zip(at, places, levels, strict=True):
            low, high = edge[time] if time in edge else (float(curve.low[ix]), float(curve.high[ix]))
            row = {"group": group, "time_s": time, "survival": level, "low": low, "high": high}
            rows.append(row | {"at_risk": int((durations >= time).sum()), "n": curve.n})
    kinds = {"group": pl.String, "time_s": pl.Float64, "survival": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema=kinds | {"at_risk": pl.Int64, "n": pl.Int64})


def at_risk(times: pl.DataFrame, *, ticks_s: list[float]) -> pl.DataFrame:
    """Return how many of each group were still awaited and observed at some times.

    Parameters
    ----------
    times : polars.DataFrame
        From :func:`times_to`.
    ticks_s : list of float
        In seconds.

    Returns
    -------
    polars.DataFrame
        `group`, `time_s`, `at_risk`.
    """
    import polars as pl

    rows = [
        {"group": group, "time_s": tick, "at_risk": int((own["duration_s"] >= tick).sum())}
        for group, own in _parted(times)
        for tick in ticks_s
    ]
    return pl.DataFrame(rows, schema={"group": pl.String, "time_s": pl.Float64, "at_risk": pl.Int64})


def summaries(
    times: pl.DataFrame, *, tau_s: float | None = None, confidence: float = 0.95, replicates: int = 2000
) -> pl.DataFrame:
    """Return counts, median, 90th percentile and restricted mean of each group, with limits.

    Parameters
    ----------
    times : polars.DataFrame
        From :func:`times_to`.
    tau_s : float, optional
        Where the mean ends; by default the longest time up to which the curve of every group is known, see
        :func:`horizon_s`.
    confidence : float, default 0.95
        Two-sided level.
    replicates : int, default 2000
        Of the bootstrap.

    Returns
    -------
    polars.DataFrame
        One row a group. Where each call gives one moment, limits are log-log, of the mean Greenwood's on the logit
        scale of 0 to `tau_s`; else calls are drawn. `finished_mean_s` is the mean of the moments whose end was seen,
        which flatters the agent and shows by how much. What the data cannot give is null, and `reason` says why.
    """
    import polars as pl

    parts = list(_parted(times))
    if tau_s is None and parts:
        tau_s = horizon_s([own for _, own in parts])
    rows = [
        _summary(group, own, tau_s=tau_s or 0.0, confidence=confidence, replicates=replicates) for group, own in parts
    ]
    return pl.DataFrame(rows, schema=_schema())


def horizon_s(groups: Sequence[pl.DataFrame]) -> float:
    """Return the longest time up to which the survival curve of every group is known.

    Parameters
    ----------
    groups : sequence of polars.DataFrame
        At least one; each with `duration_s` and `observed`, and at least one row.

    Returns
    -------
    float
        In seconds, as :func:`workbench.stats.horizon.horizon` has it.

    Examples
    --------
    >>> import polars as pl
    >>> quick, never = ({"duration_s": [0.3, 0.4], "observed": [True] * 2}, {"duration_s": [3.0], "observed": [False]})
    >>> horizon_s([pl.DataFrame(quick), pl.DataFrame(never)])
    3.0
    """
    return horizon([(own["duration_s"].to_numpy(), own["observed"].to_numpy()) for own in groups])


def compared(times: pl.DataFrame) -> LogRank | None:
    """Test whether the groups' times are alike.

    Parameters
    ----------
    times : polars.DataFrame
        From :func:`times_to`, parted by a column.

    Returns
    -------
    LogRank or None
        See :func:`workbench.stats.log_rank.log_rank`; None where there is nothing to compare.
    """
    return log_rank(times["duration_s"].to_numpy(), times["observed"].to_numpy(), groups=times["group"].to_list())


def _parted(times: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    parts = times.partition_by("group", as_dict=True).items()
    return sorted(((str(group), own) for (group,), own in parts), key=lambda part: part[0])


def _schema() -> dict[str, Any]:
    import polars as pl

    counts = ("call_count", "moment_count", "event_count", "censored_count")
    seconds = (f"{what}{end}_s" for what in ("median", "p90", "mean") for end in ("", "_low", "_high"))
    numbers = dict.fromkeys((*seconds, "tau_s", "finished_mean_s"), pl.Float64)
    return {"group": pl.String, **dict.fromkeys(counts, pl.Int64), **numbers, "unit": pl.String, "reason": pl.String}


def _summary(group: str, own: pl.DataFrame, *, tau_s: float, confidence: float, replicates: int) -> dict[str, Any]:
    durations, observed = own["duration_s"].to_numpy(), own["observed"].to_numpy()
    calls, which = resampling.numbered(own["call_id"].to_list())
    curve = survival.kaplan_meier(durations, observed, confidence=confidence)
    quantiles = {"median": survival.quantile(curve, 0.5), "p90": survival.quantile(curve, 0.9)}
    mean = survival.restricted_mean(durations, observed, tau_s=tau_s, confidence=confidence) if tau_s > 0 else None
    found: dict[str, tuple[float | None, ...]] = {
        **{name: tuple(value) for name, value in quantiles.items()},
        "mean": (None, *NONE)
        if mean is None
        else (mean.mean, *(within(*mean[:2], most=tau_s, confidence=confidence) or NONE)),
    }
    reasons, unit = [], "moment, one a call"
    if len(calls) < len(durations):
        unit = "call"
        limits: dict[str, tuple[float | None, float | None]] = dict.fromkeys(found, NONE)
        if len(calls) < resampling.FEWEST_CLUSTERS:
            reasons.append("fewer than 3 calls: no interval")
        elif observed.any():
            counts = resampling.draws(calls, replicates=replicates)
            at, drawn = resampling.survivals(durations, observed, which=which, counts=counts)
            for name, p in (("median", 0.5), ("p90", 0.9)):
                drawn_s = resampling.survival_quantiles(at, drawn, p=p)
                limits[name] = _opened(resampling.ends(drawn_s, confidence=confidence), at, curve.last_s)
            known_s = min(tau_s, curve.last_s)  # beyond its last event the curve is 0, and no draw has anything there
            ends = resampling.ends(resampling.restricted_means(at, drawn, tau_s=known_s), confidence=confidence)
            limits["mean"] = (ends.low, ends.high) if ends.low < ends.high else NONE
            if narrow := resampling.narrow(len(calls)):
                reasons.append(narrow)
        found = {name: (value[0], *limits[name]) for name, value in found.items()}
    elif len(calls) < FEW and observed.any():
        reasons.append(f"fewer than {FEW} moments: the bounds are rough")
    if not observed.any():
        reasons.append(f"no end was seen: longer than {decimals(curve.last_s)} s in all {len(durations)}")
    elif found["median"][0] is None:
        reasons.append("the median was not reached")
    return {
        "group": group,
        "call_count": len(calls),
        "moment_count": len(durations),
        "event_count": curve.event_count,
        "censored_count": len(durations) - curve.event_count,
        **{
            f"{name}{end}_s": value
            for name, values in found.items()
            for end, value in zip(("", "_low", "_high"), values, strict=True)
        },
        "tau_s": tau_s,
        "finished_mean_s": float(durations[observed].mean()) if observed.any() else None,
        "unit": unit,
        "reason": "; ".join(reasons) or None,
    }


def _opened(ends: Any, times: Any, last_s: float) -> tuple[float | None, float | None]:
    """Limits of a quantile; one at the edge of what was seen only says that the draws ended there: open.

    Where the lower one was not reached either, it lies beyond the longest time that was observed.
    """
    low = last_s if not np.isfinite(ends.low) else None if ends.low <= times[0] else ends.low
    high = None if not np.isfinite(ends.high) or ends.high >= times[-1] else ends.high
    return low, high
