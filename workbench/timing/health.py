"""Input health: whether turn timing can be read from a recording, and whether a verdict may rest on it.

It judges the recording and nobody's behaviour. Four things make a two-party recording not scorable: one
channel for both parties, a length of less than 0.30 s, two identical channels, and a channel without speech
(less than 0.30 s, or no run of 0.10 s). All else only warns, lowers the recommendation, or withholds verdicts:

============= ================================================== ================= ================
warning       when                                               recommendation    verdicts
============= ================================================== ================= ================
clipping      0.1 % of a channel's samples within 0.09 dB of     unchanged         allowed
              full scale
leading       3.0 s or more before anybody speaks                unchanged         allowed
_silence
low_level     the loudest channel peaks below -30 dBFS           with caution      allowed
crosstalk     coherence 0.7 or more; caution and no verdict      with caution      withheld
              where the waveforms agree as well (0.5 or more)
steady_level  a channel holds one level (within 3 dB) for 1.0 s  with caution      withheld
              or more and is all "speech": a tone, a hum or a
              constant offset, which the threshold takes for it
dc_offset     a channel rests on a constant offset of -60      with caution      withheld
              dBFS or more that makes up its noise floor
files_apart   of a call in two files one begins after the other  with caution      withheld
              has ended
non_finite    a float file has samples that are NaN, infinite    unchanged         allowed
_samples      or beyond all scale (silence and full scale; above
              0.1 % of all samples the file is refused)
leakage       a steady copy at -40 dB or more; one above -6 dB,  with caution      withheld
              mostly hidden by the other's speech, or heard for
              less than 1 s, where the waveforms agree as well
              (0.5 or more)
possible_swap the caller speaks 1.5 times as long as the agent   with caution      withheld until
              and at least 1.0 s longer                                            the map is
                                                                                   confirmed
============= ================================================== ================= ================

A file with a caller's or an agent's channel alone is not scorable for itself; with the file of the other party it is
judged as one (:mod:`workbench.timing.pair`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from workbench.timing.leakage import SAME_RATIO_DB, SAME_WAVEFORM, Coherence, Copy, coherence, copy_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from workbench.audio.pieces import Track
    from workbench.timing.two_sounds import TwoSounds

ELIGIBLE, CAUTION, NOT_SCORABLE = "eligible for scan", "scan with caution", "NOT SCORABLE"
MIN_SPEECH_S, MIN_RUN_S = 0.30, 0.10
CLIPPED_FRACTION, LEADING_SILENCE_S, LOW_PEAK = 0.001, 3.0, 10 ** (-30 / 20)
COHERENCE, LEAKAGE_DB = 0.7, -40.0
SWAP_RATIO, SWAP_MARGIN_S = 1.5, 1.0
STEADY_DB, STEADY_S = 3.0, 1.0

_EXPORT_AGAIN = "export a two-channel recording with the caller on one channel and the agent on the other"
_CHECK_MAP = (
    "listen which channel is whose: --channels names the role of each, in their order, where no sidecar or document "
    "states them, and there correct that; or export the two channels again"
)
NEXT_STEPS = {
    "mono": _EXPORT_AGAIN,
    "too_short": "record the whole call: no party can be told in less than 0.3 s",
    "identical_channels": _EXPORT_AGAIN,
    "no_caller_channel": _CHECK_MAP,
    "no_agent_channel": _CHECK_MAP,
    "silent_caller": _CHECK_MAP,
    "silent_agent": _CHECK_MAP,
    "silent_channel": _CHECK_MAP,
    "both_silent": "check that the file holds the call and is not too quiet, and export the two channels again",
    "channel_map_unknown": "say which channel is whose, one role a channel, e.g. --channels caller,agent of two; a "
    "call of an archive is imported anew for that: `workbench import FILE --replace --channels caller,agent`, then "
    "`workbench measure`",
    "files_apart": "check when each of the two files begins (offset_s): one begins after the other has ended, as where "
    "milliseconds were written for seconds",
    "leakage": "record the two parties without one in the other's microphone or line, or lower the echo",
    "crosstalk": "record the two parties without one in the other's microphone or line, or lower the echo",
    "possible_swap": "confirm which channel is whose with --channels caller,agent, or agent,caller",
    "low_level": "record at a higher level",
    "dc_offset": "take the constant offset out of the recording (a high-pass filter at 20 Hz) and import it again",
    "steady_level": "listen to the channel; remove the tone, hum or constant offset it carries",
}
ONE_PARTY = (
    "bring both parties: caller on one channel and agent on the other, or a file of each beside the other, named "
    "call.caller.wav and call.agent.wav"
)
"""What would mend a file of one channel that holds the caller or the agent alone."""
ROLES_GIVEN = (
    "listen whether the roles given are right; if not, give them in the other order: in the sidecar or document that "
    "states them, else by --channels agent,caller"
)


class Voice(msgspec.Struct, frozen=True, kw_only=True):
    """What health needs to know of a channel: its levels (linear RMS), its speech, and when that begins.

    `steady` tells whether it is all speech and holds one level, `offset` whether it rests on a constant one.
    """

    role: str
    name: str
    track: Track
    active: NDArray[np.bool_]
    peak: float
    clipped_fraction: float
    active_s: float
    first_speech_s: float | None
    steady: bool
    offset: bool

    @property
    def has_speech(self) -> bool:
        """Whether there is enough speech to be a party."""
        return self.first_speech_s is not None and self.active_s >= MIN_SPEECH_S

    @property
    def is_steady(self) -> bool:
        """Whether the channel counts as speech throughout and never changes its level."""
        return self.steady and self.active_s >= STEADY_S


class Health(msgspec.Struct, kw_only=True):
    """The health of a recording; the columns of the table `input_health` but for ids."""

    warnings: list[str]
    scorable: bool = False
    recommendation: str = NOT_SCORABLE
    verdict_eligible: bool = False
    reason: str | None = None
    next_step: str | None = None
    coherence: float | None = None
    coherence_lag_s: float | None = None
    echo_coherence: float | None = None
    echo_lag_s: float | None = None
    leakage_db: float | None = None
    leakage_direction: str | None = None
    possible_swap: bool | None = None


def assess(
    voices: Sequence[Voice],
    *,
    hop_s: float,
    identical: bool = False,
    sounds: TwoSounds | None = None,
    channel_map_confirmed: bool = False,
    non_finite: bool = False,
    apart: bool = False,
) -> Health:
    """Judge a recording by its channels.

    Parameters
    ----------
    voices : sequence of Voice
        One a channel (channels of one role already joined); at least one.
    hop_s : float
        Seconds from frame to frame.
    identical : bool
        Whether the two parties' channels hold the same samples.
    sounds : TwoSounds, optional
        The samples of both parties, asked only where levels cannot tell an echo or a copy from a second person.
        Without them a high coherence counts as an echo, and such a copy is none.
    channel_map_confirmed : bool
        Whether a person or the source vouches for the channel map; a suspected swap then no longer
        withholds verdicts.
    non_finite : bool
        Whether samples of the file were NaN or infinite.
    apart : bool
        Whether the two parties' files never sound at the same time.

    Returns
    -------
    Health
        `reason` is a stable name (a key of `NEXT_STEPS`), the first that applies; None where nothing is
        against it.
    """
    warnings = _level_warnings(voices)
    warnings += [name for name, true in (("non_finite_samples", non_finite), ("files_apart", apart)) if true]
    short = "too_short" if len(voices[0].active) * hop_s < MIN_SPEECH_S else None
    firsts = [voice.first_speech_s for voice in voices if voice.first_speech_s is not None]
    if firsts and min(firsts) >= LEADING_SILENCE_S:
        warnings.append("leading_silence")
    health = Health(warnings=warnings)
    pair, missing = _pair(voices)
    if pair is None or short:
        _verdict(health, missing or short)
        if pair is None and len(voices) == 1 and voices[0].role in ("caller", "agent"):
            health.next_step = ONE_PARTY
        return health
    caller, agent = pair
    mapped = caller.role == "caller" and agent.role == "agent"
    alike = coherence(caller.track, agent.track, hop_s=hop_s)
    if alike is not None:
        health.coherence, health.coherence_lag_s = min(1.0, round(alike.value, 6)), round(alike.lag_s, 6)
        health.echo_coherence, health.echo_lag_s = min(1.0, round(alike.behind, 6)), round(alike.behind_lag_s, 6)
    leak = _loudest_copy(caller, agent, hop_s=hop_s, sounds=sounds)
    if leak is not None:
        health.leakage_db, health.leakage_direction = round(leak[0].level_db, 3), leak[1]
    defect = _defect(caller, agent, identical=identical, mapped=mapped)
    if mapped and defect != "both_silent":
        longer = caller.active_s - agent.active_s
        health.possible_swap = caller.active_s > SWAP_RATIO * agent.active_s and longer >= SWAP_MARGIN_S
    one_sound = partial(_one_sound, pair, identical=identical, sounds=sounds, hop_s=hop_s)
    doubts = _doubts(health, mapped=mapped, alike=alike, one_sound=one_sound)
    pardoned = ["possible_swap"] if channel_map_confirmed else []
    return _verdict(health, defect, doubts=doubts, pardoned=pardoned)


def _level_warnings(voices: Sequence[Voice]) -> list[str]:
    found: list[str] = []
    if any(voice.clipped_fraction >= CLIPPED_FRACTION for voice in voices):
        found.append("clipping")
    if max(voice.peak for voice in voices) < LOW_PEAK:
        found.append("low_level")
    if any(voice.is_steady for voice in voices):
        found.append("steady_level")
    if any(voice.offset for voice in voices):
        found.append("dc_offset")
    return found


def _pair(voices: Sequence[Voice]) -> tuple[tuple[Voice, Voice] | None, str | None]:
    by_role = {voice.role: voice for voice in reversed(voices)}
    if "caller" in by_role and "agent" in by_role:
        return (by_role["caller"], by_role["agent"]), None
    if any(voice.role == "unknown" for voice in voices) and len(voices) > 1:
        return (voices[0], voices[1]), None
    if "caller" in by_role:
        return None, "no_agent_channel"
    if "agent" in by_role:
        return None, "no_caller_channel"
    return None, "mono"


def _defect(caller: Voice, agent: Voice, *, identical: bool, mapped: bool) -> str | None:
    if identical and caller.has_speech:
        return "identical_channels"
    if not (caller.has_speech or agent.has_speech):
        return "both_silent"
    for voice in (caller, agent):
        if not voice.has_speech:
            return f"silent_{voice.role}" if mapped else "silent_channel"
    return None


def _loudest_copy(caller: Voice, agent: Voice, *, hop_s: float, sounds: TwoSounds | None) -> tuple[Copy, str] | None:
    """The loudest copy and its direction; of one copy seen from both sides that which covers more of its source."""
    found: list[tuple[Copy, str]] = []
    for nth, source, other in ((1, agent, caller), (0, caller, agent)):
        copy = copy_of(
            source.track,
            other.track,
            source_active=source.active,
            other_active=other.active,
            hop_s=hop_s,
            samples_agree=None if sounds is None else partial(sounds.copy_agreement, nth, hop_s=hop_s),
        )
        if copy is not None:
            found.append((copy, f"{source.name}->{other.name}"))
    if len(found) == 2 and abs(found[0][0].level_db + found[1][0].level_db) <= SAME_RATIO_DB:
        return max(found, key=lambda item: item[0].coverage)
    return max(found, key=lambda item: item[0].level_db) if found else None


def _doubts(
    health: Health,
    *,
    mapped: bool,
    alike: Coherence | None,
    one_sound: Callable[[], bool],
) -> list[str]:
    doubts: list[str] = [name for name in ("files_apart", "steady_level", "dc_offset") if name in health.warnings]
    if not mapped:
        doubts.append("channel_map_unknown")
    if health.leakage_db is not None and health.leakage_db >= LEAKAGE_DB:
        health.warnings.append("leakage")
        doubts.append("leakage")
    if alike is not None and alike.value >= COHERENCE:
        health.warnings.append("crosstalk")
        if one_sound():
            doubts.append("crosstalk")
    if health.possible_swap:
        health.warnings.append("possible_swap")
        doubts.append("possible_swap")
    return [*doubts, "low_level"] if "low_level" in health.warnings else doubts


def _one_sound(pair: tuple[Voice, Voice], *, identical: bool, sounds: TwoSounds | None, hop_s: float) -> bool:
    """Whether two channels of high coherence hold one sound; without samples that counts as one."""
    both = pair[0].active & pair[1].active
    return identical or sounds is None or sounds.agreement(both, hop_s=hop_s) >= SAME_WAVEFORM


def _verdict(health: Health, defect: str | None, *, doubts: Sequence[str] = (), pardoned: Sequence[str] = ()) -> Health:
    health.warnings.sort()
    if defect is not None:
        health.reason, health.next_step = defect, NEXT_STEPS[defect]
        return health
    health.scorable = True
    health.verdict_eligible = not set(doubts).difference(pardoned, ["low_level"])
    health.recommendation = CAUTION if doubts else ELIGIBLE
    if doubts:
        health.reason = doubts[0]
        health.next_step = ROLES_GIVEN if doubts[0] in pardoned else NEXT_STEPS[doubts[0]]
    return health
