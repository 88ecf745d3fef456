"""A folder of recordings: its share, what is refused and why, and what a store of scans tells."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench.analysis.folder_words import undrawn
from workbench.report.scan_store import stored

RATE = 8000
Run = Callable[..., tuple[int, str, str]]


def voice(seed: int, *parts: tuple[float, float]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(8 * RATE) / RATE
    talking = sum(((t >= start) & (t < end)).astype(float) for start, end in parts)
    return rng.normal(0, 0.08, len(t)) * talking + rng.normal(0, 1e-4, len(t))


def write(path: Path, *channels: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.stack(channels, axis=1), RATE, subtype="PCM_16")


def good(path: Path, seed: int) -> None:
    write(path, voice(seed, (0.5, 2.5), (5.0, 6.0)), voice(seed + 1, (3.0, 4.7), (6.3, 7.9)))


def bad(path: Path, seed: int) -> None:
    """Both speak for 2 s."""
    write(path, voice(seed, (2.0, 4.5)), voice(seed + 1, (0.5, 4.0), (5.0, 7.9)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "calls"
    good(place / "a.wav", 1)
    bad(place / "deeper" / "b.wav", 3)
    write(place / "mono.wav", voice(5, (0.5, 2.0), (7.2, 7.9)))
    write(place / "three.wav", voice(6, (1.0, 2.0)), voice(7, (2.0, 3.0)), voice(8, (3.0, 4.0)))
    write(place / "silent.wav", voice(9), voice(10, (1.0, 3.0)))
    (place / "broken.wav").write_bytes(b"no sound")
    (place / "copy.wav").write_bytes((place / "a.wav").read_bytes())
    (place / "notes.txt").write_text("no recording", encoding="utf-8")
    return place


def report(at: Run, *args: str | Path) -> dict[str, Any]:
    code, out, _ = at("scan", *args, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_share_the_mono_block_and_the_refused(folder: Path, at: Run) -> None:
    found = report(at, folder)
    assert found["counts"] == {
        "file_count": 7,
        "two_channel_count": 2,
        "mono_count": 1,
        "refused_count": 3,
        "duplicate_count": 1,
        "assumed_count": 2,
        "stated_otherwise_count": 0,
        "incident_call_count": 2,
    }
    assert (found["share"]["critical_free_count"], found["share"]["call_count"]) == (1, 2)
    assert found["share"]["small_sample"] is True
    assert found["mono"]["call_count"] == 1
    assert found["mono"]["incident_counts"]["critical"] == 1
    assert {row["file"]: row["reason"] for row in found["refused"]} == {
        "broken.wav": "not_audio",
        "silent.wav": "silent_caller",
        "three.wav": "channels",
    }
    assert all(row["what"] and row["next_step"] for row in found["refused"])
    assert [row["file"] for row in found["worst_calls"]][:1] == ["deeper/b.wav"]
    code, out, err = at("scan", folder)
    assert (code, err) == (0, "")
    assert "1 call without a critical incident / 2 two-channel calls analysed = 0.50" in out
    assert "SMALL SAMPLE" in out
    assert "1 mono, 3 refused, 1 duplicate\n" in out
    twin = "copy.wav: it holds the same bytes as a.wav, which is counted once"
    assert found["duplicates"] == [dict(zip(("file", "what"), twin.split(": "), strict=True))]
    assert f"\n\nduplicates, of a call that is counted once\n  {twin}\n" in out
    assert "mono, NOT SCORABLE for turn-taking: silence only and not in the share: 0 of 1 call" in out


def test_the_number_of_workers_changes_nothing(folder: Path, at: Run) -> None:
    assert report(at, folder, "--workers", "1") == report(at, folder, "--workers", "3")


def test_without_two_channels_there_is_no_share_and_nothing_is_written(tmp_path: Path, at: Run) -> None:
    write(tmp_path / "calls" / "mono.wav", voice(5, (0.5, 2.0), (7.2, 7.9)))
    page, store = tmp_path / "page.html", tmp_path / "store"
    code, out, _ = at("scan", tmp_path / "calls", "-o", page, "--store", store)
    assert code == 2
    assert "no share: no call with two channels could be analysed" in out
    assert "mono, NOT SCORABLE for turn-taking: silence only" in out
    assert not page.exists()
    assert not store.exists()
    code, out, err = at("scan", tmp_path / "calls", "--json")
    assert (code, json.loads(out)["share"]["critical_free_call_rate"]) == (2, None)
    assert "no call with two channels" in err


def test_two_mono_files_of_one_call_are_one_call(tmp_path: Path, at: Run) -> None:
    place = tmp_path / "calls"
    caller, agent = voice(3, (2.0, 4.5)), voice(4, (0.5, 4.0), (5.0, 7.9))
    write(place / "c.caller.wav", caller)
    write(place / "c.agent.wav", agent)
    write(tmp_path / "one" / "c.wav", caller, agent)
    pair, one = (report(at, tmp_path / name) for name in ("calls", "one"))
    assert pair["counts"]["two_channel_count"] == 1
    names = ("lane", "incident", "incident_count", "critical_count", "worst_magnitude_s")
    assert [[row[name] for name in names] for row in pair["kinds"]] == [
        [row[name] for name in names] for row in one["kinds"]
    ]
    code, _, err = at("autopsy", place / "c.caller.wav")
    assert code == 2
    assert "the two sides of the call lie in two files (pair_of_files)" in err


def test_a_pair_keeps_the_clock_of_its_sidecar(tmp_path: Path, at: Run) -> None:
    """The agent's file begins 1 s late, so what the two files hold is 1 s apart from what they hold at once."""
    place = tmp_path / "calls"
    write(place / "c.caller.wav", voice(3, (2.0, 4.5)))
    write(place / "c.agent.wav", voice(4, (0.5, 4.0), (5.0, 6.9)))
    before = report(at, place)["worst_calls"][0]["worst_magnitude_s"]
    (place / "c.json").write_text('{"offset_s": {"caller": 0.0, "agent": -1.0}}', encoding="utf-8")
    after = report(at, place)["worst_calls"][0]["worst_magnitude_s"]
    assert before == pytest.approx(2.0, abs=0.05)
    assert after == pytest.approx(1.0, abs=0.05)


