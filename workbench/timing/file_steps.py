"""What would mend a file that is read without an archive: nothing is imported there, so no advice speaks of that."""

from __future__ import annotations

from workbench.timing.health import NEXT_STEPS

FILE_STEPS = NEXT_STEPS | {
    "channel_map_unknown": "say which channel is whose, one role a channel: --channels caller,agent for two, "
    "caller,agent,mixed for three",
    "dc_offset": "take the constant offset out of the recording (a high-pass filter at 20 Hz)",
}
"""By the reason of input health."""
