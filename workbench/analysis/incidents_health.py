"""The health of one file in words: what stands against it and what it means for timing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.timing.health import CLIPPED_FRACTION, COHERENCE, LEAKAGE_DB, MIN_SPEECH_S

if TYPE_CHECKING:
    from workbench.analysis.incidents_of_file import Examined

WARNINGS = {
    "clipping": f"clipping: {100 * CLIPPED_FRACTION:g} % or more of a channel's samples are at full scale",
    "crosstalk": f"crosstalk: the two channels rise and fall together (coherence {COHERENCE} or more)",
    "dc_offset": "constant offset: a channel rests on one that makes up its noise floor",
    "files_apart": "files apart: of the two files of the call one begins after the other has ended",
    "leading_silence": "leading silence: nobody speaks in the first 3 s or more",
    "leakage": f"leakage: one channel carries a steady copy of the other at {LEAKAGE_DB:g} dB or louder",
    "low_level": "low level: the loudest channel peaks below -30 dBFS",
    "non_finite_samples": "non-finite samples: some are no numbers or beyond all scale, taken as silence or full scale",
    "pair_incomplete": (
        "incomplete pair: it is named like one side of a call, but the other side is not beside it; its channel is "
        "taken as mixed, so a silence of that side counts as one of the call"
    ),
    "possible_swap": "possible swap: the caller's channel speaks much longer than the agent's",
    "steady_level": "steady level: a channel holds one level throughout, a tone, a hum or a constant offset",
}
REASONS = {
    "mono": "both parties share one channel",
    "too_short": f"the recording is shorter than {MIN_SPEECH_S:g} s",
    "identical_channels": "both channels hold the same samples",
    "no_caller_channel": "no channel is the caller's",
    "no_agent_channel": "no channel is the agent's",
    "silent_caller": "no speech was found in the caller's channel",
    "silent_agent": "no speech was found in the agent's channel",
    "silent_channel": "no speech was found in one of the channels",
    "both_silent": "no speech was found in either channel",
    "channel_map_unknown": "nobody has said which channel is whose",
    "no_speech": "no speech was found, so its silences mean nothing",
    "pair_of_files": "the two sides of the call lie in two files",
    **{
        name: WARNINGS[name].partition(": ")[2]
        for name in ("leakage", "crosstalk", "low_level", "steady_level", "dc_offset", "files_apart")
    },
    "possible_swap": "the two channels look exchanged",
}
SCOPE = {
    "mono": (
        "One channel for both: dead air (5 s or more) and latency spikes only. Barge-in, talk-over and who was silent "
        "need the caller and the agent on a channel each."
    )
}
"""What can and cannot be said, by the mode of an examined file."""


def plain_reason(name: str | None) -> str:
    """Return a stable name of a reason in words.

    Parameters
    ----------
    name : str or None
        A key of `REASONS`, or any other name.

    Returns
    -------
    str
        A clause without a full stop; another name with spaces for underscores; "" for None.
    """
    return "" if name is None else REASONS.get(name, name.replace("_", " "))


def plain_warning(name: str) -> str:
    """Return a warning of input health in words.

    Parameters
    ----------
    name : str
        A key of `WARNINGS`, or any other name.

    Returns
    -------
    str
        Its short name, a colon and what was found; another name with spaces for underscores.
    """
    return WARNINGS.get(name, name.replace("_", " "))


def swap_reason(examined: Examined) -> str | None:
    """Say why the channels look exchanged.

    Parameters
    ----------
    examined : Examined

    Returns
    -------
    str or None
        None where they do not, or where nothing says which channel is whose.
    """
    if not examined.health["possible_swap"]:
        return None
    active = {row["role"]: row["active_s"] for row in examined.channels}
    return f"the caller's channel sounds for {active['caller']:.2f} s, the agent's for {active['agent']:.2f} s"


def trust_report(examined: Examined) -> dict[str, Any]:
    """Return the health of a file as one record; it judges the file and nobody's behaviour.

    Parameters
    ----------
    examined : Examined

    Returns
    -------
    dict
        `kind` is "input-health". Levels in dBFS (-120 is digital silence), times in seconds from the start of the
        recording; None is not measured or not found. There is no verdict of yield or hold in it.
    """
    health = examined.health
    eligible, reason, next_step = examined.verdict
    firsts, faint = (
        [row[name] for row in examined.channels if row[name] is not None] for name in ("speech_from_s", "faint_from_s")
    )
    spoken = {
        role: any(
            row["role"] == role and row["active_s"] >= MIN_SPEECH_S and row["first_speech_s"] is not None
            for row in examined.channels
        )
        for role in ("caller", "agent")
    }
    names = ("coherence", "coherence_lag_s", "echo_coherence", "echo_lag_s", "leakage_db", "leakage_direction")
    return {
        "kind": "input-health",
        "file": examined.file,
        "sha256": examined.sha256,
        "recording": {
            "container": examined.container,
            "codec": examined.codec,
            "sample_rate_hz": examined.sample_rate_hz,
            "duration_s": examined.duration_s,
            "channel_count": len(examined.roles),
            "leading_silence_s": min(firsts) if firsts else None,
            "faint_from_s": min(faint) if faint else None,
        },
        "channel_map": {"roles": list(examined.roles), "source": examined.channel_map},
        "channels": examined.channels,
        "crosstalk": {name: health[name] for name in names},
        "possible_swap": health["possible_swap"],
        "swap_reason": swap_reason(examined),
        "scorability": {
            "separated_tracks": len(examined.roles) > 1 and health["reason"] != "identical_channels",
            "enough_caller_activity": spoken["caller"],
            "enough_agent_activity": spoken["agent"],
        },
        "warnings": health["warnings"],
        "scorable": health["scorable"],
        "recommendation": health["recommendation"],
        "reason": health["reason"],
        "next_step": health["next_step"],
        "verdict_eligible": eligible,
        "verdict_reason": reason,
        "verdict_next_step": next_step,
    }
