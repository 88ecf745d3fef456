"""Labels of one moment: each is scored by itself, so they are told of; and where they contradict, nothing is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.plural import plural

SAME_MOMENT_S = 0.25
"""Labels of a call with no more between them speak of one moment: people mark an onset to about that."""


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """A moment with several labels. `disagree`: some say yield and some say hold."""

    call_id: str
    onset_s: float
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
        With `call_id` and `onset_s`, in seconds, or None where no moment is known.

    Returns
    -------
    list of list of int
        Positions in `rows`, at least two in each list; a row belongs to one at most. Empty where every moment has
        one label.
    """
    order = sorted(
        (ix for ix, row in enumerate(rows) if row["onset_s"] is not None),
        key=lambda ix: (rows[ix]["call_id"], rows[ix]["onset_s"], ix),
    )
    found: list[list[int]] = []
    for before, ix in zip([None, *order], order, strict=False):
        near = (
            before is not None
            and rows[before]["call_id"] == rows[ix]["call_id"]
            and rows[ix]["onset_s"] - rows[before]["onset_s"] <= SAME_MOMENT_S + 1e-9
        )
        if near:
            found[-1].append(ix)
        else:
            found.append([ix])
    return [group for group in found if len(group) > 1]


def shared(events: Sequence[Mapping[str, Any]]) -> list[Shared]:
    """Return the moments that carry several labels.

    Parameters
    ----------
    events : sequence of mapping
        Rows of `scored_events` of one scoring config.

    Returns
    -------
    list of Shared
        By call and time; empty where every moment has one label.
    """
    return [
        Shared(
            call_id=events[group[0]]["call_id"],
            onset_s=events[group[0]]["onset_s"],
            label_ids=[events[ix]["label_id"] for ix in group],
            expects=[events[ix]["expect"] for ix in group],
        )
        for group in groups(events)
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
        said += "; each label that is judged is counted"
    if apart:
        which = "it is" if len(moments) == 1 else f"{apart} of them {'is' if apart == 1 else 'are'}"
        said += f"; {which} labelled both yield and hold, so nothing is judged there (labels_disagree)"
    return f"{said}. workbench label CALL --undo LABEL takes a label back."
