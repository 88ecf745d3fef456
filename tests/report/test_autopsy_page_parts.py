"""What the page of one recording says and draws: caveats by their kind, and no mark of what stands apart."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.incidents_aside import listed
from workbench.analysis.incidents_of_file import Examined, measured
from workbench.report.autopsy import build

CLIP = Path(__file__).parents[2] / "data" / "calls" / "harper-valley-bank" / "audio" / "02e41649e7c441fd.flac"


@pytest.fixture(scope="module")
def made() -> tuple[Examined, str]:
    examined, measurement = measured(CLIP, channels=("caller", "agent"))
    return examined, build(examined, measurement, policy="0123456789ab")


def test_caveats_are_named_by_what_they_are(made: tuple[Examined, str]) -> None:
    """All four of this call are pauses of the caller."""
    examined, page = made
    caveats = [one["incident"] for one in listed(examined.incidents) if one["severity"] == "caveat"]
    assert caveats == ["latency_spike"] * 4
    assert '<dt>caveats</dt><dd>4</dd><dd class="sub">4 pauses of the caller, who went on</dd>' in page
    assert "suspected echo:" not in page


def test_what_stands_apart_is_in_no_drawing(made: tuple[Examined, str]) -> None:
    examined, page = made
    told = listed(examined.incidents)
    assert len(told) < len(examined.incidents)
    flags = re.findall(r'<a class="flag [a-z]+" href="#incident-([0-9]+)"', page)
    assert sorted(map(int, flags)) == [one["number"] for one in told]
    assert "talk-over 0.00 s" not in page
    assert "barge-in 0.00 s" not in page


def test_what_stands_against_the_recording_is_said_before_its_incidents(
    made: tuple[Examined, str], tmp_path: Path
) -> None:
    """The agent is heard in the caller's channel at -20 dB, so that each of its words is an overlap."""
    samples, rate = soundfile.read(CLIP)
    samples[:, 0] += 0.1 * samples[:, 1]
    soundfile.write(tmp_path / "leak.wav", samples / np.abs(samples).max(), rate)
    examined, measurement = measured(tmp_path / "leak.wav", channels=("caller", "agent"))
    assert examined.health["reason"] == "leakage"
    page = build(examined, measurement, policy="0123456789ab")
    summary = page.partition('<section id="summary"')[2].partition("</section>")[0]
    assert "Read them with caution: one channel carries a steady copy of the other" in summary
    assert "with caution" not in made[1].partition("</section>")[0]
