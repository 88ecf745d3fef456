"""The table `experiments`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Experiments(Table):
    """One row per experiment."""

    experiment_id = columns.key("experiment")
    kind = columns.text("fork, curve, sweep, fidelity, ablation, soundness, ...")
    parent_call_id = columns.text("call it began with", null="not about one call")
    arms = columns.names("arms")
    config = columns.json("settings", null=None)
    run_id = columns.text("run that made it")
