"""The table `predicted_turns`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class PredictedTurns(Table):
    """One row per predicted turn of a call, arm and trial."""

    experiment_id = columns.key("experiment")
    call_id = columns.key("call")
    turn_ix = columns.key_ix("turn")
    arm = columns.key("arm")
    trial = columns.key_ix("repeat")
    text = columns.text("predicted words", null="the model gave none")
    facts = columns.json("facts found in it")
    run_id = columns.text("run that made it")
