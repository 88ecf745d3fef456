"""The table `runs`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Runs(Table):
    """One row per thing that was run."""

    run_id = columns.key("run")
    kind = columns.text("import, measure, assert, delete, ...")
    label = columns.text("name a user gave it", null="not named")
    config = columns.json("settings", null=None)
    config_sha256 = columns.text("SHA-256 of the settings")
    workbench_version = columns.text("version that ran")
    started_at = columns.utc("start")
    ended_at = columns.utc("end", null="did not end")
    status = columns.choice("how it ended", "completed", "failed")
    counts = columns.json("rows it wrote and inputs it refused")
