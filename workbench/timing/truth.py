"""How far measured times are from known ones: the same rules on labelled speech and on measured speech.

Both are runs of speech, so nothing has to be said twice: a label's stretches are scored as a detector's runs are,
and each signal is the difference, measured less true.

- `onset`: the start of every labelled stretch of either party that follows 0.3 s or more of that party's silence,
  against the first measured run that overlaps it. A run that began in an earlier stretch is no start: missed.
- `first_onset`: the caller's first labelled stretch against the caller's first measured run of 0.05 s or more,
  wherever that lies; what a scorer without a label would take for the barge-in.
- `yield`, `overlap`: at every labelled caller start during the agent's speech, time to yield and talk-over.
- `gap`: at every labelled caller start, the response gap after that turn.

A value that the truth has and the measurement lacks is counted as missed, and has no error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.timing.lines import lay
from workbench.timing.score_config import ScoreConfig
from workbench.timing.scoring import NONE, Scored, first_onset, score

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from workbench.timing.lines import Line

SIGNALS = ("onset", "first_onset", "yield", "gap", "overlap")
CELLS = ("correct_yield", "missed_yield", "false_yield", "correct_hold")
SILENCE_S, NEAR_S = 0.3, 0.3
TRUE = MeasureConfig(frame_ms=1.0, hop_ms=1.0, hangover_s=0.0)
"""Labels are laid on a line of milliseconds and have no hangover."""


class TruthCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call whose speech is known: `stretches` holds, for caller and agent, starts and ends on the call's clock."""

    call_id: str
    sample_rate_hz: int
    duration_s: float
    offset_s: float = 0.0
    stretches: dict[str, list[tuple[float, float]]] = msgspec.field(default_factory=dict)


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Errors of one detector on some calls, a row each; what was missed, by signal; yields in four cells.

    `false_starts` counts measured runs with no labelled speech of that party within 0.3 s.
    """

    errors: list[dict[str, Any]]
    missed: dict[str, int]
    cells: dict[str, int]
    false_starts: int


def compare(
    calls: Sequence[TruthCall],
    measured: pl.DataFrame,
    *,
    config: MeasureConfig,
    scoring: ScoreConfig | None = None,
) -> Compared:
    """Compare what was measured of some calls with what is known of them.

    Parameters
    ----------
    calls : sequence of TruthCall
        With distinct ids; none gives no errors.
    measured : polars.DataFrame
        Runs of one detector: `call_id`, `role`, `start_s`, `end_s`, `voiced_end_s`.
    config : MeasureConfig
        Its hop and hangover.
    scoring : ScoreConfig, optional
        The rules; the published ones by default.

    Returns
    -------
    Compared
    """
    scoring = scoring or ScoreConfig()
    recordings, known = _frames(calls)
    truth, found = lay(recordings, known, TRUE), lay(recordings, measured, config)
    errors: list[dict[str, Any]] = []
    missed = dict.fromkeys(SIGNALS, 0)
    false_starts = 0
    runs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in measured.sort("start_s").iter_rows(named=True):
        runs.setdefault((row["call_id"], row["role"]), []).append((row["start_s"], row["voiced_end_s"]))

    def add(call: TruthCall, signal: str, role: str, *, at: float, true: float, got: float | None) -> None:
        if got is None:
            missed[signal] += 1
            return
        times = {"at_s": round(at, 6), "truth_s": round(true, 6), "measured_s": round(got, 6)}
        errors.append(
            {"call_id": call.call_id, "signal": signal, "role": role, **times, "error_ms": round((got - true) * 1e3, 3)}
        )

    for call in calls:
        for role in ("caller", "agent"):
            stretches, heard = call.stretches.get(role, []), runs.get((call.call_id, role), [])
            for start, got in _onsets(stretches, heard, earliest=call.offset_s + 0.05):
                add(call, "onset", role, at=start, true=start, got=got)
            false_starts += sum(not _near(run, stretches) for run in heard)
    for ix, (true, got) in _first(calls, truth=truth, found=found, scoring=scoring):
        add(calls[ix], "first_onset", "caller", at=true, true=true, got=got)
    cells = dict.fromkeys(CELLS, 0)
    for ix, signal, at, true, got in _scored(calls, truth=truth, found=found, scoring=scoring, cells=cells):
        add(calls[ix], signal, "caller" if signal == "overlap" else "agent", at=at, true=true, got=got)
    return Compared(errors=errors, missed=missed, cells=cells, false_starts=false_starts)


def _frames(calls: Sequence[TruthCall]) -> tuple[pl.DataFrame, pl.DataFrame]:
    import polars as pl

    recordings = [(c.call_id, c.sample_rate_hz, c.offset_s, c.duration_s) for c in calls]
    known = [
        (c.call_id, role, start, end, end) for c in calls for role, some in c.stretches.items() for start, end in some
    ]
    texts, numbers = {"call_id": pl.String, "role": pl.String}, ("start_s", "end_s", "voiced_end_s")
    shape = {"call_id": pl.String, "sample_rate_hz": pl.Int64, "offset_s": pl.Float64, "duration_s": pl.Float64}
    return (
        pl.DataFrame(recordings, schema=shape, orient="row"),
        pl.DataFrame(known, schema=texts | dict.fromkeys(numbers, pl.Float64), orient="row"),
    )


def after_silence(stretches: Sequence[tuple[float, float]]) -> list[tuple[float, float, float]]:
    """Return the stretches that follow enough silence of their party, each with the end of what was before.

    Parameters
    ----------
    stretches : sequence of (start_s, end_s)
        Of one party, in order; empty gives empty.

    Returns
    -------
    list of (start_s, end_s, before_s)
        `before_s` is minus infinity for the first.
    """
    found, before = [], -np.inf
    for start, end in stretches:
        if start - before >= SILENCE_S - 1e-9:
            found.append((start, end, before))
        before = max(before, end)
    return found


def _onsets(
    stretches: Sequence[tuple[float, float]], runs: Sequence[tuple[float, float]], *, earliest: float
) -> list[tuple[float, float | None]]:
    found: list[tuple[float, float | None]] = []
    for start, end, before in after_silence(stretches):
        if start < earliest:
            continue  # speech that was going on when the recording began has no onset
        first = next((run for run in runs if run[1] > start and run[0] < end), None)
        found.append((start, None if first is None or first[0] < before else first[0]))
    return found


def _near(run: tuple[float, float], stretches: Sequence[tuple[float, float]]) -> bool:
    return any(run[0] < end + NEAR_S and run[1] > start - NEAR_S for start, end in stretches)


def _first(
    calls: Sequence[TruthCall], *, truth: Line, found: Line, scoring: ScoreConfig
) -> list[tuple[int, tuple[float, float | None]]]:
    ids = [ix for ix, call in enumerate(calls) if call.stretches.get("caller")]
    if not ids:
        return []
    pairs = []
    place = {name: _places(calls, ids, line) for name, line in (("truth", truth), ("found", found))}
    true = first_onset(truth.speech, place["truth"], scoring)
    got = first_onset(found.speech, place["found"], scoring)
    for nth, ix in enumerate(ids):
        if true[nth] == NONE:
            continue
        value = None if got[nth] == NONE else _seconds(found, place["found"][nth], got[nth])
        pairs.append((ix, (_seconds(truth, place["truth"][nth], true[nth]), value)))
    return pairs


def _places(calls: Sequence[TruthCall], ids: Sequence[int], line: Line) -> NDArray[np.int64]:
    return np.array([line.place[calls[ix].call_id] for ix in ids], np.int64)


def _seconds(line: Line, place: int, frame: int) -> float:
    return float(line.start_s[place] + frame * line.speech.hop_s[place])


def _scored(
    calls: Sequence[TruthCall], *, truth: Line, found: Line, scoring: ScoreConfig, cells: dict[str, int]
) -> list[tuple[int, str, float, float, float | None]]:
    moments = [
        (ix, start)
        for ix, call in enumerate(calls)
        for start, _, _ in after_silence(call.stretches.get("caller", []))
        if start >= call.offset_s + 0.05
    ]
    if not moments:
        return []
    ids, at = [ix for ix, _ in moments], np.array([start for _, start in moments])
    views = []
    for line in (truth, found):
        place = _places(calls, ids, line)
        marks = score(line.speech, recording=place, onset=line.frames(place, at), config=scoring)
        views.append(_values(marks, line.speech.hop_s[place], scoring))
    true, got = views
    rows: list[tuple[int, str, float, float, float | None]] = []
    for nth, (ix, start) in enumerate(moments):
        if true["talking"][nth]:
            cell = ("correct_" if true["did"][nth] == got["did"][nth] else "") + (
                "yield" if got["did"][nth] else "hold"
            )
            wrong = "missed_yield" if true["did"][nth] else "false_yield"
            cells[cell if cell.startswith("correct_") else wrong] += 1
        for signal in ("yield", "overlap", "gap"):
            known, value = true[signal][nth], got[signal][nth]
            if not np.isnan(known) and (signal == "gap" or true["talking"][nth]):
                rows.append((ix, signal, start, float(known), None if np.isnan(value) else float(value)))
    return rows


def _values(marks: Scored, hop_s: NDArray[np.float64], scoring: ScoreConfig) -> Mapping[str, NDArray[Any]]:
    """The signals in seconds, not-a-number where there is none; overlap only where there was a yield to end it."""
    did = marks.yielded_at != NONE
    lead = (marks.turn_end - marks.response) * hop_s
    timed = (marks.turn_end != NONE) & (marks.response != NONE) & (lead <= scoring.premature_tolerance_s + 1e-9)
    return {
        "talking": marks.agent_talking,
        "did": did,
        "yield": np.where(did, (marks.yielded_at - marks.onset) * hop_s, np.nan),
        "overlap": marks.talk_over * hop_s,
        "gap": np.where(timed, np.maximum(0.0, -lead), np.nan),
    }
