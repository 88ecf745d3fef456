"""The table `state_rows`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class StateRows(Table):
    """One row per record of a system of record."""

    call_id = columns.key("call")
    state_ix = columns.key_ix("position in the call")
    snapshot = columns.choice("before or after the call", "before", "after")
    resource = columns.text("table or collection")
    record = columns.json("the record", null=None)
