"""Which kinds of incident come back, told from stored scans; nothing is extrapolated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.analysis.folder_health import SMALL_SAMPLE
from workbench.analysis.incidents import KINDS, ONE_CHANNEL_KINDS
from workbench.stats.rates import wilson

OBSERVED, RECURRING, LOW_SAMPLE, ELEVATED = "observed", "RECURRING", "RECURRING, LOW SAMPLE", "ELEVATED"
RECURRING_CALLS = 3

Scan = Mapping[str, Any]


def recurrence(now: Scan, earlier: Sequence[Scan]) -> list[dict[str, Any]]:
    """Tell the state of every kind of incident that is in this scan and in a stored one.

    Parameters
    ----------
    now : mapping
        A scan: `policy_hash`, and `calls` with `name`, `mode` and `kinds`.
    earlier : sequence of mapping
        Stored scans with `recorded_at` as well, the oldest first.

    Returns
    -------
    list of dict
        `incident`, `state`, `call_count` of `analysed_count` calls of this scan that can show it (a mono call shows
        silences only), `window_call_count` in this one and the stored ones together (a call that is in several
        counts once), `eligible_count` two-channel calls of this scan, `seen_at` of the stored scans with the kind,
        and `elevated_over`, the scan it is compared with.

        observed: 1 or 2 calls in the window. RECURRING: 3 or more; with LOW SAMPLE where this scan has fewer than
        20 eligible calls. ELEVATED: the 95 % Wilson interval of the kind's share of two-channel calls lies wholly
        above that of the newest stored scan with the same policy, the same lanes and 20 or more eligible calls.
    """
    rows = []
    for kind in KINDS:
        here = _with(kind, now)
        before = [scan for scan in earlier if _with(kind, scan)]
        if not here or not before:
            continue
        window = here.union(*(_with(kind, scan) for scan in before))
        eligible = _eligible(now)
        state, over = OBSERVED, None
        if len(window) >= RECURRING_CALLS:
            state = RECURRING if len(eligible) >= SMALL_SAMPLE else LOW_SAMPLE
            over = _elevated_over(kind, now, earlier)
            state = ELEVATED if over else state
        rows.append(
            {
                "incident": kind,
                "state": state,
                "call_count": len(here),
                "analysed_count": len(now["calls"] if kind in ONE_CHANNEL_KINDS else eligible),
                "window_call_count": len(window),
                "eligible_count": len(eligible),
                "seen_at": [scan["recorded_at"] for scan in before],
                "elevated_over": over,
            }
        )
    return rows


def _with(kind: str, scan: Scan) -> set[str]:
    return {call["name"] for call in scan["calls"] if kind in call["kinds"]}


def _eligible(scan: Scan) -> set[str]:
    return {call["name"] for call in scan["calls"] if call["mode"] == "two_channel"}


def _lanes(scan: Scan) -> set[str]:
    return {call["mode"] for call in scan["calls"]}


def _elevated_over(kind: str, now: Scan, earlier: Sequence[Scan]) -> str | None:
    comparable = [
        scan
        for scan in earlier
        if scan["policy_hash"] == now["policy_hash"]
        and _lanes(scan) == _lanes(now)
        and len(_eligible(scan)) >= SMALL_SAMPLE
    ]
    if not comparable or len(_eligible(now)) < SMALL_SAMPLE:
        return None
    last = comparable[-1]
    here, there = _interval(kind, now), _interval(kind, last)
    above = here is not None and there is not None and here[0] > there[1]
    return str(last["recorded_at"]) if above else None


def _interval(kind: str, scan: Scan) -> tuple[float, float] | None:
    eligible = _eligible(scan)
    return wilson(len(_with(kind, scan) & eligible), len(eligible))
