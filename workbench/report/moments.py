"""All that is drawn of a moment: the stretch of the call around a finding, its lanes, words and sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.archive.measured_with import of_recordings
from workbench.report.figures import level_path
from workbench.report.word_changes import Line, lines
from workbench.report.wording import plainly

if TYPE_CHECKING:
    from workbench.archive.archive import Archive
    from workbench.report.sound import Sound, Sounds

BEFORE_S, AFTER_S, AFTER_END_S, LONGEST_S = 4.0, 6.0, 2.0, 24.0
MOST_TURNS, MOST_MARKS, MOST_RUNS = 24, 5, 200
AROUND = 3
PLACED = ("reported", "ticks", "quantised")


@dataclass(frozen=True)
class Mark:
    """Something on the time axis: percent of the width, and what it is called."""

    x: float
    width: float
    label: str
    severity: str
    main: bool
    open_ended: bool


@dataclass(frozen=True)
class Lane:
    """What one side did: the outline of its level, its bars of speech, its turns, in percent of the width.

    Of a bar it is said where it begins, how wide it is, and whether it is faint.
    """

    role: str
    path: str
    runs: tuple[tuple[float, float, bool], ...]
    turns: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Said:
    """A turn of the stretch."""

    turn_ix: int
    role: str
    start_s: float | None
    end_s: float | None
    lines: tuple[Line, ...]
    marked: bool


@dataclass(frozen=True)
class Moment:
    """A finding, the stretch of the call around it, and what is known of that stretch."""

    call_id: str
    rank: int
    code: str
    severity: str
    message: str
    at_s: float | None
    start_s: float
    end_s: float
    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    more_marks: int
    ticks: tuple[tuple[float, float], ...]
    said: tuple[Said, ...]
    more_said: int
    sound: Sound | None
    notes: tuple[str, ...]


def moments(
    archive: Archive, chosen: Sequence[dict[str, Any]], *, findings: Sequence[dict[str, Any]], sounds: Sounds
) -> list[Moment]:
    """Return the moments with everything that is drawn of them.

    Parameters
    ----------
    archive : Archive
        The archive they come from.
    chosen : sequence of dict
        What :func:`workbench.report.worst_moments.choose` returned.
    findings : sequence of dict
        All findings of these calls: those that fall into a stretch are marked in it.
    sounds : Sounds
        Cuts the sound.

    Returns
    -------
    list of Moment
        In the order of `chosen`.
    """
    ids = [row["call_id"] for row in chosen]

    def table(query: str) -> dict[str, list[dict[str, Any]]]:
        names, rows = archive.reader.rows(query, {"ids": ids})
        found: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            each = dict(zip(names, row, strict=True))
            found.setdefault(each["call_id"], []).append(each)
        return found

    recordings = table("from recordings where list_contains($ids, call_id) order by call_id, recording_id")
    clocks = table("from call_clocks where list_contains($ids, call_id)")
    runs = table("from speech_bars where list_contains($ids, call_id) order by call_id, role, start_s, end_s")
    calls = table("select call_id, turn_clock, duration_s, language from calls where list_contains($ids, call_id)")
    measured = of_recordings(archive.reader)
    for each in (each for of_call in recordings.values() for each in of_call):
        measure = measured.get(each["recording_id"])
        each["hop_s"] = None if measure is None else measure.hop_s(each["sample_rate_hz"])
    return [
        _moment(
            archive,
            row,
            call=calls[row["call_id"]][0] | clocks[row["call_id"]][0],
            recordings=recordings.get(row["call_id"], []),
            runs=runs.get(row["call_id"], []),
            others=[other for other in findings if other["call_id"] == row["call_id"]],
            sounds=sounds,
        )
        for row in chosen
    ]


def _moment(
    archive: Archive,
    row: dict[str, Any],
    *,
    call: dict[str, Any],
    recordings: list[dict[str, Any]],
    runs: list[dict[str, Any]],
    others: list[dict[str, Any]],
    sounds: Sounds,
) -> Moment:
    sides = _sides(call, recordings)
    placed = call["turn_clock"] in PLACED
    start, end = _stretch(row, call, list(sides.values()))
    timed = end > start
    turns, more = _turns(archive, row, (start, end) if timed and placed else None)
    if not turns and timed and placed:  # a tool call long after the last word: the turns around the one it belongs to
        turns, more = _turns(archive, row, None)
    if not runs and placed:
        runs = [turn for turn in turns if turn["start_s"] is not None and turn["end_s"] is not None]
    sound, notes = None, _notes(call, sides, recordings, placed=placed, timed=timed)
    lanes: tuple[Lane, ...] = ()
    marks: list[Mark] = []
    if timed:
        scale = Scale(start, end)
        lanes = tuple(
            lane
            for role in ("caller", "agent", "mixed")
            if (lane := _lane(archive, role, sides.get(role), runs=runs, turns=turns if placed else [], scale=scale))
        )
        marks = _marks(row, others, scale)
        if sides:
            sound = sounds.of(sides, start, end)
    return Moment(
        call_id=row["call_id"],
        rank=row["rank"],
        code=row["failure_code"],
        severity=row["severity"] or "none",
        message=row["message"],
        at_s=row["start_s"],
        start_s=start,
        end_s=end,
        lanes=lanes,
        marks=tuple(marks[:MOST_MARKS]),
        more_marks=max(0, len(marks) - MOST_MARKS),
        ticks=ticks(start, end) if timed else (),
        said=tuple(
            Said(
                turn["turn_ix"],
                turn["role"],
                turn["start_s"] if placed else None,
                turn["end_s"] if placed else None,
                lines(turn["text"], turn["heard"], turn["truth"], language=call["language"]),
                turn["turn_ix"] == row["turn_ix"],
            )
            for turn in turns
        ),
        more_said=more,
        sound=sound,
        notes=notes,
    )


def _sides(call: dict[str, Any], recordings: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the recording to show for each role: the one timing is read from, else the first that has it."""
    by_id = {row["recording_id"]: row for row in recordings}
    found = {}
    for role in ("caller", "agent", "mixed"):
        chosen = by_id.get(call[f"{role}_recording_id"] or "")
        if chosen is not None:
            found[role] = chosen
    if not found:
        ordered = sorted(recordings, key=lambda row: (row["boundary"] != "combined", row["recording_id"]))
        for role in ("caller", "agent", "mixed"):
            having = [row for row in ordered if role in row["channel_roles"]]
            if having:
                found[role] = having[0]
        if "caller" in found or "agent" in found:
            found.pop("mixed", None)
        elif not found and ordered:
            found["mixed"] = ordered[0]
    return found


