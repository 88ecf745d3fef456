"""The table `goal_states`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class GoalStates(Table):
    """One row per goal state taken from a call."""

    call_id = columns.key("call")
    source = columns.key("extraction or scenario")
    goal = columns.json("intent, facts, constraints, manner", null=None)
    run_id = columns.text("run that made it")
