"""The table `contracts`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Contracts(Table):
    """One row per pinned moment."""

    contract_id = columns.key("contract")
    call_id = columns.text("call it was pinned from")
    label_id = columns.text("label", null="none")
    document = columns.json("policy, digests, label", null=None)
    run_id = columns.text("run that pinned it")
