"""The gallery of recordings that can and cannot be judged, made from samples with known contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from two_sided import measured

from workbench.timing.health import NEXT_STEPS, ONE_PARTY
from workbench.timing.leakage import coherence, copy_of, waveform_agreement

RATE = 8000
GOLDEN = Path(__file__).parent / "golden"
SECONDS = 12.0


def speech(seed: int, *parts: tuple[float, float], level: float = 3000.0) -> np.ndarray:
    """Noise that swells and fades four times a second, as syllables do, over a faint hiss."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(SECONDS * RATE)) / RATE
    swell = np.interp(t, np.arange(0, SECONDS + 0.125, 0.125), rng.uniform(0.03, 1.0, round(SECONDS * 8) + 1))
    talking = np.zeros_like(t)
    for start, end in parts:
        talking[(t >= start) & (t < end)] = 1.0
    return rng.normal(0, level, len(t)) * swell * talking + rng.normal(0, 3, len(t))


CALLER = speech(1, (3.0, 5.0), (9.0, 10.5))
AGENT = speech(2, (0.5, 2.8), (5.2, 8.5), (10.8, 11.8))


def delayed(samples: np.ndarray, *, seconds: float, db: float) -> np.ndarray:
    shift = round(seconds * RATE)
    return np.concatenate([np.zeros(shift), samples[: len(samples) - shift]]) * 10 ** (db / 20)


def health(
    tmp_path: Path, *channels: np.ndarray, roles: tuple[str, ...] = ("caller", "agent"), **more: Any
) -> dict[str, Any]:
    path = tmp_path / "call.wav"
    samples = np.clip(np.stack(channels, axis=1), -32768, 32767).astype(np.int16)
    soundfile.write(path, samples, RATE, subtype="PCM_16")
    return measured(path, roles=roles, **more).health


def test_a_clean_recording_has_nothing_against_it(tmp_path: Path) -> None:
    found = health(tmp_path, CALLER, AGENT)
    assert (found["scorable"], found["verdict_eligible"], found["recommendation"]) == (
        True,
        True,
        "eligible for scan",
    )
    assert (found["reason"], found["next_step"], found["warnings"]) == (None, None, [])
    assert found["leakage_db"] is None
    assert found["coherence"] < 0.5
    assert found["possible_swap"] is False


@pytest.mark.parametrize(
    ("channels", "roles", "reason"),
    [
        ((CALLER + AGENT,), ("mixed",), "mono"),
        ((CALLER + AGENT,), ("unknown",), "mono"),
        ((CALLER, CALLER), ("caller", "agent"), "identical_channels"),
        ((CALLER, CALLER), ("unknown", "unknown"), "identical_channels"),
        ((0 * CALLER, AGENT), ("caller", "agent"), "silent_caller"),
        ((CALLER, 0 * AGENT), ("caller", "agent"), "silent_agent"),
        ((0 * CALLER, 0 * AGENT), ("caller", "agent"), "both_silent"),
        ((0 * CALLER, 0 * AGENT), ("unknown", "unknown"), "both_silent"),
        ((CALLER[:1], AGENT[:1]), ("caller", "agent"), "too_short"),
        ((CALLER[8000:8400], AGENT[8000:8400]), ("unknown", "unknown"), "too_short"),
        ((CALLER[:1], CALLER[:1]), ("caller", "agent"), "too_short"),
        ((CALLER[:400],), ("agent",), "no_caller_channel"),
        ((CALLER[:1],), ("mixed",), "mono"),
        ((CALLER, 0 * AGENT), ("unknown", "unknown"), "silent_channel"),
        ((CALLER, AGENT), ("caller", "mixed"), "no_agent_channel"),
        ((CALLER, AGENT), ("mixed", "agent"), "no_caller_channel"),
        ((0 * CALLER,), ("caller",), "no_agent_channel"),
        ((CALLER,), ("caller",), "no_agent_channel"),
        ((AGENT,), ("agent",), "no_caller_channel"),
    ],
)
def test_what_is_not_scorable_says_why_and_what_would_mend_it(
    tmp_path: Path, channels: tuple[np.ndarray, ...], roles: tuple[str, ...], reason: str
) -> None:
    found = health(tmp_path, *channels, roles=roles)
    assert (found["scorable"], found["verdict_eligible"], found["recommendation"]) == (
        False,
        False,
        "NOT SCORABLE",
    )
    assert found["reason"] == reason
    alone = roles in {("caller",), ("agent",)}
    assert found["next_step"] == (ONE_PARTY if alone else NEXT_STEPS[reason])


@pytest.mark.parametrize("channels", [(CALLER[:1], AGENT[:1]), (0 * CALLER, 0 * AGENT)])
def test_where_nothing_could_be_measured_nothing_is_said_of_swap_and_copy(
    tmp_path: Path, channels: tuple[np.ndarray, ...]
) -> None:
    found = health(tmp_path, *channels)
    assert (found["possible_swap"], found["leakage_db"], found["coherence"]) == (None, None, None)