def _stretch(row: dict[str, Any], call: dict[str, Any], recordings: list[dict[str, Any]]) -> tuple[float, float]:
    """Return what is shown of the call, inside its recordings; of no length where the finding has no time."""
    first = min((each["offset_s"] for each in recordings), default=0.0)
    known = [each["offset_s"] + each["duration_s"] for each in recordings]
    last = max(known) if known else call["duration_s"]
    at, until = row["start_s"], row["end_s"]
    if at is None:
        return 0.0, 0.0
    until = at if until is None else max(at, until)
    start, end = at - BEFORE_S, max(at + AFTER_S, until + AFTER_END_S)
    end = min(end, start + LONGEST_S)
    start = max(start, first)
    if last is not None and last > start:
        end = min(end, last)
    return round(start, 2), round(end, 2)


@dataclass(frozen=True)
class Scale:
    """The time axis of a drawing, in seconds."""

    start_s: float
    end_s: float

    def at(self, time_s: float) -> float:
        """Return where a time lies, in percent of the width."""
        share = (time_s - self.start_s) / (self.end_s - self.start_s)
        return 100 * min(1.0, max(0.0, share))

    def holds(self, start_s: float, end_s: float | None) -> bool:
        """Tell whether a stretch can be seen."""
        return start_s <= self.end_s and max(start_s, end_s or start_s) >= self.start_s


def _lane(
    archive: Archive,
    role: str,
    recording: dict[str, Any] | None,
    *,
    runs: list[dict[str, Any]],
    turns: list[dict[str, Any]],
    scale: Scale,
) -> Lane | None:
    path = _level(archive, role, recording=recording, scale=scale) if recording and recording["hop_s"] else ""
    spoken = [run for run in runs if run["role"] == role and scale.holds(run["start_s"], run["end_s"])]
    begun = [turn for turn in turns if turn["role"] == role and turn["start_s"] is not None]
    if not path and not spoken and role == "mixed":
        return None
    return Lane(
        role,
        path,
        tuple(
            (scale.at(run["start_s"]), scale.at(run["end_s"]) - scale.at(run["start_s"]), run.get("faint") is True)
            for run in spoken[:MOST_RUNS]
        ),
        tuple((scale.at(turn["start_s"]), turn["turn_ix"]) for turn in begun if turn["start_s"] >= scale.start_s),
    )


