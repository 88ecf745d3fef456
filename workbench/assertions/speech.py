"""Who spoke when: measured speech where a recording may carry a verdict, else the clocks of the turns.

**Conventions.** Times are whole milliseconds from the start of the call. Stretches of one role do not
overlap: those that do are one, and in measured speech those with a pause shorter than ``merge_gap_s`` between them,
from the last loud frame to the next start, as in the view `speech_runs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from workbench.assertions.verdicts import in_seconds, milliseconds, plural

if TYPE_CHECKING:
    from workbench.assertions.rows import Rows

QUANTUM_MS = 1000
_TWO_CHANNELS = 1
"""Tier of evidence of a call that has audio of both parties."""
_UNHEARD = "The audio is not measured: run `workbench measure`, and check again."
_UNUSABLE = {
    "none": "The turns carry no clock.",
    "generated": "Turn times say when text was made, not spoken.",
}


class Speech(NamedTuple):
    """Stretches of speech, and for each call what they rest on.

    ``stretches``: call_id, role, start_ms, end_ms, turn_ix, turns (list), untimed (turns without a clock
    before this one), sorted by call and start. ``clocks``: call_id, clock (audio, transcript, null),
    quantum_ms, untimed (turns without a clock), unusable (null, INCONCLUSIVE, NOT_SCORABLE), reason.
    """

    stretches: pl.DataFrame
    clocks: pl.DataFrame


def speech(rows: Rows, *, merge_gap_s: float, any_role: bool = False) -> Speech:
    """Return the stretches of speech of every call.

    Parameters
    ----------
    rows : Rows
        Turns, and segments with input_health where audio was measured.
    merge_gap_s : float
        A pause in the measured speech of one role that is shorter than this is part of it.
    any_role : bool, default False
        Also take measured speech whose role is mixed or unknown.

    Returns
    -------
    Speech
        One row per call in `clocks`; no stretches where there is no usable clock.
    """
    return rows.once(
        ("speech", merge_gap_s, any_role), lambda: _speech(rows, merge_gap_s=merge_gap_s, any_role=any_role)
    )


CLOCK = {"clock": pl.col("clock"), "quantum_s": in_seconds(pl.col("quantum_ms"))}
"""What a verdict on timing rests on, for its evidence."""


def no_verdict() -> list[tuple[pl.Expr, str, pl.Expr | str]]:
    """Return the reasons for which timing gives no verdict, for `verdicts.otherwise` over `Speech.clocks`."""
    sentence = plural("untimed", one="1 turn carries no clock.", many="{} turns carry no clock.")
    return [
        *((pl.col("unusable") == status, status, pl.col("reason")) for status in ("NOT_SCORABLE", "INCONCLUSIVE")),
        (pl.col("untimed") > 0, "INCONCLUSIVE", sentence),
    ]


def clocked(found: pl.DataFrame, clocks: pl.DataFrame, *, start: str, end: str, length: str) -> pl.DataFrame:
    """Say in seconds when a stretch began and ended, how long it was, and what of that is sure.

    Parameters
    ----------
    found : polars.DataFrame
        With ``call_id`` and two columns of whole milliseconds.
    clocks : polars.DataFrame
        As in :class:`Speech`.
    start, end : str
        The two columns.
    length : str
        Name of the column that holds the length.

    Returns
    -------
    polars.DataFrame
        With clock, quantum_ms, start_s, end_s, the length, and sure_s: the length less what a coarse clock
        may have added to it.
    """
    whole = pl.col(end) - pl.col(start)
    return found.join(clocks.select("call_id", "clock", "quantum_ms"), on="call_id").with_columns(
        in_seconds(pl.col(start)).alias("start_s"),
        in_seconds(pl.col(end)).alias("end_s"),
        in_seconds(whole).alias(length),
        in_seconds(whole - pl.col("quantum_ms")).alias("sure_s"),
    )


def surely_above(limit_s: float) -> pl.Expr:
    """Return whether what is sure of a stretch of :func:`clocked` is longer than a limit, to the millisecond."""
    return milliseconds(pl.col("sure_s")) > milliseconds(limit_s)


def last(role: str | None, column: str) -> pl.Expr:
    """Return a column of the latest stretch of a role that started before this one.

    Parameters
    ----------
    role : str
        Role to look for.
    column : str
        Column to fetch.

    Returns
    -------
    polars.Expr
        Null where there is none. Stretches must be in the order of `Speech.stretches`.
    """
    own = pl.int_range(pl.len())
    before = pl.when(pl.col("role") == role).then(own).forward_fill().shift(1)
    return pl.col(column).gather(before).over("call_id")


def _speech(rows: Rows, *, merge_gap_s: float, any_role: bool) -> Speech:
    turns = _turn_stretches(rows)
    audio = _audio_stretches(rows, any_role=any_role)
    heard = audio.select("call_id").unique().with_columns(audio=pl.lit(value=True))
    health = (
        rows.table("input_health")
        .sort("recording_id", "config_id")
        .group_by("call_id")
        .agg(
            (~pl.col("verdict_eligible")).any().alias("ineligible"),
            pl.col("reason").filter(~pl.col("verdict_eligible")).drop_nulls().first().alias("health_reason"),
        )
    )
    timed = turns.group_by("call_id").agg(
        pl.col("start_ms").is_null().sum().alias("without"),
        pl.col("start_ms").is_not_null().any().alias("timed"),
    )
    unheard = (pl.col("evidence_tier") == _TWO_CHANNELS) & pl.col("ineligible").is_null()
    told = (
        pl.when(~pl.col("has_turns"))
        .then(pl.lit("No turns were supplied."))
        .when(pl.col("turn_clock").is_in(list(_UNUSABLE)))
        .then(pl.col("turn_clock").replace_strict(_UNUSABLE, default=None))
        .when(~pl.col("timed").fill_null(value=False))
        .then(pl.lit("No turn carries both its start and its end."))
    )
    reason = pl.when(told.is_not_null() & unheard).then(pl.lit(_UNHEARD)).otherwise(told)
    clocks = (
        rows.calls_with_evidence()
        .join(heard, on="call_id", how="left")
        .join(health, on="call_id", how="left")
        .join(timed, on="call_id", how="left")
        .with_columns(audio=pl.col("audio").fill_null(value=False), reason=reason)
        .with_columns(reason=pl.when(~pl.col("audio")).then("reason"))
        .with_columns(
            clock=pl.when("audio").then(pl.lit("audio")).when(pl.col("reason").is_null()).then(pl.lit("transcript")),
            unusable=pl.when(pl.col("reason").is_null())
            .then(None)
            .when(pl.col("ineligible"))
            .then(pl.lit("NOT_SCORABLE"))
            .otherwise(pl.lit("INCONCLUSIVE")),
        )
        .select(
            "call_id",
            "clock",
            pl.when((pl.col("clock") == "transcript") & (pl.col("turn_clock") == "quantised"))
            .then(QUANTUM_MS)
            .otherwise(0)
            .alias("quantum_ms"),
            pl.when(pl.col("clock") == "transcript").then("without").otherwise(0).fill_null(0).alias("untimed"),
            "unusable",
            pl.when((pl.col("unusable") == "NOT_SCORABLE") & pl.col("health_reason").is_not_null())
            .then(pl.lit("The recording carries no verdict on timing: ") + pl.col("health_reason") + ".")
            .otherwise("reason")
            .alias("reason"),
        )
        .sort("call_id")
    )
    source = clocks.select("call_id", "clock")
    from_turns = turns.filter(pl.col("start_ms").is_not_null()).join(
        source.filter(pl.col("clock") == "transcript"), on="call_id"
    )
    merged = pl.concat(
        [
            _merge(from_turns.drop("clock"), gap_ms=0),
            _merge(audio, gap_ms=round(merge_gap_s * 1000)).pipe(_name_turns, turns),
        ]
    )
    order = ["call_id", "start_ms", "role", "end_ms"]
    return Speech(merged.sort(order, descending=[False, False, True, False]), clocks)


def _turn_stretches(rows: Rows) -> pl.DataFrame:
    """Return one row per turn; times are null unless both are known and the call's clock is usable."""
    clocked = rows.table("calls").select("call_id", usable=~pl.col("turn_clock").is_in(list(_UNUSABLE)))
    both = pl.col("start_s").is_not_null() & pl.col("end_s").is_not_null() & pl.col("usable")
    return (
        rows.table("turns")
        .join(clocked, on="call_id")
        .sort("call_id", "turn_ix")
        .select(
            "call_id",
            "role",
            pl.when(both).then(milliseconds(pl.col("start_s"))).alias("start_ms"),
            pl.when(both).then(milliseconds(pl.col("end_s"))).alias("end_ms"),
            "turn_ix",
            (~both).cum_sum().over("call_id").cast(pl.Int64).alias("untimed"),
        )
    )


