"""A two-channel file measured as one call, caller first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.audio.config import MeasureConfig
from workbench.timing.measuring import Measured, measure_recording


def measured(path: Path, **said: Any) -> Measured:
    """Measure a file; `said` replaces what is said of it."""
    usual = {"recording_id": "r", "call_id": "c", "roles": ("caller", "agent"), "offset_s": 0.0}
    return measure_recording(path, **{**usual, "config": MeasureConfig(), "run_id": "run", **said})
