"""Whose labels the verdicts of an archive rest on, and on what authority: a person, a script, a survey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.archive.labelling import AUTHORITY
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.archive.lake import Reader

_SOURCES = "select author, authority, count(*) as n from standing_labels where kind = 'expectation' group by all"


def label_sources(reader: Reader) -> list[str]:
    """Return a sentence part for each author and authority of the standing labels that say yield or hold.

    Parameters
    ----------
    reader : Reader
        The archive.

    Returns
    -------
    list of str
        As :func:`label_source`, those with the most labels first; empty without labels.
    """
    rows = sorted(reader.rows(_SOURCES)[1], key=lambda row: (-row[2], row[0] or "", row[1] or ""))
    return [label_source(author, authority, count) for author, authority, count in rows]


def label_source(author: str | None, authority: str | None, count: int) -> str:
    """Return whose labels these are and what they rest on, in the words of the archive.

    Parameters
    ----------
    author, authority : str or None
        As `labels` has them. Only the authority `human`, which `workbench label` and the review notebook write, says
        that a person judged, by the word of whoever gave the label: a name alone does not tell it from a script's.
    count : int
        How many labels.

    Returns
    -------
    str
    """
    whose = f"{plural(count, 'label')} of {author or 'an author who is not named'}"
    if authority == AUTHORITY:
        return f"{whose}, given as a person's judgement (authority: {authority})"
    return f"{whose}, authority: {authority or 'not stated'}"
