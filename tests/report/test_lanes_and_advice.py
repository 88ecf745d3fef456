"""One rule for a bar of speech on every page, and advice that fits what the reader has."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.analysis.call_timeline import call_timeline
from workbench.analysis.incidents_of_file import measured
from workbench.analysis.review import window
from workbench.archive.archive import Archive
from workbench.charts.speech_bars import PALE, RULE
from workbench.report.autopsy import build
from workbench.report.html import report
from workbench.schema.call import Audio, Call, Label

RATE = 8000
CALLER, AGENT, DURATION_S = ((2.0, 2.4), (2.7, 3.4)), ((0.2, 5.0),), 6.0
"""A pause of 0.3 s: longer than the hangover (0.15 s), shorter than what ends a turn (0.35 s)."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    t = np.arange(int(DURATION_S * RATE)) / RATE
    lanes = [
        sum(np.where((t >= a) & (t < b), 0.2 * np.sin(2 * np.pi * hz * t), 0.0) for a, b in runs)
        for runs, hz in ((CALLER, 440), (AGENT, 310))
    ]
    path = tmp_path_factory.mktemp("bars") / "call.wav"
    sf.write(path, np.stack(lanes, axis=1), RATE)
    return path


@pytest.fixture(scope="module")
def archive(sound: Path) -> Archive:
    made = Archive.create(sound.parent / "archive")
    label = Label(kind="expectation", onset_s=2.0, expect="yield", value={"max_time_to_yield_s": 1.0}, author="A")
    made.add(
        [
            Call(
                id="c",
                source_format="made",
                source_uri="c.json",
                source_sha256="0" * 64,
                origin="synthetic",
                duration_s=DURATION_S,
                audio=[Audio(path=str(sound), channels=["caller", "agent"], channel_map_source="declared")],
                labels=[label],
            )
        ]
    )
    made.measure(workers=1)
    return made


def bars(page: str, *, start_s: float, end_s: float, role: str = "caller") -> list[tuple[float, float]]:
    """Bars of the last lane of `role` on a page, in seconds."""
    lane = re.findall(rf'<g class="lane {role}">(.*?)</g>', page, re.DOTALL)[-1]
    width = (end_s - start_s) / 100
    found = re.findall(r'<rect class="run[^"]*" x="([\d.]+)%" width="([\d.]+)%"', lane)
    return [(start_s + float(x) * width, start_s + (float(x) + float(w)) * width) for x, w in found]


def test_every_page_and_lane_draws_the_bars_the_verdicts_read(sound: Path, archive: Archive) -> None:
    timing = report("timing").build(archive, worst=1)
    examined, measurement = measured(sound)
    autopsy = build(examined, measurement, policy="0123456789ab")
    drawn = [
        bars(timing, start_s=0.0, end_s=DURATION_S),
        bars(autopsy, start_s=0.0, end_s=DURATION_S),
        call_timeline(archive, "c").speech.rows(),
        window(archive, "c", 2.0).speech.rows(),
    ]
    for found in drawn:
        spans = [row if len(row) == 2 else row[1:3] for row in found if len(row) == 2 or row[0] == "caller"]
        assert np.array(spans) == pytest.approx(np.array(CALLER), abs=0.021)
    for page in (timing, autopsy):
        assert RULE in page
        assert PALE in page


def test_the_page_of_a_file_gives_no_advice_for_an_archive_and_no_raw_backtick(sound: Path) -> None:
    """Nobody said which channel is whose, so incidents are told and no verdict can rest on them."""
    page = build(*measured(sound), policy="0123456789ab")
    health = page.partition('id="health"')[2].partition("<table>")[0]
    assert "archive" not in health
    assert "`" not in re.sub("<script.*?</script>", "", page, flags=re.DOTALL)
    assert "<b>eligible for scan</b>: the incidents above are facts" in health
    assert "No verdict (yield or hold, passed or failed) can rest on it, because nobody has said" in health
