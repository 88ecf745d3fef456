"""Times in whatever unit a source or the user says, as seconds."""

from __future__ import annotations

from typing import Final

from workbench.ingest.protocol import TimeUnit

PER_SECOND: Final[dict[TimeUnit, int]] = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def scale(value: float, unit: TimeUnit) -> float:
    """Return a time in seconds.

    Parameters
    ----------
    value : float
        Time as the source gives it.
    unit : {'s', 'ms', 'us', 'ns'}
        Its unit: the one the format defines, or ``options.time_unit`` where the user gave one.

    Returns
    -------
    float
        Seconds. Divided, not multiplied, so that ``scale(2500, "ms") == 2.5`` exactly.
    """
    return float(value) if unit == "s" else value / PER_SECOND[unit]
