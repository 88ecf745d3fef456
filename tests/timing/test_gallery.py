"""Eight recordings that can or cannot be judged, of seeded sound, beside hotato's own functions.

The sound is made here: noise that swells and fades as syllables do. What each recording must give is hotato's
published gallery of input health (1.18.1): scorable or not, the recommendation, and the kinds, times and lengths of
the candidates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import soundfile
from hotato.scan import scan_recording
from hotato.trust import trust_report

from workbench.analysis.incidents_of_file import Examined, measured
from workbench.timing.measuring import Measured

RATE, SECONDS = 16_000, 6.0
Parts = tuple[tuple[float, float], ...]


def voice(seed: int, *parts: tuple[float, float]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(round(SECONDS * RATE)) / RATE
    swell = np.interp(t, np.arange(0, SECONDS + 0.1, 0.1), rng.uniform(0.3, 1.0, round(SECONDS * 10) + 1))
    talking = sum(((t >= start) & (t < end)).astype(float) for start, end in parts) if parts else 0 * t
    return rng.normal(0, 3000, len(t)) * swell * talking + rng.normal(0, 3, len(t))


def delayed(samples: np.ndarray, *, seconds: float, db: float) -> np.ndarray:
    shift = round(seconds * RATE)
    return np.concatenate([np.zeros(shift), samples[:-shift]]) * 10 ** (db / 20)


QUIET = np.zeros(round(SECONDS * RATE))
CALLER = voice(1, (2.4, 4.7))
AGENT = voice(2, (0.2, 2.2), (4.9, 5.5))
AGENT_TALKS = voice(3, (0.2, 5.85))
BACKCHANNELS = voice(4, (2.1, 2.46), (3.2, 3.56), (4.3, 4.66))

GALLERY: dict[str, tuple[np.ndarray, ...]] = {
    "clean": (CALLER, AGENT),
    "silent caller": (QUIET, AGENT_TALKS),
    "silent agent": (voice(5, (1.0, 3.0)), QUIET),
    "swapped": (AGENT_TALKS, voice(6, (2.0, 2.5))),
    "echo bleed": (delayed(AGENT_TALKS, seconds=0.12, db=-9.1), AGENT_TALKS),
    "mono": (CALLER + AGENT,),
    "backchannels": (BACKCHANNELS, AGENT_TALKS),
}


class Case(NamedTuple):
    examined: Examined
    measured: Measured
    path: Path


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    folder = tmp_path_factory.mktemp("gallery")
    cases = {}
    for name, channels in GALLERY.items():
        path = folder / f"{name}.wav"
        samples = np.clip(np.stack(channels, axis=1), -32768, 32767).astype(np.int16)
        soundfile.write(path, samples, RATE, subtype="PCM_16")
        cases[name] = Case(*measured(path), path)
    return cases


@pytest.mark.parametrize(
    ("name", "recommendation", "reason", "warnings"),
    [
        ("clean", "eligible for scan", None, []),
        ("silent caller", "NOT SCORABLE", "silent_caller", []),
        ("silent agent", "NOT SCORABLE", "silent_agent", ["possible_swap"]),
        ("swapped", "scan with caution", "possible_swap", ["possible_swap"]),
        ("echo bleed", "scan with caution", "leakage", ["crosstalk", "leakage"]),
        ("mono", "NOT SCORABLE", "mono", []),
        ("backchannels", "eligible for scan", None, []),
    ],
)
def test_each_recording_has_its_recommendation_and_its_reason(
    name: str, recommendation: str, reason: str | None, warnings: list[str], gallery: dict[str, Case]
) -> None:
    health = gallery[name].examined.health
    assert (health["recommendation"], health["reason"], health["warnings"]) == (recommendation, reason, warnings)
    assert health["scorable"] is (recommendation != "NOT SCORABLE")
    assert (health["next_step"] is None) is (reason is None)


@pytest.mark.parametrize("name", GALLERY)
def test_hotato_says_the_same_of_the_recording(name: str, gallery: dict[str, Case]) -> None:
    case = gallery[name]
    theirs, health = trust_report(str(case.path)), case.examined.health
    recommendation = theirs["recommendation"].partition(": ")[0]  # theirs goes on with the reason
    assert (health["scorable"], health["recommendation"]) == (theirs["scorable"], recommendation)
    if len(case.examined.roles) == 1:
        return
    for row in case.examined.channels:
        peer = theirs["channels"][row["role"]]
        assert row["active_s"] == pytest.approx(peer["active_sec"], abs=5.1e-4)
        assert row["first_speech_s"] == (
            None if peer["first_speech_sec"] is None else pytest.approx(peer["first_speech_sec"], abs=5.1e-4)
        )
        clipping = theirs["recording"]["clipping"][row["role"]]
        assert row["peak_dbfs"] == pytest.approx(clipping["peak_dbfs"], abs=0.051)
    assert bool(health["possible_swap"]) is theirs["channels"]["possible_swap"]
    if health["scorable"]:
        assert health["echo_coherence"] == pytest.approx(theirs["crosstalk_risk"]["coherence"], abs=5.1e-4)


@pytest.mark.parametrize("name", ["swapped", "echo bleed"])
def test_a_verdict_waits_until_the_channel_map_or_the_sound_is_mended(name: str, gallery: dict[str, Case]) -> None:
    eligible, reason, next_step = gallery[name].examined.verdict
    assert (eligible, reason) == (False, gallery[name].examined.health["reason"])
    assert next_step


def test_a_confirmed_map_settles_a_swap_and_no_echo(gallery: dict[str, Case]) -> None:
    for name, settled in (("clean", True), ("swapped", True), ("echo bleed", False)):
        examined, _ = measured(gallery[name].path, channels=("caller", "agent"))
        assert (name, examined.verdict[0]) == (name, settled)
        assert "confirm" not in (examined.health["next_step"] or "")
    eligible, reason, _ = gallery["clean"].examined.verdict  # nobody has said which channel is whose
    assert (eligible, reason) == (False, "channel_map_unknown")


def test_the_echo_has_its_level_direction_and_delay(gallery: dict[str, Case]) -> None:
    health = gallery["echo bleed"].examined.health
    assert health["coherence"] > 0.99
    assert health["coherence_lag_s"] == 0.12
    assert health["leakage_db"] == pytest.approx(-9.1, abs=0.2)
    assert health["leakage_direction"] == "agent->caller"


def candidates(case: Case) -> list[tuple[Any, ...]]:
    return [(row["kind"], row["onset_s"], row["magnitude_s"], row["yield_after_s"]) for row in case.measured.moments]


def test_three_backchannels_are_three_candidates_and_no_yield(gallery: dict[str, Case]) -> None:
    """Each counts all that overlaps within 3.0 s: three of 0.36 s and a window, then two, then one."""
    found = candidates(gallery["backchannels"])
    assert {row[0] for row in found[:3]} == {"overlap_while_agent_talking"}
    assert [row[1] for row in found[:3]] == pytest.approx([2.09, 3.19, 4.29], abs=0.011)
    assert [row[2] for row in found[:3]] == pytest.approx([3 * 0.38, 2 * 0.38, 0.38], abs=0.05)
    assert [row[3] for row in found[:2]] == [None, None]


def test_the_scan_of_an_echo_finds_an_overlap_and_says_that_it_may_be_none(gallery: dict[str, Case]) -> None:
    found = {row["kind"]: row for row in gallery["echo bleed"].measured.moments}
    overlap, echo = found["overlap_while_agent_talking"], found["echo_correlated_activity"]
    assert (overlap["onset_s"], overlap["magnitude_s"]) == (pytest.approx(0.31, abs=0.011), 3.0)
    assert echo["onset_s"] == overlap["onset_s"]
    assert (echo["incident"], echo["severity"]) == ("echo_suspected", "caveat")
    assert gallery["echo bleed"].examined.incidents[-1]["sentence"].endswith("it may be an echo and no caller.")


@pytest.mark.parametrize("name", ["clean", "swapped", "echo bleed", "backchannels"])
def test_hotato_finds_the_same_candidates(name: str, gallery: dict[str, Case]) -> None:
    theirs = [
        (row["kind"], row["t_sec"], (row["agent_reaction"] or {}).get("after_sec"))
        for row in scan_recording(str(gallery[name].path))["candidates"]
    ]
    assert len(theirs) >= 1
    ours = [
        (kind, round(at_s, 3), None if after is None else round(after, 3))
        for kind, at_s, _, after in candidates(gallery[name])
    ]
    assert ours == theirs


def test_nothing_is_scanned_where_nothing_can_be(gallery: dict[str, Case]) -> None:
    for name in ("silent caller", "silent agent"):
        assert gallery[name].examined.incidents == gallery[name].measured.moments == []
        assert gallery[name].examined.mode is None
