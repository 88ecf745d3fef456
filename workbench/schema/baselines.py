"""The table `baselines`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Baselines(Table):
    """One row per figure of a baseline."""

    baseline_id = columns.key("baseline")
    metric = columns.key("metric")
    slice = columns.key("slice, or all")
    value = columns.number("figure", "metric's own", null="not measured")
    count = columns.integer("successes", "count", null="not a rate", min=0)
    trials = columns.integer("trials", "count", null="not a rate", min=0)
    tolerance = columns.number("allowed change", "metric's own", null="none")
    run_id = columns.text("run that set it")
