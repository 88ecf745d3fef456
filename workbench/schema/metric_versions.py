"""The table `metric_versions`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class MetricVersions(Table):
    """One row per version of a metric."""

    metric = columns.key("metric")
    version = columns.key("version")
    definition = columns.text("what it measures")
    changed = columns.text("what changed", null="first version")
