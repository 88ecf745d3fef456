"""Reviewing an archive: moments nobody has judged yet, a judgement and what it makes of the score, taking it back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from workbench.archive.archive import Archive

ASKED = "overlap_while_agent_talking"
"""The kind of moment of which it is asked whether the agent should yield or hold."""

BEFORE_S, AFTER_S = 2.0, 4.0
COLUMN_S = 0.02

QUERIES = {
    "queue": "from review_queue where $kind is null or kind = $kind order by rank",
    "left": "select kind, count(*) as moment_count from review_queue group by kind order by moment_count desc, kind",
    "speech": "select role, start_s, end_s, faint from speech_bars where call_id = $call order by start_s, role",
    "swaps": "from suspected_swaps order by verdict_eligible, call_id",
}
"""The SQL behind each part; that of the labels is the ready-made query `labelled_moments`."""


@dataclass(frozen=True)
class Judgement:
    """A label that was added, and how the moment is scored with it; None where it was only taken back."""

    call_id: str
    label_id: str
    event: dict[str, Any] | None


@dataclass(frozen=True)
class Window:
    """What is around a moment: levels and speech between two times of the call."""

    start_s: float
    end_s: float
    levels: pl.DataFrame
    speech: pl.DataFrame


def queue(
    archive: Archive, kind: str | None = ASKED, *, put_off: frozenset[tuple[str, str, int]] = frozenset()
) -> pl.DataFrame:
    """Return the moments nobody has labelled yet.

    Parameters
    ----------
    archive : Archive
        The archive.
    kind : str, optional
        One kind of candidate; None for all.
    put_off : frozenset of tuple
        Keys (`call_id`, `recording_id`, `moment_ix`) of moments that come last.

    Returns
    -------
    polars.DataFrame
        Rows of the view `review_queue`, the most salient first, with `place` from 1 and `put_off`.
    """
    import polars as pl

    found = archive.sql(QUERIES["queue"], {"kind": kind})
    keys = found.select("call_id", "recording_id", "moment_ix").rows()
    later = pl.Series("put_off", [key in put_off for key in keys], dtype=pl.Boolean)
    ordered = found.with_columns(later).sort("put_off", "rank", maintain_order=True)
    return ordered.with_row_index("place", offset=1)


def history(archive: Archive) -> pl.DataFrame:
    """Return who labelled what, and how the newest scoring run judges it.

    Parameters
    ----------
    archive : Archive
        The archive.

    Returns
    -------
    polars.DataFrame
        Rows of the ready-made query `labelled_moments`, the newest first.
    """
    from workbench.archive import views

    return archive.sql(views.query("labelled_moments"))


def window(archive: Archive, call_id: str, onset_s: float) -> Window:
    """Return levels and speech from 2 s before a moment to 4 s after it.

    Parameters
    ----------
    archive : Archive
        The archive.
    call_id : str
        The call; used as a parameter only.
    onset_s : float
        The moment, in seconds on the call's clock.

    Returns
    -------
    Window
        `levels` with the loudest frame of each 20 ms, or of a hop where that is longer, `speech` with the rows of the
        view `speech_bars`; both cut to the window.
    """
    import polars as pl

    from workbench.archive import views

    call = archive.sql("select duration_s from calls where call_id = $call", {"call": call_id})
    length = max(float(call["duration_s"].item() or 0.0), onset_s + 0.1)
    start_s, end_s = max(onset_s - BEFORE_S, 0.0), min(onset_s + AFTER_S, length)
    asked = {"call": call_id, "buckets": max(1, math.ceil(length / COLUMN_S))}
    inside = (pl.col("end_s") > start_s) & (pl.col("start_s") < end_s)
    levels = archive.sql(views.query("call_levels"), asked).filter(inside)
    speech = archive.sql(QUERIES["speech"], {"call": call_id})
    cut = [pl.col("start_s").clip(lower_bound=start_s), pl.col("end_s").clip(upper_bound=end_s)]
    return Window(start_s, end_s, levels, speech.filter(inside).with_columns(cut))


def judge(archive: Archive, call_id: str, *, author: str, **said: Any) -> Judgement:
    """Label a moment and score the call's labels anew.

    Parameters
    ----------
    archive : Archive
        The archive; it sees what was written.
    call_id : str
        The call.
    author : str
        Who judges.
    **said
        `onset_s`, `expect` and perhaps bounds, as :func:`workbench.archive.labelling.checked_expectation` takes them.

    Returns
    -------
    Judgement
        With the moment's row of `scored_events`.

    Raises
    ------
    UsageError
        When the call is not there, the moment lies outside it, or nobody is named.
    ArchiveFailed
        When the archive cannot be written.
    """
    from workbench.archive import labelling

    label_id = labelling.expectation(archive.layout, call_id, author=author, **said)
    events = archive.score_calls([call_id]).events
    found = [event for event in events if (event["call_id"], event["label_id"]) == (call_id, label_id)]
    return Judgement(call_id, label_id, found[0] if found else None)


def take_back(archive: Archive, call_id: str, label_id: str, *, author: str) -> Judgement:
    """Take a label back and score the others of the call anew; the label stays in the table `labels`.

    Parameters
    ----------
    archive : Archive
        The archive; it sees what was written.
    call_id, label_id : str
        The label.
    author : str
        Who takes it back.

    Returns
    -------
    Judgement
        Without an event.

    Raises
    ------
    UsageError
        When no such label stands, or nobody is named.
    """
    from workbench.archive import labelling

    labelling.retract(archive.layout, call_id, label_id, author=author)
    archive.score_calls([call_id])
    return Judgement(call_id, label_id, None)


def confirm(archive: Archive, call_id: str, roles: tuple[str, ...], *, author: str) -> Judgement:
    """Confirm that the channels of a call are whose they are said to be, and score anew.

    Parameters
    ----------
    archive : Archive
        The archive; it sees what was written.
    call_id : str
        The call.
    roles : tuple of str
        Roles of the channels, in order.
    author : str
        Who heard it.

    Returns
    -------
    Judgement
        Without an event.

    Raises
    ------
    UsageError
        When the call has no recording with these roles, or nobody is named.
    """
    from workbench.archive import labelling

    label_id = labelling.channel_map(archive.layout, call_id, roles, author=author)
    archive.score_calls([call_id])
    return Judgement(call_id, label_id, None)


def exchanged(archive: Archive, suspect: Mapping[str, Any]) -> str:
    """Return what to do where channels are found exchanged.

    Parameters
    ----------
    archive : Archive
        The archive.
    suspect : mapping
        A row of the view `suspected_swaps`.

    Returns
    -------
    str
        The import that exchanges them, where `--channels` or nobody named them; else the suspect's own next step, since
        a name, sidecar or document that states the roles goes before the option.
    """
    if suspect["channel_map_source"] not in ("option", "unknown"):
        return f"Next step: {suspect['next_step']}."
    roles = ",".join(reversed(suspect["channel_roles"]))
    return "Exchanged? Import it anew:\n" + archive.layout.command(
        f"workbench import FILE --replace --channels {roles}"
    )


def bound(text: str) -> float | None:
    """Return a bound as it was typed.

    Parameters
    ----------
    text : str
        Seconds with a point or a comma; nothing for no bound.

    Returns
    -------
    float or None
        Seconds, not negative.

    Raises
    ------
    UsageError
        For anything else.
    """
    if not text.strip():
        return None
    try:
        seconds = float(text.strip().replace(",", "."))
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise UsageError(f"{text.strip()!r} is no bound", hint="type seconds, such as 1.5, or nothing")
    return seconds
