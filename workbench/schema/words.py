"""The table `words`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Words(Table):
    """One row per word of a turn."""

    call_id = columns.key("call")
    turn_ix = columns.key_ix("turn")
    word_ix = columns.key_ix("position in the turn")
    word = columns.text("the word")
    start_s = columns.seconds("start", null="no clock")
    end_s = columns.seconds("end", null="no clock")
    confidence = columns.number("the recogniser's own confidence", "0..1", null="not supplied")
    source = columns.text("recogniser or transcriber", null="not supplied")