def test_channels_are_for_files_with_several(folder: Path, at: Run) -> None:
    found = report(at, folder, "--channels", "agent,caller")
    assert found["counts"]["mono_count"] == 1
    assert found["counts"]["assumed_count"] == 0
    assert found["flags"]["channels"] == "agent,caller"
    assert {row["file"]: row["reason"] for row in found["refused"]}["silent.wav"] == "silent_agent"


def test_a_store_keeps_a_scan_once_and_tells_what_comes_back(folder: Path, tmp_path: Path, at: Run) -> None:
    store = tmp_path / "store"
    first = report(at, folder, "--store", store)
    assert first["recurrence"] == []
    (file,) = store.iterdir()
    assert file.name == f"{first['id']}.json"
    content = file.read_bytes()
    assert json.loads(content)["recorded_at"] == first["recorded_at"]
    assert report(at, folder, "--store", store) == first
    assert file.read_bytes() == content
    for n in range(2):
        bad(folder / f"new-{n}.wav", 20 + 2 * n)
    second = report(at, folder, "--store", store)
    assert second["id"] != first["id"]
    row = next(row for row in second["recurrence"] if row["incident"] == "barge_in")
    assert (row["state"], row["call_count"], row["window_call_count"]) == ("RECURRING, LOW SAMPLE", 3, 3)
    assert row["seen_at"] == [first["recorded_at"]]
    out = at("scan", folder, "--store", store)[1]
    assert "barge-in: RECURRING, LOW SAMPLE; 3 of 4 calls of this scan, 3 with the stored ones" in out
    assert [scan["id"] for scan in stored(store)] == [first["id"], second["id"]]


def test_a_damaged_store_is_named_and_left_alone(folder: Path, tmp_path: Path, at: Run) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "scn-000000000000.json").write_text('{"format": "other"}', encoding="utf-8")
    code, out, err = at("scan", folder, "--store", store)
    assert (code, out) == (2, "")
    assert "scn-000000000000.json" in err
    assert [path.name for path in store.iterdir()] == ["scn-000000000000.json"]


def test_the_page_shows_the_formula_and_the_worst_and_is_the_same_again(folder: Path, tmp_path: Path, at: Run) -> None:
    pages = [tmp_path / name for name in ("one.html", "two.html")]
    for page in pages:
        assert at("scan", folder, "-o", page, "-q") == (0, "", "")
    html = pages[0].read_text(encoding="utf-8")
    assert pages[1].read_text(encoding="utf-8") == html
    assert "1 call without a critical incident / 2 two-channel calls analysed = 0.50" in html
    assert "SMALL SAMPLE" in html
    assert html.count("<audio controls") >= 2
    assert "deeper/b.wav" in html
    assert "broken.wav" in html
    assert str(tmp_path) not in html


