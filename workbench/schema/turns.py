"""The table `turns`."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from workbench.schema import columns
from workbench.schema.table import Table


class Turns(Table):
    """One row per turn of a call."""

    call_id = columns.key("call")
    turn_ix = columns.key_ix("position in the call as its source orders it")
    role = columns.choice("who speaks", "caller", "agent")
    start_s = columns.seconds("start of the turn", null="no clock")
    end_s = columns.seconds("end of the turn", null="no clock")
    text = columns.text("the words as the transcript gives them", null="not supplied")
    heard = columns.text("what the recogniser delivered", null="no recogniser in between, or not kept")
    truth = columns.text("what was really said", null="not known")
    normalized = columns.text("text after the named normaliser", null="not normalised")
    intent = columns.text("intent the system chose", null="not supplied")
    expected_intent = columns.text("intent that was meant", null="not supplied")
    entities = columns.json("entities the system found")
    expected_entities = columns.json("entities that were meant")
    served_from = columns.choice("in a fork: replayed from the recording or live", "recording", "live", null="not a fork")
    barge_in = columns.flag("whether the turn began over the other's speech on purpose", null="not supplied")

    @dy.rule()
    def end_not_before_start(cls) -> pl.Expr:
        """A turn does not end before it starts."""
        return pl.col("end_s") >= pl.col("start_s")