def _audio_stretches(rows: Rows, *, any_role: bool) -> pl.DataFrame:
    """Return measured speech of the recordings of each call that may carry a verdict best.

    The recording with speech of both roles wins, then the first by backend, config and recording. Where
    caller and agent lie in two recordings, each role is taken from its own. Unless any role will do, a call
    with speech of one role alone has no measured turn-taking.
    """
    source = ["call_id", "backend", "config_id", "recording_id"]
    eligible = rows.table("input_health").filter("verdict_eligible").select("call_id", "recording_id", "config_id")
    segments = (
        rows.table("segments")
        .filter(
            ~pl.col("faint").fill_null(value=False) & (pl.lit(any_role) | pl.col("role").is_in(["caller", "agent"]))
        )
        .join(eligible, on=["call_id", "recording_id", "config_id"], how="semi")
    )
    best = (
        segments.select(*source, "role")
        .unique()
        .with_columns(roles=pl.len().over(source))
        .sort("call_id", "roles", "backend", "config_id", "recording_id", descending=[False, True] + [False] * 3)
        .unique(["call_id", "role"], keep="first", maintain_order=True)
        .filter(pl.lit(any_role) | (pl.len().over("call_id") == 2))
    )
    return segments.join(best, on=[*source, "role"], how="semi").select(
        "call_id",
        "role",
        milliseconds(pl.col("start_s")).alias("start_ms"),
        milliseconds(pl.coalesce("voiced_end_s", "end_s")).alias("end_ms"),
        pl.lit(None, pl.Int32).alias("turn_ix"),
        pl.lit(0, pl.Int64).alias("untimed"),
    )


