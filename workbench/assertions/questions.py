"""Which questions of the agent an action may rest on, and how the caller answered them.

**Conventions.** A caller's turns with no agent turn between them are one answer. An action rests on questions
that stand before it and not before the last action that a caller's turn parts from it: what was asked for one
action does not serve the next, and actions with no caller's turn between them share their question. An action
without a turn stands, by the clock, behind the last turn that began before it.
"""

from __future__ import annotations

import polars as pl

ACTION = ["call_id", "call_ix"]


def answers(turns: pl.DataFrame) -> pl.DataFrame:
    """Return the caller's answers.

    Parameters
    ----------
    turns : polars.DataFrame
        Rows of `turns`.

    Returns
    -------
    polars.DataFrame
        call_id, answer_ix (its first turn), answer (the texts of its turns joined, null where one has none).
    """
    spoken = turns.filter(pl.col("role").is_in(["caller", "agent"])).sort("call_id", "turn_ix")
    return (
        spoken.with_columns(
            run=(pl.col("role") != pl.col("role").shift(1)).fill_null(value=True).cum_sum().over("call_id")
        )
        .filter(pl.col("role") == "caller")
        .with_columns(said=pl.coalesce("text", "heard"))
        .group_by("call_id", "run", maintain_order=True)
        .agg(
            pl.col("turn_ix").first().alias("answer_ix"),
            pl.when(pl.col("said").is_not_null().all()).then(pl.col("said").str.join(" ")).alias("answer"),
        )
        .drop("run")
    )


def placed(actions: pl.DataFrame, turns: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """Say between which turns the question and the answer to each action lie.

    Parameters
    ----------
    actions : polars.DataFrame
        call_id, call_ix, turn_ix, start_s.
    turns : polars.DataFrame
        Rows of `turns`.
    replies : polars.DataFrame
        What `answers` gives.

    Returns
    -------
    polars.DataFrame
        The actions with ``answered_by`` (the last turn that may answer) and ``asked_from`` (the first that may
        ask); null where the order is unknown or nothing comes before.
    """
    at = _by_clock(actions, turns).with_columns(
        answered_by=pl.coalesce("turn_ix", pl.col("begun_ix").cast(pl.Int64)).cast(pl.Int64)
    )
    parted = (
        at.select(*ACTION, "answered_by")
        .join(replies.select("call_id", "answer_ix"), on="call_id")
        .filter(pl.col("answer_ix") <= pl.col("answered_by"))
        .group_by(ACTION)
        .agg(pl.col("answer_ix").max().alias("parted_ix"))
    )
    others = at.select("call_id", pl.col("answered_by").alias("other_ix")).drop_nulls().unique()
    asked_from = (
        parted.join(others, on="call_id")
        .filter(pl.col("other_ix") < pl.col("parted_ix"))
        .group_by(ACTION)
        .agg(pl.col("other_ix").max().alias("asked_from"))
    )
    return at.drop("begun_ix").join(asked_from, on=ACTION, how="left")


def answered(asked: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """Add the first answer after each question and before its action.

    Parameters
    ----------
    asked : polars.DataFrame
        call_id, call_ix, asked_ix, answered_by.
    replies : polars.DataFrame
        What `answers` gives.

    Returns
    -------
    polars.DataFrame
        The questions with answer_ix and answer, null where there is none.
    """
    first = (
        asked.select(*ACTION, "asked_ix", "answered_by")
        .join(replies, on="call_id")
        .filter((pl.col("answer_ix") > pl.col("asked_ix")) & (pl.col("answer_ix") <= pl.col("answered_by")))
        .sort(*ACTION, "asked_ix", "answer_ix")
        .unique([*ACTION, "asked_ix"], keep="first", maintain_order=True)
        .drop("answered_by")
    )
    return asked.join(first, on=[*ACTION, "asked_ix"], how="left")


def _by_clock(actions: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """Add the last turn that began before each action that no turn is given for."""
    begun = (
        actions.filter(pl.col("turn_ix").is_null() & pl.col("start_s").is_not_null())
        .select(*ACTION, "start_s")
        .join(turns.select("call_id", begun_ix="turn_ix", begun_s="start_s"), on="call_id")
        .filter(pl.col("begun_s") < pl.col("start_s"))
        .group_by(ACTION)
        .agg(pl.col("begun_ix").max())
    )
    return actions.join(begun, on=ACTION, how="left")
