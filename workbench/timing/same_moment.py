"""Labels of one moment: the moment counts once, and where they contradict nothing is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.plural import plural

SAME_MOMENT_S = 0.25
"""Labels this near to the first one of a moment are of it: people mark an onset to about that.

The view `label_moments` says the same in SQL, and which of its labels a moment is counted by."""


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """A moment with several labels; `onset_s` is that of the first, None where they name no time."""

    call_id: str
    onset_s: float | None
    label_ids: list[str]
    expects: list[str | None]

    @property
    def disagree(self) -> bool:
        """Whether some of its labels say yield and some say hold."""
        return len({expect for expect in self.expects if expect is not None}) > 1


def groups(rows: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return which rows speak of one moment.

    Parameters
    ----------
    rows : sequence of mapping
        Labels with `call_id` and `onset_s`, in seconds; those of a call that name no time, None, are of one moment.

    Returns
    -------
    list of list of int
        Positions in `rows`, at least two in each list; a row belongs to one at most. Empty where every moment has
        one label.
    """
    order = sorted(
        range(len(rows)),
        key=lambda ix: (rows[ix]["call_id"], rows[ix]["onset_s"] is not None, rows[ix]["onset_s"] or 0.0, ix),
    )
    found: list[list[int]] = []
    for ix in order:
        if found and _same(rows[found[-1][0]], rows[ix]):
            found[-1].append(ix)
        else:
            found.append([ix])
    return [group for group in found if len(group) > 1]


def _same(first: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a label lies at the moment that another one begins."""
    begins, at = first["onset_s"], other["onset_s"]
    if first["call_id"] != other["call_id"] or begins is None or at is None:
        return bool(first["call_id"] == other["call_id"] and begins is at)
    return bool(at - begins <= SAME_MOMENT_S + 1e-9)


def shared(labels: Sequence[Mapping[str, Any]]) -> list[Shared]:
    """Return the moments that carry several labels.

    Parameters
    ----------
    labels : sequence of mapping
        `call_id`, `label_id`, `onset_s`, `expect`.

    Returns
    -------
    list of Shared
        By call and time; empty where every moment has one label.
    """
    return [
        Shared(
            call_id=labels[group[0]]["call_id"],
            onset_s=labels[group[0]]["onset_s"],
            label_ids=[labels[ix]["label_id"] for ix in group],
            expects=[labels[ix]["expect"] for ix in group],
        )
        for group in groups(labels)
    ]


def note(moments: Sequence[Shared]) -> str | None:
    """Return what a reader of counts must know of moments with several labels.

    Parameters
    ----------
    moments : sequence of Shared
        From :func:`shared`.

    Returns
    -------
    str or None
        One sentence or two; None for none.
    """
    if not moments:
        return None
    label_count = sum(len(moment.label_ids) for moment in moments)
    apart = sum(moment.disagree for moment in moments)
    said = f"{plural(len(moments), 'moment')} carry {label_count} labels" if len(moments) > 1 else ""
    said = said or f"1 moment carries {label_count} labels"
    if apart < len(moments):
        said += "; a moment is counted once"
    if apart:
        which = "it is" if len(moments) == 1 else f"{apart} of them {'is' if apart == 1 else 'are'}"
        said += f"; {which} labelled both yield and hold, so nothing is judged there (labels_disagree)"
    return f"{said}. workbench label CALL --undo LABEL takes a label back."
