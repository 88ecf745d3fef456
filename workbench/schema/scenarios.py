"""The table `scenarios`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Scenarios(Table):
    """One row per scenario and run that brought it."""

    scenario_id = columns.key("scenario")
    definition_sha256 = columns.key("SHA-256 of the definition")
    name = columns.text("name", null="not supplied")
    expected_outcome = columns.text("outcome that is wanted", null="not supplied")
    required_facts = columns.names("facts the agent must give", null="not supplied")
    forbidden_facts = columns.names("facts the agent must not give", null="not supplied")
    document = columns.json("the definition as it came")
    run_id = columns.text("run that brought it")
