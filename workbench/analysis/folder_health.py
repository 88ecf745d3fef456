"""The health of many calls: the share without a critical incident, and what the others suffer from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.analysis.incidents import KINDS, counts
from workbench.analysis.incidents_aside import ASIDE, ENDED, FAINT, listed
from workbench.decimals import proportion
from workbench.plural import plural
from workbench.stats.rates import wilson
from workbench.timing.health import CAUTION

SMALL_SAMPLE = 20
"""Below so many two-channel calls a share is called a small sample."""

LANES = ("two_channel", "mono")
MOST_CALLS = 10

Rows = Sequence[Mapping[str, Any]]


def critical_free(calls: Rows) -> dict[str, Any]:
    """Return the share of two-channel calls without a critical incident, with its counts and interval.

    Parameters
    ----------
    calls : sequence of mapping
        `mode`, `recommendation`, `incidents` (with `severity`). Calls of other modes are left out of both counts.

    Returns
    -------
    dict
        `critical_free_count` / `call_count` = `critical_free_call_rate` (0..1), with the bounds of the 95 %
        Wilson interval, `critical_free_with_faint_count`, those where nothing critical rests on faint sound alone
        either, `recording_ended_count`, those of `critical_free_count` in which a barge-in stands apart because the
        recording ends before it shows whether the agent stops, `small_sample` below 20 calls, and `caution_count`, the
        calls that are to be read with caution (no verdict may rest on them), with `caution_critical_free_count`, those
        of them without a critical incident: the share is that of all, and without them both counts are less. Without a
        two-channel call the rate and
        its bounds are None and `reason` says so.
    """
    analysed = [call for call in calls if call["mode"] == "two_channel"]
    rough = [call for call in analysed if call["recommendation"] == CAUTION]
    every = sum(
        not any(one["severity"] == "critical" and one.get("aside") in (None, FAINT) for one in call["incidents"])
        for call in analysed
    )
    free_calls = [call for call in analysed if not counts(call["incidents"])["critical"]]
    free = len(free_calls)
    interval = wilson(free, len(analysed))
    return {
        "critical_free_count": free,
        "call_count": len(analysed),
        "critical_free_with_faint_count": every,
        "recording_ended_count": sum(
            any(one.get("aside") == ENDED for one in call["incidents"]) for call in free_calls
        ),
        "critical_free_call_rate": free / len(analysed) if analysed else None,
        "critical_free_call_rate_low": interval.low if interval else None,
        "critical_free_call_rate_high": interval.high if interval else None,
        "small_sample": 0 < len(analysed) < SMALL_SAMPLE,
        "caution_count": len(rough),
        "caution_critical_free_count": sum(not counts(call["incidents"])["critical"] for call in rough),
        "reason": None if analysed else "no call with two channels could be analysed",
    }


def mono_block(calls: Rows) -> dict[str, Any] | None:
    """Return what calls of one mixed channel show; they never enter the share.

    Parameters
    ----------
    calls : sequence of mapping
        As for :func:`critical_free`.

    Returns
    -------
    dict or None
        `call_count`, `critical_free_count`, incidents by severity, and `one_side_files`, those named like one side of a
        call whose other side is not there; None where there is no such call.
    """
    found = [call for call in calls if call["mode"] == "mono"]
    if not found:
        return None
    return {
        "call_count": len(found),
        "critical_free_count": sum(not counts(call["incidents"])["critical"] for call in found),
        "incident_counts": counts([one for call in found for one in call["incidents"]]),
        "one_side_files": [call["file"] for call in found if "pair_incomplete" in call.get("warnings", ())],
    }


def kinds(calls: Rows) -> list[dict[str, Any]]:
    """Return a row for each kind of incident and lane that occurs, without incidents that stand apart.

    Parameters
    ----------
    calls : sequence of mapping
        As for :func:`critical_free`, with `file`.

    Returns
    -------
    list of dict
        `lane`, `incident`, `incident_count`, `critical_count`, `call_count` (calls with it), `worst_magnitude_s`
        (the longest) and the file and address it was found in; two channels before mono. Empty for no incidents.
    """
    rows = []
    for lane in LANES:
        own = [(call, one) for call in calls if call["mode"] == lane for one in listed(call["incidents"])]
        for kind in KINDS:
            found = [(call, one) for call, one in own if one["incident"] == kind]
            if not found:
                continue
            call, worst = min(found, key=lambda pair: (-pair[1]["magnitude_s"], pair[0]["file"], pair[1]["number"]))
            rows.append(
                {
                    "lane": lane,
                    "incident": kind,
                    "incident_count": len(found),
                    "critical_count": sum(one["severity"] == "critical" for _, one in found),
                    "call_count": len({call["name"] for call, _ in found}),
                    "worst_magnitude_s": worst["magnitude_s"],
                    "worst_file": call["file"],
                    "worst_address": worst["address"],
                }
            )
    return rows


def aside(calls: Rows) -> list[dict[str, Any]]:
    """Return a row for each reason for which incidents stand apart, as :mod:`workbench.analysis.incidents_aside` says.

    Parameters
    ----------
    calls : sequence of mapping
        As for :func:`critical_free`.

    Returns
    -------
    list of dict
        `aside`, `incident_count`, and `call_count`, the calls with one. Empty where none does.
    """
    rows = []
    for name in ASIDE:
        found = [sum(one.get("aside") == name for one in call["incidents"]) for call in calls]
        if any(found):
            rows.append({"aside": name, "incident_count": sum(found), "call_count": sum(map(bool, found))})
    return rows


def worst_calls(calls: Rows, *, most: int = MOST_CALLS) -> list[dict[str, Any]]:
    """Rank calls with incidents: by critical ones, then by the longest incident of the worst severity.

    Parameters
    ----------
    calls : sequence of mapping
        As for :func:`critical_free`, with `file`, `name`.
    most : int
        Rows wanted.

    Returns
    -------
    list of dict
        `rank` from 1, `file_count` (2: a side each), incidents by severity, the worst one, and `caution`: why the call
        is to be read with caution (None: it is not). Two channels before mono, where less can be seen.
    """
    ranked = sorted(
        (call for call in calls if listed(call["incidents"])),
        key=lambda call: (
            LANES.index(call["mode"]),
            -counts(call["incidents"])["critical"],
            -call["incidents"][0]["magnitude_s"],
            call["file"],
        ),
    )
    return [
        {
            "rank": rank,
            "file": call["file"],
            "name": call["name"],
            "mode": call["mode"],
            "file_count": call.get("file_count", 1),
            "caution": call.get("caution"),
            **{f"{name}_count": count for name, count in counts(call["incidents"]).items()},
            "worst_incident": call["incidents"][0]["incident"],
            "worst_severity": call["incidents"][0]["severity"],
            "worst_at_s": call["incidents"][0]["onset_s"],
            "worst_magnitude_s": call["incidents"][0]["magnitude_s"],
        }
        for rank, call in enumerate(ranked[:most], start=1)
    ]


def without_caution(share: Mapping[str, Any]) -> str | None:
    """Say what the share counts that is to be read with caution, and what is left without it.

    Parameters
    ----------
    share : mapping
        From :func:`critical_free`.

    Returns
    -------
    str or None
        None where there is no such call.
    """
    count, free = share["caution_count"], share["caution_critical_free_count"]
    if not count:
        return None
    rest = f"{share['critical_free_count'] - free} of {plural(share['call_count'] - count, 'call')}"
    return (
        f"{count} of these {'is' if count == 1 else 'are'} to be read with caution (for instance leakage, "
        f"a suspected swap, a low level), {free} of them without a critical incident; without them: {rest}"
    )


def not_seen(share: Mapping[str, Any]) -> str | None:
    """Say of how many calls without a critical incident the recording ended too early to show one.

    Parameters
    ----------
    share : mapping
        From :func:`critical_free`.

    Returns
    -------
    str or None
        None where there is no such call.
    """
    count = share.get("recording_ended_count")
    if not count:
        return None
    return (
        f"{count} of the {plural(share['critical_free_count'], 'call')} without a critical incident "
        f"{'ends' if count == 1 else 'end'} before showing whether the agent stops for a caller who had begun"
    )


def scan_id(manifest: Iterable[tuple[str, str]], flags: Mapping[str, Any]) -> str:
    """Return the name of a scan: the same files and flags have the same.

    Parameters
    ----------
    manifest : iterable of (str, str)
        Name in the folder and SHA-256 of each file, in any order.
    flags : mapping
        What was asked for.

    Returns
    -------
    str
        `scn-` and 12 hex digits.
    """
    lines = [f"{name}\t{digest}" for name, digest in sorted(manifest)]
    lines += [f"{name}={flags[name]}" for name in sorted(flags)]
    return "scn-" + hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def formula(share: Mapping[str, Any], policy: str) -> str:
    """Return the share as its formula, with all that is needed to read it.

    Parameters
    ----------
    share : mapping
        From :func:`critical_free`.
    policy : str
        Hash of what decides an incident.

    Returns
    -------
    str
        One line; the reason where there is no share.
    """
    if share["critical_free_call_rate"] is None:
        return f"no share: {share['reason']} (policy {policy})"
    name = "critical_free_call_rate"
    rate, low, high = (proportion(share[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return (
        f"{plural(share['critical_free_count'], 'call')} without a critical incident / "
        f"{plural(share['call_count'], 'two-channel call')} "
        f"analysed = {rate} (95 % Wilson {low} to {high}), "
        f"n = {share['call_count']}, policy {policy}" + (", SMALL SAMPLE" if share["small_sample"] else "")
    )
