"""The table `moments`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Moments(Table):
    """One row per candidate found without a label."""

    call_id = columns.key("call")
    recording_id = columns.key("recording")
    config_id = columns.key("scanning config")
    moment_ix = columns.key_ix("position in the call")
    kind = columns.text("kind of candidate")
    onset_s = columns.seconds("when it begins")
    magnitude_s = columns.seconds("how long", null="the kind has no length")
    salience = columns.number("rank among candidates", "score", null="not ranked")
    incident = columns.text("incident it maps to", null="none")
    severity = columns.text("severity of the incident", null="none")
    run_id = columns.text("run that found it")
