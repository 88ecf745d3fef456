"""The table `labels`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Labels(Table):
    """One row per judgement from outside the measurement, by a person or whoever `author` names; append-only."""

    call_id = columns.key("call")
    label_id = columns.key("identifier: hash of its content")
    kind = columns.text("expectation, channel_map, ...")
    onset_s = columns.seconds("moment it speaks of", null="the whole call")
    end_s = columns.seconds("end of the stretch", null="a moment")
    expect = columns.choice("what the agent should do", "yield", "hold", null="another kind of label")
    value = columns.json("anything else it says")
    author = columns.text("who labelled", null="not supplied")
    authority = columns.text(
        "on what it rests: human, where a person judged in the workbench, else what the source says",
        null="not supplied",
    )
    recorded_at = columns.utc("when it was recorded", null="came with the call")
