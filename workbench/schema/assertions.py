"""The table `assertions`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Assertions(Table):
    """One row per definition of a check in a run."""

    run_id = columns.key("run")
    assertion_id = columns.key("assertion")
    kind = columns.text("kind of check")
    pack = columns.text("pack it came from", null="not from a pack")
    dimension = columns.choice("what it speaks of", "outcome", "policy", "conversation", "speech", "reliability")
    severity = columns.choice("how bad a failure is", "high", "medium", "low")
    deterministic = columns.flag("whether the same rows always give the same status")
    parameters = columns.json("thresholds and patterns", null=None)
    definition_sha256 = columns.text("SHA-256 of the definition")
