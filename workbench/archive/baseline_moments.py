"""Which moments of a baseline a check does not judge any more: their figures left, and no agent got better."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.archive.baseline_sounds import digest, mark_of, marks
from workbench.plural import plural
from workbench.timing.same_moment import SAME_MOMENT_S

if TYPE_CHECKING:
    from workbench.archive.comparing import Sounds

VERDICTS = ("PASS", "FAIL")
MOST_NAMED = 3
Moments = dict[str, list[tuple[str, float]]]


@dataclass(frozen=True)
class Lost:
    """How many moments of a baseline a check does not judge, of how many recordings, and what became of those.

    `named` has a text for each of the recordings.
    """

    moments: int = 0
    recordings: int = 0
    named: tuple[str, ...] = ()

    def told(self, kept: int) -> str:
        """Return it in one line, of the `kept` moments that the baseline has; a few recordings are named."""
        more = [f"{self.recordings - MOST_NAMED:,} more"] if self.recordings > MOST_NAMED else []
        return (
            f"{self.moments:,} of the baseline's {plural(kept, 'moment')}, in "
            f"{plural(self.recordings, 'recording')}, gone or no longer judged: "
            + "; ".join([*self.named[:MOST_NAMED], *more])
        )


def moments_of(sounds: Sounds, events: Iterable[Mapping[str, Any]]) -> Moments:
    """Return what each recording was asked, and when.

    Parameters
    ----------
    sounds : Sounds
        The archive's.
    events : iterable of mapping
        Rows of `scored_events` with a verdict.

    Returns
    -------
    dict of str to list of (str, float)
        By mark of the recording: what was expected, and the onset in seconds; calls of the same samples share one.
    """
    found: Moments = defaultdict(list)
    for event in events:
        found[mark_of(sounds, event["call_id"])].append((str(event["expect"]), float(event["onset_s"])))
    return {mark: sorted(found[mark]) for mark in sorted(found)}


def lost(
    kept: Mapping[str, Sequence[Sequence[Any]]],
    calls: Mapping[str, str],
    *,
    sounds: Sounds,
    there: Collection[str],
    events: Sequence[Mapping[str, Any]],
) -> Lost:
    """Return which moments of a baseline no event with a verdict is of.

    Parameters
    ----------
    kept : mapping of str to sequence of (str, float)
        From :func:`moments_of` when the baseline was set.
    calls : mapping of str to str
        Digest of the id of the call, by mark of its recording.
    sounds : Sounds
        The archive's.
    there : collection of str
        Ids of all its calls.
    events : sequence of mapping
        Rows of `scored_events` that are checked, also those without a verdict.

    Returns
    -------
    Lost
        A moment is found again within 0.25 s, as labels of one moment are.
    """
    now = moments_of(sounds, [event for event in events if event["status"] in VERDICTS])
    missing = {mark: count for mark in kept if (count := _missing(kept[mark], now.get(mark, [])))}
    if not missing:
        return Lost()
    here = marks(sounds, there)
    ids = {digest(call_id): call_id for call_id in there}
    named = []
    for mark in missing:
        if mark in here:
            named.append(f"{here[mark]} ({_why(mark, sounds=sounds, events=events)})")
        elif calls[mark] in ids:
            named.append(f"{ids[calls[mark]]} (has another recording now)")
        else:
            named.append(f"recording {mark} (in the archive no more)")
    return Lost(sum(missing.values()), len(missing), tuple(named))


def _missing(kept: Sequence[Sequence[Any]], now: Iterable[tuple[str, float]]) -> int:
    left, count = list(now), 0
    for expect, onset_s in kept:
        near = [one for one in left if one[0] == expect and abs(one[1] - onset_s) <= SAME_MOMENT_S + 1e-9]
        if near:
            left.remove(min(near, key=lambda one: abs(one[1] - onset_s)))
        else:
            count += 1
    return count


def _why(mark: str, *, sounds: Sounds, events: Sequence[Mapping[str, Any]]) -> str:
    """Why a recording that is there has fewer verdicts."""
    silent = [event for event in events if event["status"] not in VERDICTS]
    reasons = {event["reason"] for event in silent if mark_of(sounds, event["call_id"]) == mark}
    return ", ".join(sorted(reasons)) if reasons else "no such moment of it is labelled among those checked"