def gallery(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = measured(GOLDEN / name)
    return found.health, found.channels


def test_the_published_clean_recording_has_its_published_figures() -> None:
    found, (caller, agent) = gallery("gallery-clean.flac")
    assert (caller["active_s"], caller["first_speech_s"], round(caller["peak_dbfs"], 1)) == (2.46, 2.39, -4.4)
    assert (agent["active_s"], agent["first_speech_s"], round(agent["peak_dbfs"], 1)) == (2.71, 0.19, -4.4)
    assert round(found["coherence"], 3) == 0.306
    assert (found["recommendation"], found["verdict_eligible"]) == ("eligible for scan", True)


def test_the_published_echo_has_its_published_figures() -> None:
    found, _ = gallery("gallery-echo.flac")
    assert (round(found["coherence"], 2), found["coherence_lag_s"]) == (1.0, 0.12)
    assert (round(found["leakage_db"], 1), found["leakage_direction"]) == (-9.1, "agent->caller")
    assert (found["scorable"], found["recommendation"], found["verdict_eligible"]) == (
        True,
        "scan with caution",
        False,
    )


def test_an_unknown_channel_map_withholds_verdicts_and_says_how_to_give_it(tmp_path: Path) -> None:
    found = health(tmp_path, CALLER, AGENT, roles=("unknown", "unknown"))
    assert (found["scorable"], found["verdict_eligible"]) == (True, False)
    assert (found["recommendation"], found["reason"]) == ("scan with caution", "channel_map_unknown")
    assert "--channels caller,agent" in found["next_step"]
    assert found["possible_swap"] is None


def test_exchanged_channels_are_suspected_until_the_map_is_confirmed(tmp_path: Path) -> None:
    found = health(tmp_path, AGENT, CALLER)
    assert (found["possible_swap"], found["verdict_eligible"], found["reason"]) == (
        True,
        False,
        "possible_swap",
    )
    assert found["scorable"]
    sure = health(tmp_path, AGENT, CALLER, channel_map_confirmed=True)
    assert (sure["possible_swap"], sure["verdict_eligible"], sure["recommendation"]) == (
        True,
        True,
        "scan with caution",
    )


def test_roles_that_were_given_are_not_asked_for_again(tmp_path: Path) -> None:
    """Who typed --channels caller,agent is told to listen, not to type it."""
    asked = health(tmp_path, AGENT, CALLER)["next_step"]
    given = health(tmp_path, AGENT, CALLER, channel_map_confirmed=True)["next_step"]
    assert asked == NEXT_STEPS["possible_swap"]
    assert given.startswith("listen whether the roles given are right")
    assert "confirm" not in given


@pytest.mark.parametrize("db", [-9.1, -20.0, -35.0])
def test_an_echo_is_found_with_its_level_direction_and_delay(tmp_path: Path, db: float) -> None:
    found = health(tmp_path, delayed(AGENT, seconds=0.12, db=db), AGENT)
    assert found["leakage_db"] == pytest.approx(db, abs=0.5)
    assert found["leakage_direction"] == "agent->caller"
    assert found["coherence"] > 0.99
    assert found["coherence_lag_s"] == 0.12
    assert found["warnings"] == ["crosstalk", "leakage"]
    assert (found["scorable"], found["verdict_eligible"], found["recommendation"]) == (
        True,
        False,
        "scan with caution",
    )


@pytest.mark.parametrize("db", [-12.0, -25.0])
def test_bleed_is_found_under_the_callers_own_speech(tmp_path: Path, db: float) -> None:
    """The whole-clip cosine is diluted by the caller's speech; the steady ratio is not."""
    found = health(tmp_path, CALLER + delayed(AGENT, seconds=0.05, db=db), AGENT)
    assert found["coherence"] < 0.7
    assert found["leakage_db"] == pytest.approx(db, abs=0.5)
    assert found["leakage_direction"] == "agent->caller"


def test_bleed_the_other_way_names_the_other_direction(tmp_path: Path) -> None:
    found = health(tmp_path, CALLER, AGENT + delayed(CALLER, seconds=0.2, db=-15))
    assert found["leakage_direction"] == "caller->agent"
    echo = health(tmp_path, CALLER, delayed(CALLER, seconds=0.2, db=-15))
    assert echo["coherence_lag_s"] == -0.2


def test_a_loud_echo_is_told_from_two_people_by_its_waveform(tmp_path: Path) -> None:
    """At -2 dB a copy is as loud as a second speaker: only the samples tell them apart."""
    echo = health(tmp_path, delayed(AGENT, seconds=0.1, db=-2), AGENT)
    assert (echo["reason"], echo["verdict_eligible"]) == ("leakage", False)
    assert echo["warnings"] == ["crosstalk", "leakage"]
    assert (echo["leakage_db"], echo["leakage_direction"]) == (pytest.approx(-2, abs=0.5), "agent->caller")
    rng = np.random.default_rng(5)
    same_rhythm = np.abs(AGENT).clip(0, 9000) * rng.choice([-1.0, 1.0], len(AGENT))
    apart = health(tmp_path, same_rhythm, AGENT)
    assert apart["coherence"] > 0.7
    assert (apart["reason"], apart["verdict_eligible"], apart["warnings"]) == (None, True, ["crosstalk"])


def test_clipping_and_leading_silence_warn_and_change_nothing_else(tmp_path: Path) -> None:
    late = [np.where(np.arange(len(v)) < 5 * RATE, 0, v) for v in (CALLER, AGENT)]
    found = health(tmp_path, late[0] * 12, late[1] * 12)
    assert found["warnings"] == ["clipping", "leading_silence"]
    assert (found["verdict_eligible"], found["recommendation"]) == (True, "eligible for scan")


def test_a_low_level_asks_for_caution_and_withholds_nothing(tmp_path: Path) -> None:
    found = health(tmp_path, CALLER / 15, AGENT / 15)
    assert (found["warnings"], found["reason"]) == (["low_level"], "low_level")
    assert (found["verdict_eligible"], found["recommendation"]) == (True, "scan with caution")


def test_a_constant_offset_is_not_taken_for_a_caller(tmp_path: Path) -> None:
    """An offset of 500 is a level of -36 dBFS on every frame: by the threshold alone, all speech."""
    found = health(tmp_path, 0 * CALLER + 500, AGENT)
    assert "steady_level" in found["warnings"]
    assert (found["scorable"], found["reason"]) == (True, "steady_level")
    assert found["recommendation"] == "scan with caution"
    assert not found["verdict_eligible"]


@pytest.mark.parametrize(("offset", "told"), [(0, False), (20, False), (300, True), (-300, True)])
def test_speech_on_a_constant_offset_carries_no_verdict(tmp_path: Path, offset: int, told: bool) -> None:
    """20 of 32,768 is -64 dBFS, below the gate of speech; 300 is -41 dBFS and would make every pause loud."""
    found = health(tmp_path, CALLER + offset, AGENT + offset)
    assert ("dc_offset" in found["warnings"]) is told
    assert found["verdict_eligible"] is not told
    assert found["reason"] == ("dc_offset" if told else None)
    assert found["scorable"]


@pytest.mark.parametrize("count", [400, 20_001])  # the longer one is multiplied in pieces
def test_coherence_equals_the_cosine_taken_lag_by_lag(count: int) -> None:
    rng = np.random.default_rng(9)
    first, second = rng.random(count), rng.random(count)
    second[30:] += first[:-30] * 2
    found = coherence([first], [second], hop_s=0.01)
    cosines = {}
    for lag in range(-50, 51):
        a, b = (first[lag:], second[: count - lag]) if lag >= 0 else (first[:lag], second[-lag:])
        cosines[lag] = float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))
    assert found is not None
    assert found.value == pytest.approx(max(cosines.values()), abs=1e-12)
    assert found.lag_s == pytest.approx(max(cosines, key=lambda lag: cosines[lag]) * 0.01)