def _merge(stretches: pl.DataFrame, *, gap_ms: int) -> pl.DataFrame:
    """Make one of the stretches of a role that overlap or are closer than the gap."""
    by = ["call_id", "role"]
    return (
        stretches.sort(*by, "start_ms", "end_ms", "turn_ix")
        .with_columns(before=pl.col("end_ms").cum_max().shift(1).over(by))
        .with_columns(run=(pl.col("start_ms") - pl.col("before") >= gap_ms).fill_null(value=True).cum_sum().over(by))
        .group_by(*by, "run", maintain_order=True)
        .agg(
            pl.col("start_ms").min(),
            pl.col("end_ms").max(),
            pl.col("turn_ix").first(),
            pl.col("turn_ix").drop_nulls().sort().alias("turns"),
            pl.col("untimed").first(),
        )
        .drop("run")
    )


def _name_turns(stretches: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """Give measured stretches the turn of the same role that starts nearest, within a second."""
    known = turns.filter(pl.col("start_ms").is_not_null()).select("call_id", "role", "start_ms", found="turn_ix")
    named = stretches.sort("start_ms", "call_id", "role").join_asof(
        known.sort("start_ms", "call_id", "found"),
        on="start_ms",
        by=["call_id", "role"],
        strategy="nearest",
        tolerance=1000,
        check_sortedness=False,
    )
    return named.with_columns(
        turn_ix=pl.col("found"),
        turns=pl.concat_list("found").list.drop_nulls(),
    ).select(stretches.columns)
