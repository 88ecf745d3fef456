"""The table `recordings`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Recordings(Table):
    """One row per audio artifact of a call at a boundary."""

    recording_id = columns.key("SHA-256 of the file's bytes")
    call_id = columns.key("call it belongs to")
    pcm_sha256 = columns.text("SHA-256 of the decoded samples, 16-bit little-endian, interleaved", null="not decoded")
    boundary = columns.choice("where in the chain it was taken", "client_capture", "uploaded", "decoded", "asr_input", "agent_output", "combined")
    uri = columns.text("path in the archive's media store (media/...), or where the referenced file lies")
    storage = columns.choice("copied into the archive or referenced in place", "copy", "reference")
    container = columns.text("file format")
    codec = columns.text("sample encoding")
    sample_rate_hz = columns.integer("sample rate", "Hz", min=1)
    sample_width_bits = columns.integer("bits per sample", "bit", null="lossy codec", min=1)
    channel_count = columns.integer("channels", "count", min=1)
    frame_count = columns.integer("samples per channel that were decoded", "count", min=0)
    byte_count = columns.integer("size of the file", "byte", min=0)
    duration_s = columns.seconds("decoded length", min=0.0)
    channel_roles = columns.names("whose voice each channel carries, in channel order: caller, agent, mixed, unknown")
    offset_s = columns.seconds("start of the recording on the call's clock")
    channel_map_source = columns.choice("who says which channel is whose", "declared", "sidecar", "format", "option", "name", "unknown")
    run_id = columns.text("run that imported it")
