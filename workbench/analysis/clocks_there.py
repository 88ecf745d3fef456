"""Which calls of an archive have which of the two clocks, and what would give a call the other one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workbench.analysis.clocks import NO_REPORTS, REPORTS_WANTED, SOUND_WANTED, TwoClocks
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.archive.archive import Archive

HEARD = "select call_id, source_format, status from call_clocks join calls using (call_id) where clock = 'audio'"
REPORTING = "select distinct call_id, source_format from reported_latency join calls using (call_id) order by call_id"
"""A row a call: those with the clock of audio, SCORED where it times them, and those that report a latency."""


def heard_only(archive: Archive) -> list[TwoClocks]:
    """Return the calls that are timed by audio and report no latency: they have one clock of the two.

    Parameters
    ----------
    archive : Archive
        The archive.

    Returns
    -------
    list of TwoClocks
        INCONCLUSIVE, each with the reason and the next step, in the order of the calls.
    """
    reporting = set(archive.sql(REPORTING)["call_id"])
    lacking = sorted(row["call_id"] for row in _heard(archive) if row["call_id"] not in reporting)
    return [TwoClocks(call_id, "INCONCLUSIVE", NO_REPORTS, REPORTS_WANTED) for call_id in lacking]


def against_all(archive: Archive, found: Iterable[TwoClocks]) -> tuple[str, str]:
    """Say why no call of an archive can be related, and what to import.

    Parameters
    ----------
    archive : Archive
        The archive.
    found : iterable of TwoClocks
        The calls that report a latency, none of them SCORED.

    Returns
    -------
    tuple of str
        What was found, with the calls of each clock counted by the format they came from; and the next step.
    """
    heard, reporting = _heard(archive), archive.sql(REPORTING).to_dicts()
    both = {row["call_id"] for row in heard} & {row["call_id"] for row in reporting}
    if both:
        reasons = Counter(one.reason for one in found if one.call_id in both)
        told = "; ".join(f"{reason} ({plural(count, 'call')})" for reason, count in reasons.most_common())
        return f"{plural(len(both), 'call')} with both clocks, and none can be related: {told}", MORE_ANSWERS
    sides = [
        f"{plural(len(heard), 'call')} timed by audio without a reported latency{_formats(heard)}",
        f"{plural(len(reporting), 'call')} with a reported latency not timed by audio{_formats(reporting)}",
    ]
    return f"no call has both clocks: {'; '.join(sides)}", BOTH_WANTED


def _heard(archive: Archive) -> list[dict[str, Any]]:
    return [row for row in archive.sql(HEARD).to_dicts() if row["status"] == "SCORED"]


MORE_ANSWERS = "a call is related by three answers or more that are both reported and heard"
BOTH_WANTED = (
    f"one call needs both: {SOUND_WANTED}; and its reported latencies (stage_timings of the stage e2e in the native "
    "format, or a source that reports them)"
)


def _formats(rows: list[dict[str, Any]]) -> str:
    counts = Counter(row["source_format"] for row in rows)
    return f" ({', '.join(f'{name} {count}' for name, count in sorted(counts.items()))})" if counts else ""
