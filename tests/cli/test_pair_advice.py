"""What to do about a call in two files: the same advice in measuring, labels, scores, reports and envelopes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.timing.made_voices import RATE, voice, write
from workbench.timing.health import NEXT_STEPS
from workbench.timing.pair import _STEPS

Run = Callable[..., tuple[int, str, str]]
CALLER = voice([(0.5, 7.0)], length_s=12, seed=3)
AGENT = voice([(5.5, 7.0), (7.5, 9.0)], length_s=12, seed=4)
MUTE = np.zeros(len(AGENT))
STEPS = {
    "apart": ("files_apart", _STEPS["files_apart"]),
    "mute": ("silent_agent", _STEPS["silent_agent"]),
    "one": ("silent_agent", NEXT_STEPS["silent_agent"]),
    "swapped": ("possible_swap", _STEPS["possible_swap"]),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three calls in two files each: exchanged, with a silent agent, never at one time; and one with two channels."""
    from workbench.cli import main

    place = tmp_path_factory.mktemp("advice")
    for nth, (name, agent) in enumerate({"swapped": AGENT, "mute": MUTE, "apart": AGENT}.items(), 1):
        (place / "in" / name).mkdir(parents=True)
        write(place / "in" / name, CALLER[nth:], agent[nth:])
    (place / "in" / "apart" / "apart.json").write_text('{"offset_s": {"caller": 0.0, "agent": 1900}}')
    soundfile.write(place / "in" / "one.wav", np.column_stack([CALLER, MUTE]), RATE, subtype="PCM_16")
    rows = "".join(f"{name},5.7,yield\n" for name in STEPS)
    (place / "labels.csv").write_text(f"call_id,onset_s,expect\n{rows}", encoding="utf-8")
    into = ("--archive", str(place / "archive"))
    for command in (
        ["import", str(place / "in"), "--channels", "caller,agent", "--measure", "-q", *into],
        ["label", "--file", str(place / "labels.csv"), "-q", *into],
    ):
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert not ended.value.code
    return place / "archive"


def test_a_score_gives_each_call_the_advice_of_its_files(at: Run, archive: Path) -> None:
    _, out, _ = at("score", "--archive", archive)
    told = [line for line in out.splitlines() if line.startswith("not judged")]
    assert sorted(told) == sorted(f"not judged, {reason} (1): {step}" for reason, step in STEPS.values())
    events = json.loads(at("score", "--json", "--archive", archive)[1])["events"]
    assert {event["call_id"]: (event["reason"], event["next_step"]) for event in events} == STEPS


@pytest.mark.parametrize("call", STEPS)
def test_a_label_and_a_page_give_it_too(at: Run, archive: Path, call: str) -> None:
    reason, step = STEPS[call]
    said = ("label", call, "--at", "5.7", "--expect", "yield", "--archive", archive)
    assert f"not judged, {reason} (1): {step}\n" in at(*said)[1]
    assert {event["next_step"] for event in json.loads(at(*said, "--json")[1])["events"]} == {step}
    assert f"next: {step}" in " ".join(at("show", call, "--archive", archive)[1].split())


def test_labels_of_a_file_and_the_report_give_it_too(at: Run, archive: Path) -> None:
    told = json.loads(at("label", "--file", archive.parent / "labels.csv", "--json", "--archive", archive)[1])
    assert {(row["reason"], row["next_step"]) for row in told["not_judged"]} == set(STEPS.values())
    page = archive.parent / "page.html"
    assert at("report", "timing", "--output", page, "--archive", archive)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "exchange their names and import them again with --replace" in text
    assert NEXT_STEPS["possible_swap"] not in text


def test_an_envelope_gives_it_too(at: Run, archive: Path) -> None:
    folder = archive.parent / "envelopes"
    at("export", folder, "--format", "envelope", "--archive", archive)
    found = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.json"))
    assert f"possible_swap: {_STEPS['possible_swap']}" in found