def test_worst_calls_that_are_not_shown_or_not_drawn_are_counted(tmp_path: Path, at: Run) -> None:
    """Eleven calls with an incident, of which ten are ranked and eight drawn; the worst one lies in two files."""
    place = tmp_path / "calls"
    for n in range(10):
        bad(place / f"c-{n}.wav", 20 + 2 * n)
    write(place / "pair.caller.wav", voice(3, (1.0, 7.5)))
    write(place / "pair.agent.wav", voice(4, (0.5, 7.9)))
    assert report(at, place)["counts"]["incident_call_count"] == 11
    assert "worst calls, 10 of 11 with an incident" in at("scan", place, "-o", tmp_path / "page.html")[1]
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "10 of 11 calls with an incident" in html
    assert html.count("<audio controls") == 8
    assert (
        "2 of these are not drawn below: 1 in two files, and such calls are not drawn; 1 after the first 8 that can be."
        in html
    )


def test_a_page_of_calls_that_all_lie_in_two_files_draws_none(tmp_path: Path, at: Run) -> None:
    place = tmp_path / "calls"
    for n in range(3):
        write(place / f"c{n}.caller.wav", voice(3 + 2 * n, (1.0, 7.5)))
        write(place / f"c{n}.agent.wav", voice(4 + 2 * n, (0.5, 7.9)))
    at("scan", place, "-o", tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "None of these 3 calls is drawn: 3 in two files, and such calls are not drawn." in html
    assert "the first 8" not in html
    assert "<audio controls" not in html


@pytest.mark.parametrize(
    ("files", "drawn", "changed", "said"),
    [
        ([1, 1], 2, 0, None),
        ([2, 1], 1, 0, "1 of these is not drawn below: 1 in two files, and such calls are not drawn."),
        ([1] * 10, 8, 0, "2 of these are not drawn below: 2 after the first 8 that can be."),
        ([1], 0, 1, "This call is not drawn: 1 in a file that was changed or moved since it was scanned."),
    ],
)
def test_why_calls_are_not_drawn(files: list[int], drawn: int, changed: int, said: str | None) -> None:
    assert undrawn([{"file_count": count} for count in files], drawn=drawn, changed=changed, most=8) == said


def test_a_page_never_takes_the_place_of_a_recording(folder: Path, at: Run) -> None:
    before = (folder / "a.wav").read_bytes()
    assert at("scan", folder, "-o", folder / "a.wav")[0] == 2
    assert (folder / "a.wav").read_bytes() == before


@pytest.mark.parametrize("name", ["missing", "a file", "no sound"])
def test_what_is_no_folder_of_recordings_is_refused(name: str, tmp_path: Path, at: Run) -> None:
    place = tmp_path / "place"
    if name == "a file":
        place.write_bytes(b"x")
    elif name == "no sound":
        place.mkdir()
        (place / "notes.txt").write_text("no recording", encoding="utf-8")
    code, out, err = at("scan", place)
    assert (code, out) == (2, "")
    assert err.count("Hint:") == 1


def test_a_call_that_no_verdict_may_rest_on_says_so_in_its_row(tmp_path: Path, at: Run) -> None:
    """Both channels hold one sound, the second at half the level: crosstalk, and both speak all along."""
    place = tmp_path / "calls"
    good(place / "a.wav", 1)
    one = voice(21, (0.5, 2.5), (4.0, 7.0))
    write(place / "copy.wav", one, 0.5 * one + voice(22))
    found = report(at, place)
    rows = {row["file"]: row for row in found["worst_calls"]}
    assert rows["copy.wav"]["caution"] in ("crosstalk", "leakage")
    assert found["share"]["caution_count"] == 1
    _, out, _ = at("scan", place, "-o", tmp_path / "scan.html")
    assert (
        "1 of these is to be read with caution (for instance leakage, a suspected swap, a low level), 0 of them" in out
    )
    assert "without them: 1 of 1 call" in out
    line = next(line for line in out.splitlines() if line.split()[:2] == ["1", "copy.wav"])
    assert line.split()[-1] == rows["copy.wav"]["caution"]
    page = (tmp_path / "scan.html").read_text(encoding="utf-8")
    assert page.count("read with caution: ") == 2
    assert "without them: 1 of 1 call." in page


def test_a_name_that_is_no_text_is_refused_alone(folder: Path, at: Run) -> None:
    (folder / os.fsdecode(b"bad\xff.wav")).write_bytes((folder / "deeper" / "b.wav").read_bytes())
    found = report(at, folder)
    (row,) = [row for row in found["refused"] if row["reason"] == "bad_file_name"]
    assert row["file"] == r"bad\xff.wav"
    assert found["counts"]["two_channel_count"] == 2
