"""How the times of scored moments are spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A measure over the judged pairs of one side: how many have it, how many are lower bounds, median and p95."""

    events: int
    censored: int
    median: float | None
    p95: float | None


def pooled(events: Sequence[dict[str, Any]]) -> dict[str, Spread]:
    """Return how the measures of scored events are spread.

    Parameters
    ----------
    events : sequence of dict
        Rows of `scored_events` with a verdict; none gives no events and no quantiles.

    Returns
    -------
    dict of str to Spread
        `time_to_yield_s` is over moments to yield at, with the time heard for an agent that never stopped, and
        `response_gap_s` has the time up to the end of the recording where no answer came: their quantiles are lower
        bounds where any are censored.

    Notes
    -----
    Linear interpolation, position ``q (n - 1)``: numpy's default.
    """
    asked = [event for event in events if event["expect"] == "yield"]
    values = {
        "time_to_yield_s": [event["yield_observed_s"] for event in asked],
        "talk_over_s": [event["talk_over_s"] for event in events],
        "response_gap_s": [event["response_observed_s"] for event in events],
    }
    never = {
        "time_to_yield_s": sum(not event["did_yield"] for event in asked),
        "response_gap_s": sum(bool(event["response_censored"]) for event in events),
    }
    found = {}
    for name, measured in values.items():
        there = [value for value in measured if value is not None]
        median, p95 = (round(float(value), 6) for value in np.percentile(there, [50, 95])) if there else (None, None)
        found[name] = Spread(events=len(there), censored=never.get(name, 0), median=median, p95=p95)
    return found
