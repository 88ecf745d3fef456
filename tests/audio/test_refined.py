"""Refined boundaries on levels laid by hand: 5 ms a frame, 32 ms a probability."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.audio.refined import Party, RefinedConfig, refined_runs

HOP = 0.005
SECONDS = 8.0


def party(
    speech: list[tuple[float, float]], *, level: float = -20.0, floor: float = -70.0, late: float = 0.05
) -> Party:
    """Level and floor exact; the network hears each stretch `late` seconds later than it is, at both ends."""
    dbfs = np.full(round(SECONDS / HOP), floor, np.float32)
    probability = np.full(round(SECONDS / 0.032), 0.01, np.float32)
    for start, end in speech:
        dbfs[round(start / HOP) : round(end / HOP)] = level
        probability[int((start + late) / 0.032) : int((end + late) / 0.032)] = 0.95
    return Party(dbfs=dbfs, probability=probability)


def leaking(own: Party, other: Party, *, below_db: float, delay_s: float = 0.03) -> Party:
    """The same channel with the other party in it, and heard by the network."""
    shift = round(delay_s / HOP)
    copy = np.append(np.full(shift, -120.0, np.float32), other.dbfs[:-shift]) - below_db
    return Party(
        dbfs=np.maximum(own.dbfs, copy.astype(np.float32)),
        probability=np.maximum(own.probability, other.probability),
    )


def test_boundaries_are_those_of_the_level_and_not_of_the_network() -> None:
    own = party([(1.0, 2.0), (3.015, 4.5)])
    assert refined_runs(own, hop_s=HOP) == [pytest.approx((1.0, 2.0)), pytest.approx((3.015, 4.5))]


def test_breath_before_speech_is_no_speech() -> None:
    own = party([(2.0, 3.0)])
    own.dbfs[round(1.5 / HOP) : round(1.9 / HOP)] = -45.0  # ends 0.1 s before the speech: a breath
    (run,) = refined_runs(own, hop_s=HOP)
    assert run == pytest.approx((2.0, 3.0))


def test_in_noise_a_start_that_the_network_hears_late_is_found_further_back() -> None:
    noisy = party([(2.0, 3.5)], floor=-40.0, late=0.6)
    noisy.dbfs[round(2.3 / HOP) : round(2.4 / HOP)] = -40.0  # a soft sound between two words
    (run,) = refined_runs(noisy, hop_s=HOP)
    assert run[0] == pytest.approx(2.0)
    quiet = party([(2.0, 3.5)], floor=-80.0, late=0.6)
    quiet.dbfs[round(2.3 / HOP) : round(2.4 / HOP)] = -80.0
    (run,) = refined_runs(quiet, hop_s=HOP)
    assert run[0] == pytest.approx(2.4)  # where it is quiet the network is believed, but for 0.3 s


def test_sound_that_the_network_does_not_take_for_speech_is_none() -> None:
    own = party([(2.0, 3.0)])
    own.dbfs[round(5.0 / HOP) : round(6.0 / HOP)] = -10.0
    assert len(refined_runs(own, hop_s=HOP)) == 1


def test_speech_of_the_other_party_is_left_out_and_own_speech_over_it_kept() -> None:
    other = party([(0.5, 7.5)])
    own = party([(4.0, 5.0)])
    heard = leaking(own, other, below_db=20.0)
    assert len(refined_runs(heard, hop_s=HOP)) == 1
    assert refined_runs(heard, hop_s=HOP)[0][0] < 1.0  # alone it cannot be told apart
    (run,) = refined_runs(heard, other=other, hop_s=HOP)
    assert run == pytest.approx((4.0, 5.0), abs=0.006)


def test_a_barge_in_begins_with_ones_own_speech_and_not_with_the_leak_before_it() -> None:
    other = party([(0.5, 4.2)])
    own = party([(3.5, 6.5)])
    (run,) = refined_runs(leaking(own, other, below_db=20.0), other=other, hop_s=HOP)
    assert run == pytest.approx((3.5, 6.5), abs=0.006)


def test_a_leak_alone_is_no_speech() -> None:
    other = party([(0.5, 3.0), (4.0, 6.0)])
    silent = party([])
    assert len(refined_runs(leaking(silent, other, below_db=15.0), hop_s=HOP)) == 2
    assert refined_runs(leaking(silent, other, below_db=15.0), other=other, hop_s=HOP) == []


def test_nothing_gives_nothing() -> None:
    none = Party(dbfs=np.zeros(0, np.float32), probability=np.zeros(0, np.float32))
    assert refined_runs(none, other=none, hop_s=HOP) == []


def test_settings_make_the_id() -> None:
    assert RefinedConfig().config_id != RefinedConfig(back_s=0.2).config_id
