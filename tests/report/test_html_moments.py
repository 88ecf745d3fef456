"""The moments of a report: lanes, words and sound, and what is said where one of them is missing."""

from __future__ import annotations

import base64
import io
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.archive.layout import Layout
from workbench.report.html import archive_report
from workbench.report.sound import Sounds
from workbench.schema.call import Audio, Call, Turn

RATE_HZ = 8000


def test_the_slow_answer_is_a_moment_with_lanes_words_and_sound(html: str, seen: Any) -> None:
    (figure,) = re.findall(r'<figure class="moment" id="moment-1" .*?</figure>', html, re.DOTALL)
    page = seen(figure)
    (attributes,) = page.tags("figure")
    start, length = float(attributes["data-start"] or ""), float(attributes["data-seconds"] or "")
    (audio,) = page.tags("audio")
    assert "controls" in audio
    data = base64.b64decode((audio["src"] or "").split(",", 1)[1])
    samples, rate = sf.read(io.BytesIO(data))
    assert rate == RATE_HZ
    assert samples.shape[1] == 2
    assert len(samples) / rate == pytest.approx(length, abs=0.05)

    def level(channel: int, begin: float, end: float) -> float:
        part = samples[round((begin - start) * rate) : round((end - start) * rate), channel]
        return float(np.sqrt(np.mean(part**2)))

    caller, agent = (1.2, 2.8), (7.2, min(8.8, start + length - 0.2))
    assert level(0, *caller) > 0.3, "the caller on the left, when she speaks"
    assert level(1, *agent) > 0.3, "the agent on the right"
    assert level(1, *caller) < 0.02
    assert level(0, *agent) < 0.02
    lanes = [found for tag, found in page.elements if tag == "g" and "lane" in (found.get("class") or "")]
    assert [found["class"] for found in lanes] == ["lane caller", "lane agent"]
    assert len(page.tags("path")) == 2


def test_calls_without_audio_or_clock_say_so(html: str) -> None:
    figures = re.findall(r'<figure class="moment".*?</figure>', html, re.DOTALL)
    by_call = {name: next(f for f in figures if name in f) for name in ("no-audio", "no-clock")}
    assert "The call has no audio: the lanes are drawn from the turn clock." in by_call["no-audio"]
    assert "<audio" not in by_call["no-audio"]
    assert 'class="run"' in by_call["no-audio"]
    assert "No time is known for this finding" in by_call["no-clock"]
    assert "<svg" not in by_call["no-clock"]
    assert '<mark class="lost">two</mark>' in by_call["no-clock"]
    assert '<mark class="new">ten</mark>' in by_call["no-clock"]


@pytest.mark.parametrize("harm", ["missing", "changed"])
def test_audio_that_is_gone_or_changed_is_said_and_never_silence(place: Path, tmp_path: Path, harm: str) -> None:
    moved = tmp_path / "copy"
    shutil.copytree(place, moved)
    (media,) = (moved / "media").rglob("*.wav")
    if harm == "missing":
        media.unlink()
    else:
        media.write_bytes(media.read_bytes()[:-4] + b"\1\2\3\4")
    with Archive(moved) as archive:
        text = archive_report(archive)
    said = {"missing": "the audio file is missing", "changed": "its bytes differ"}[harm]
    assert f"no sound: {'the audio file is' if harm == 'missing' else ''}" in text
    assert said in text
    assert "<audio" not in text
    assert '<g class="lane caller">' in text
    assert str(tmp_path) not in text


def test_sound_stops_at_its_budget_and_says_so(place: Path) -> None:
    names = "from recordings order by recording_id"
    with Archive(place) as archive:
        columns, rows = archive.reader.rows(names)
    row = dict(zip(columns, rows[0], strict=True))
    sounds = Sounds(Layout(place), left=10)
    assert sounds.of({"caller": row, "agent": row}, 0.0, 4.0).address is None
    assert sounds.silent_count == 1
    sounds.left = 1_000_000
    assert sounds.of({"caller": row, "agent": row}, 0.0, 4.0).address is not None
    assert sounds.left < 1_000_000


def test_two_recordings_of_one_call_are_heard_together(tmp_path: Path, made: Any, built: Any) -> None:
    times = {rate: np.arange(12 * rate) / rate for rate in (8000, 16000)}
    caller = np.where(times[8000] < 3, 0.5 * np.sin(2 * np.pi * 440 * times[8000]), 0)
    agent = np.where((times[16000] >= 7) & (times[16000] < 9), 0.5 * np.sin(2 * np.pi * 880 * times[16000]), 0)
    sf.write(tmp_path / "caller.wav", caller, 8000)
    sf.write(tmp_path / "agent.wav", agent, 16000)
    pair = [
        Audio(path=str(tmp_path / "caller.wav"), channels=["caller"], boundary="client_capture"),
        Audio(path=str(tmp_path / "agent.wav"), channels=["agent"], boundary="agent_output"),
    ]
    place = built(tmp_path / "archive", [made("pair", audio=pair)], check=False)
    with Archive(place) as archive:
        columns, rows = archive.reader.rows("from recordings")
        html = archive_report(archive)
    sides = {row["channel_roles"][0]: row for row in (dict(zip(columns, r, strict=True)) for r in rows)}
    sound = Sounds(Layout(place)).of(sides, 1.0, 9.0)
    assert sound.note == "left: caller, right: agent, from two recordings"
    samples, rate = sf.read(io.BytesIO(base64.b64decode(str(sound.address).split(",", 1)[1])))
    assert rate == 16000
    assert np.abs(samples[: 15 * 1600, 0]).max() > 0.4
    assert np.abs(samples[: 15 * 1600, 1]).max() < 0.02
    assert np.abs(samples[-15 * 1600 :, 1]).max() > 0.4
    assert "from two recordings" in html


def test_a_call_of_ten_thousand_turns_stays_small(tmp_path: Path, made: Any, built: Any) -> None:
    turns = [
        Turn(
            role=("caller", "agent")[ix % 2],
            text=f"word {ix}",
            truth="word" if ix == 4000 else None,
            start_s=ix * 0.001,
            end_s=ix * 0.001 + 0.5,
        )
        for ix in range(10_000)
    ]
    place = built(tmp_path / "archive", [made("many", turn_clock="reported", duration_s=12.0, turns=turns)])
    with Archive(place) as archive:
        html = archive_report(archive)
    assert html.count('<li class="caller') + html.count('<li class="agent') == 24
    assert '<mark class="new">4000</mark>' in html, "the turn that was misheard is among those shown"
    assert "more turns in this stretch" in html
    assert len(html) < 400_000


def test_an_archive_that_was_not_checked_says_how_and_shows_the_slowest_answers(
    place: Path, tmp_path: Path, built: Any, sounding: Call
) -> None:
    made = built(tmp_path / "archive", [sounding], check=False)
    with Archive(made) as archive:
        html = archive_report(archive)
    assert "No checks were run on this archive yet." in html
    assert "workbench assert --pack caller-experience" in html
    assert re.search(r"slowest answer began [34]\.\d\d s after the caller ended", html)
    assert "not judged" in html
