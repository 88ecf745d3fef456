"""The table `judgements`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Judgements(Table):
    """One row per judgement of a model or person."""

    judgement_id = columns.key("identifier: hash of its content")
    run_id = columns.key("run")
    call_id = columns.text("call", null="not about one call")
    turn_ix = columns.index("turn", null="the whole call")
    judge = columns.text("who judged")
    question = columns.text("what was asked")
    verdict = columns.text("answer", null="unreadable")
    control = columns.text("blind, floor or none", null="none")
    presented = columns.json("order and texts shown")
