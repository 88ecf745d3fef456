"""One call on one time axis: levels, speech, turns, tool calls and findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.errors import UsageError
from workbench.text.visible import visible

if TYPE_CHECKING:
    import polars as pl

    from workbench.archive.archive import Archive

QUERIES = {
    "overview": "from call_overview where call_id = $call",
    "turn_clock": "select turn_clock from calls where call_id = $call",
    "speech": "select role, start_s, end_s, faint from speech_bars where call_id = $call order by start_s, role",
    "turns": "from turns where call_id = $call order by turn_ix",
    "tool_calls": "from tool_calls where call_id = $call order by call_ix",
    "findings": "from findings where call_id = $call order by start_s nulls last, assertion_id",
}
"""The SQL behind each part; `$call` is the call. Levels come from the query `call_levels`."""

MOST_RUNS = 1200
COLUMNS_DRAWN = 600


@dataclass(frozen=True)
class CallTimeline:
    """A call to draw and to read. `note` says what cannot be drawn and why; None: nothing is against it."""

    call_id: str
    overview: dict[str, Any]
    levels: pl.DataFrame
    speech: pl.DataFrame
    turns: pl.DataFrame
    tool_calls: pl.DataFrame
    findings: pl.DataFrame
    marks: pl.DataFrame
    turn_clock: str
    duration_s: float
    note: str | None


def call_timeline(archive: Archive, call_id: str) -> CallTimeline:
    """Read everything about a call that has a place in time, and what has none.

    Parameters
    ----------
    archive : Archive
        The archive.
    call_id : str
        The call; used as a parameter only.

    Returns
    -------
    CallTimeline
        Levels are the loudest frame of each of 600 stretches. Speech is that of the view `speech_bars`: the runs
        that scores read. A call that is not scored has them too, and the note says why it carries no verdict.

    Raises
    ------
    UsageError
        When the archive has no such call.
    """
    from workbench.archive import views

    def read(part: str) -> pl.DataFrame:
        return archive.sql(QUERIES[part], {"call": call_id})

    found = read("overview")
    if found.is_empty():
        raise UsageError(
            f"no call {visible(call_id)!r}",
            where=str(archive.path),
            hint=archive.layout.command("workbench sql 'from call_overview'"),
        )
    overview = found.row(0, named=True)
    levels = archive.sql(views.query("call_levels"), {"call": call_id, "buckets": COLUMNS_DRAWN})
    speech = read("speech")
    turns, tools, findings = read("turns"), read("tool_calls"), read("findings")
    marks = event_marks(turns, tools, findings)
    ends = [
        overview["duration_s"],
        *(f["end_s"].max() for f in (levels, speech, marks)),
        marks["start_s"].max(),
    ]
    duration_s = max((float(end) for end in ends if end is not None), default=0.0)
    return CallTimeline(
        call_id=call_id,
        overview=overview,
        levels=levels,
        speech=thinned(speech, duration_s=duration_s),
        turns=turns,
        tool_calls=tools,
        findings=findings,
        marks=marks,
        turn_clock=read("turn_clock").item(),
        duration_s=duration_s,
        note=_note(overview, levels, marks),
    )


def _note(overview: dict[str, Any], levels: pl.DataFrame, marks: pl.DataFrame) -> str | None:
    notes = []
    if not overview["has_audio"]:
        notes.append("This call has no audio: no level is drawn and nothing can be played.")
    elif levels.is_empty():
        notes.append("The audio is not measured yet, so no level is drawn: run workbench measure.")
    if overview["clock_reason"]:
        notes.append(f"Turn-taking is not scored: {overview['clock_reason']}.")
    if len(marks) and marks["start_s"].null_count() == len(marks):
        notes.append("No turn, tool call or finding of it has a time.")
    return " ".join(notes) or None


def event_marks(turns: pl.DataFrame, tool_calls: pl.DataFrame, findings: pl.DataFrame) -> pl.DataFrame:
    """Return turns, tool calls and findings as marks of one frame.

    Parameters
    ----------
    turns, tool_calls, findings : polars.DataFrame
        Rows of the tables and the view of these names, of one call.

    Returns
    -------
    polars.DataFrame
        `kind`, `start_s`, `end_s`, `tone` (role, severity, tool or tool error), `label` (at most 90 letters,
        safe to show). Without a time `start_s` is null. Tool calls without a clock take the time of their
        turn's end.
    """
    import polars as pl

    ends = dict(zip(turns["turn_ix"], turns["end_s"], strict=True))
    rows: list[tuple[str, float | None, float | None, str, str]] = [
        ("turn", t["start_s"], t["end_s"], t["role"], _short(t["text"] or t["heard"] or t["truth"] or ""))
        for t in turns.iter_rows(named=True)
    ]
    for tool in tool_calls.iter_rows(named=True):
        timed = tool["start_s"] is not None
        start_s = tool["start_s"] if timed else ends.get(tool["turn_ix"])
        tone = "tool error" if tool["error"] is not None else "tool"
        label = tool["name"] + ("" if timed else " (time of its turn's end)")
        rows.append(("tool call", start_s, tool["end_s"] if timed else None, tone, _short(label)))
    rows += [
        ("finding", f["start_s"], f["end_s"], f["severity"], _short(f"{f['failure_code']}: {f['message']}"))
        for f in findings.iter_rows(named=True)
    ]
    schema = {
        "kind": pl.String,
        "start_s": pl.Float64,
        "end_s": pl.Float64,
        "tone": pl.String,
        "label": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def thinned(speech: pl.DataFrame, *, duration_s: float) -> pl.DataFrame:
    """Join runs of speech that a drawing cannot show apart.

    Parameters
    ----------
    speech : polars.DataFrame
        `role`, `start_s`, `end_s`, `faint`.
    duration_s : float
        Length of the call in seconds.

    Returns
    -------
    polars.DataFrame
        The same rows up to 1,200 of them; above, runs of one role less than a 600th of the call apart are
        one, and faint where all of them are.
    """
    import polars as pl

    if len(speech) <= MOST_RUNS:
        return speech
    ordered = speech.sort("role", "start_s")
    gap = pl.col("start_s") - pl.col("end_s").cum_max().shift(1).over("role")
    begins = (gap >= duration_s / COLUMNS_DRAWN).fill_null(value=True)
    return (
        ordered.with_columns(run=begins.cum_sum().over("role"))
        .group_by("role", "run", maintain_order=True)
        .agg(pl.col("start_s").min(), pl.col("end_s").max(), pl.col("faint").all(ignore_nulls=False))
        .drop("run")
    )


def _short(text: str) -> str:
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= 90 else shown[:89] + "…"
