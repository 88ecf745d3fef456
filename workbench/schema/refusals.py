"""The table `refusals`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Refusals(Table):
    """One row per input or row that was not accepted, or was changed on the way in."""

    run_id = columns.key("run")
    refusal_ix = columns.key_ix("position in the run")
    source_uri = columns.text("file")
    location = columns.text("line, item or field")
    rule = columns.text("name of the rule")
    message = columns.text("what was found")
    hint = columns.text("what to do")
    call_id = columns.text("call it speaks of", null="a file, or a call that gave no id")
    scope = columns.choice("what was left out", "file", "call", "row", "note")