def _level(archive: Archive, role: str, *, recording: dict[str, Any], scale: Scale) -> str:
    hop = recording["hop_s"]
    query = "from frames where recording_id = $id and frame_ix between $low and $high order by frame_ix"
    low, high = ((end - recording["offset_s"]) / hop for end in (scale.start_s, scale.end_s))
    names, rows = archive.reader.rows(query, {"id": recording["recording_id"], "low": int(low), "high": int(high)})
    column, index = names.index(f"{role}_dbfs"), names.index("frame_ix")
    points = [(recording["offset_s"] + row[index] * hop, row[column]) for row in rows if row[column] is not None]
    return level_path(points, scale.start_s, scale.end_s)


def _marks(row: dict[str, Any], others: list[dict[str, Any]], scale: Scale) -> list[Mark]:
    """Return the finding, then the others that fall into the stretch, by time."""
    main = (row.get("assertion_id"), row.get("result_ix"))
    near = [
        other
        for other in others
        if other["start_s"] is not None
        and (other["assertion_id"], other["result_ix"]) != main
        and scale.holds(other["start_s"], other["end_s"])
    ]
    near.sort(key=lambda other: (other["start_s"], other["assertion_id"], other["result_ix"]))
    marks = []
    for each in [row, *near]:
        begin, end = each["start_s"], max(each["start_s"], each["end_s"] or each["start_s"])
        label = plainly(each["failure_code"])
        if end - begin >= 0.05:
            label += f" {end - begin:.2f} s"
        x = scale.at(begin)
        severity = each["severity"] or "none"
        marks.append(Mark(x, scale.at(end) - x, label, severity, each is row, end > scale.end_s))
    return marks


def _turns(
    archive: Archive, row: dict[str, Any], stretch: tuple[float, float] | None
) -> tuple[list[dict[str, Any]], int]:
    """Return the turns to show, at most 24, and how many more there are."""
    if stretch is not None:
        condition = "start_s <= $high and coalesce(end_s, start_s) >= $low"
        low, high = stretch
    elif row["turn_ix"] is not None:
        condition, low, high = (
            "turn_ix between $low and $high",
            row["turn_ix"] - AROUND,
            row["turn_ix"] + AROUND,
        )
    else:
        return [], 0
    query = f"from turns where call_id = $id and {condition} order by turn_ix limit 10000"
    names, rows = archive.reader.rows(query, {"id": row["call_id"], "low": low, "high": high})
    found = [dict(zip(names, each, strict=True)) for each in rows]
    if len(found) <= MOST_TURNS:
        return found, 0
    marked = next((at for at, turn in enumerate(found) if turn["turn_ix"] == row["turn_ix"]), 0)
    first = max(0, min(marked - MOST_TURNS // 2, len(found) - MOST_TURNS))
    return found[first : first + MOST_TURNS], len(found) - MOST_TURNS


def _notes(
    call: dict[str, Any],
    sides: dict[str, dict[str, Any]],
    recordings: list[dict[str, Any]],
    *,
    placed: bool,
    timed: bool,
) -> tuple[str, ...]:
    found = []
    if not recordings:
        found.append("The call has no audio" + (": the lanes are drawn from the turn clock." if timed else "."))
    elif sides.get("mixed"):
        found.append("Its recording does not part caller and agent: one lane of level for both.")
    if not timed:
        found.append("No time is known for this finding: the transcript around it is all there is.")
    if timed and call["clock"] == "quantised":
        found.append("Times are whole seconds.")
    if timed and call["clock"] in ("transcript", "ticks") and recordings:
        found.append("Speech is drawn from the turn clock, the level from the recording.")
    if call["health_reason"]:
        found.append(f"Recording: {call['health']} ({plainly(call['health_reason'])}).")
    if timed and call["reason"] and placed and not call["clock"]:
        found.append(f"Turn-taking is not scored: {call['reason']}.")
    return tuple(found)


def ticks(start_s: float, end_s: float) -> tuple[tuple[float, float], ...]:
    """Return the times under a drawing: percent of the width, and seconds."""
    step = 2.0 if end_s - start_s <= 12 else 5.0
    first = -(-start_s // step) * step
    times = [first + step * n for n in range(int((end_s - first) / step) + 1)] if first <= end_s else []
    return tuple((100 * (time - start_s) / (end_s - start_s), time) for time in times)