@pytest.mark.parametrize("lag", [0, 7, 50])
@pytest.mark.parametrize(("copied", "found"), [(0.55, True), (0.45, False)])
def test_a_copy_must_cover_half_of_its_source_at_any_delay(lag: int, copied: float, *, found: bool) -> None:
    """1,000 frames of speech of which the first part comes back 20 dB lower, `lag` frames later."""
    rng = np.random.default_rng(lag)
    source, other = np.full(3000, -90.0), np.full(3000, -90.0)
    source[500:1500] = rng.uniform(-30, -10, 1000)
    last = 500 + round(1000 * copied)
    other[500 + lag : last + lag] = source[500:last] - 20.0
    linear, again = 10 ** (source / 20), 10 ** (other / 20)
    copy = copy_of([linear], [again], source_active=source > -60, other_active=other > -60, hop_s=0.01)
    assert (copy is not None) == found
    if copy is not None:
        assert (copy.level_db, copy.lag_s) == (pytest.approx(-20.0), pytest.approx(lag * 0.01))
        assert copy.coverage == pytest.approx(copied)


def test_measures_that_need_sound_are_undefined_without_it() -> None:
    nothing, quiet = np.zeros(0), np.zeros(100)
    assert coherence([nothing], [nothing], hop_s=0.01) is None
    assert coherence([quiet], [quiet + 1], hop_s=0.01) is None
    flags = np.zeros(0, bool)
    assert copy_of([nothing], [nothing], source_active=flags, other_active=flags, hop_s=0.01) is None
    assert waveform_agreement(np.zeros(0, np.int16), np.zeros(0, np.int16), sample_rate_hz=RATE) == 0.0
    assert waveform_agreement(np.zeros(9, np.int16), np.ones(9, np.int16), sample_rate_hz=RATE) == 0.0
