"""The scoring config: every number that decides whether an agent yielded and how long anybody waited."""

from __future__ import annotations

import hashlib

import msgspec

from workbench.decimals import exact
from workbench.errors import UsageError

MOST_S, MOST_DB = 86_400.0, 200.0
"""A day, and more than there is between silence and full scale."""

LEAST_SEARCH_S = 0.01
"""A hop of the published method: nothing is found in less."""


class ScoreConfig(msgspec.Struct, kw_only=True, frozen=True):
    """How moments are found and scored on the runs of speech of the two parties.

    Parameters
    ----------
    yield_hangover_s : float
        The agent has yielded when it is quiet this long, in seconds.
    max_search_s : float
        How long after the onset a yield is looked for, in seconds.
    caller_proximity_s : float
        A yield counts only where the caller speaks within this time of it, in seconds: an agent that ends its
        sentence long after a backchannel has not yielded.
    turn_end_silence_s : float
        The caller's turn has ended when the caller is quiet this long, in seconds.
    premature_tolerance_s : float
        An agent that starts up to this long before the end of the caller's turn is not early, in seconds.
    onset_min_run_s : float
        Shorter runs of speech are no onset and no moment, in seconds.
    agent_onset_lookback_s : float
        The agent was speaking at the onset when it spoke at or within this time before it, in seconds.
    resume_window_s : float
        An agent that speaks again within this time after its yield has resumed, in seconds.
    restart_min_s : float
        A resumed run at least this long looks like an answer begun anew, in seconds.
    min_gap_s : float
        Shortest response gap that the scan reports, in seconds.
    critical_overlap_s : float
        An overlap longer than this is critical, in seconds. The published 1.0 s was for overlaps that counted
        the hangover; 0.815 s is its authors' value for those that do not.
    dead_air_s : float
        A silence at least this long is dead air and critical, in seconds.
    echo_coherence : float
        At or above it the caller's channel is suspected to carry the agent's sound (0..1).
    echo_gate : bool
        Whether a yield under suspicion of echo is not scorable.
    snr_gate_db : float, optional
        Moments of a recording with a channel whose speech lies less than this above its noise floor are not
        scorable, in dB. None: not looked at.
    max_time_to_yield_s, max_talk_over_s : float, optional
        Bounds for labels that bring none of their own, in seconds. None: no bound.

    Raises
    ------
    UsageError
        When a time is no number of 0..86,400 s, the search is shorter than 0.01 s, a level is none of 0..200 dB, or
        the coherence none of 0..1.
    """

    yield_hangover_s: float = 0.20
    max_search_s: float = 3.0
    caller_proximity_s: float = 0.5
    turn_end_silence_s: float = 0.20
    premature_tolerance_s: float = 0.05
    onset_min_run_s: float = 0.05
    agent_onset_lookback_s: float = 0.10
    resume_window_s: float = 4.0
    restart_min_s: float = 2.0
    min_gap_s: float = 2.0
    critical_overlap_s: float = 0.815
    dead_air_s: float = 5.0
    echo_coherence: float = 0.7
    echo_gate: bool = False
    snr_gate_db: float | None = None
    max_time_to_yield_s: float | None = None
    max_talk_over_s: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if type(getattr(self, name)) is float:
                msgspec.structs.force_setattr(self, name, getattr(self, name) + 0.0)  # -0 is 0, and no other config
        for name, value in msgspec.structs.asdict(self).items():
            if value is None or isinstance(value, bool):
                continue
            most = 1.0 if name == "echo_coherence" else MOST_DB if name.endswith("_db") else MOST_S
            least = LEAST_SEARCH_S if name == "max_search_s" else 0.0
            if not least <= value <= most:
                raise UsageError(
                    f"{name} is {exact(value)}; it must lie in {exact(least)}..{exact(most)}",
                    hint="the published values are the defaults",
                )

    @property
    def config_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the config as JSON: sorted keys, every number a float."""
        fields = {
            name: value if value is None or isinstance(value, bool) else float(value)
            for name, value in msgspec.structs.asdict(self).items()
        }
        return hashlib.sha256(msgspec.json.encode(fields, order="sorted")).hexdigest()[:12]
