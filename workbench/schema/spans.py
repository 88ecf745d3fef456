"""The table `spans`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Spans(Table):
    """One row per trace span or event."""

    call_id = columns.key("call")
    span_id = columns.key("identifier within the call")
    parent_id = columns.text("enclosing span", null="top level")
    type = columns.text("kind of span")
    name = columns.text("name", null="not supplied")
    start_s = columns.seconds("start", null="a point event, or no clock")
    end_s = columns.seconds("end", null="a point event, or no clock")
    time_s = columns.seconds("time of a point event", null="a span, or no clock")
    attributes = columns.json("attributes as they came")
    redacted = columns.flag("whether values were taken out at import")
