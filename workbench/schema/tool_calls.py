"""The table `tool_calls`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class ToolCalls(Table):
    """One row per tool call."""

    call_id = columns.key("call")
    call_ix = columns.key_ix("position in the call")
    turn_ix = columns.index("turn during which it was made", null="not attributed")
    name = columns.text("tool")
    arguments = columns.json("arguments as sent")
    result = columns.json("result as returned")
    error = columns.text("error as returned", null="no error reported")
    start_s = columns.seconds("start", null="no clock")
    end_s = columns.seconds("end", null="no clock")
    consequential = columns.flag("whether it changes something for the caller", null="not supplied")
    authority = columns.text("who says it happened: submitted, adapter_reported, provider_export, signed_attestation, measured", null="not supplied")
