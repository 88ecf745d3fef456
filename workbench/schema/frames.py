"""The table `frames`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Frames(Table):
    """One row per hop (hop_ms of the measuring config, 10 ms by default) of a recording and measuring config."""

    recording_id = columns.key("recording")
    config_id = columns.key("measuring config")
    frame_ix = columns.key_ix("hop, 0-based; its time on the call's clock is offset_s + frame_ix * hop_s")
    caller_cdbfs = columns.centi("level of the caller", "dBFS", null="no caller channel")
    agent_cdbfs = columns.centi("level of the agent", "dBFS", null="no agent channel")
    mixed_cdbfs = columns.centi("level of a mixed or unattributed channel", "dBFS", null="no such channel")
    caller_active = columns.flag("caller speaks, the hangover (hangover_s of the measuring config) included", null="no caller channel")
    agent_active = columns.flag("agent speaks, the hangover included", null="no agent channel")
    mixed_active = columns.flag("somebody speaks, the hangover included", null="no such channel")
