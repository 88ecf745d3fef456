"""One pause everywhere, from the last loud frame to the next start: speech under 0.2 s, inside a turn under 0.35 s."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile

from workbench.analysis.incidents_of_file import measured
from workbench.analysis.incidents_speech import speech_of
from workbench.archive import views
from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.assertions import load_pack
from workbench.assets import folder
from workbench.schema.call import Audio, Call, Turn

RATE, LENGTH_S = 8000, 30.0
SEEDS = range(4)


def sound(path: Path, *lanes: list[tuple[float, float]]) -> Path:
    """A tone in each lane while it speaks."""
    t = np.arange(int(LENGTH_S * RATE)) / RATE
    tones = [
        sum((0.2 * np.sin(2 * np.pi * hz * t) * ((t >= a) & (t < b)) for a, b in lane), np.zeros_like(t))
        for lane, hz in zip(lanes, (440, 310), strict=True)
    ]
    soundfile.write(path, np.stack(tones, axis=1), RATE, subtype="PCM_16")
    return path


def babble(seed: int) -> list[tuple[float, float]]:
    """Speech with pauses of 0.05 to 0.5 s, and of 2 s now and then."""
    rng, at, found = np.random.default_rng(seed), 0.5, []
    while at < LENGTH_S - 4:
        end = at + rng.uniform(0.1, 1.5)
        found.append((at, end))
        at = end + (rng.uniform(0.05, 0.5) if rng.random() < 0.6 else rng.uniform(0.5, 2.0))
    return found


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Calls of babble, asserted with every bound at 0, so that each overlap and silence is a finding."""
    place = tmp_path_factory.mktemp("pauses")
    source = {"source_format": "made", "source_uri": "made", "source_sha256": "0" * 64}
    made = Archive.create(place / "archive")
    calls = []
    for seed in SEEDS:
        wav = sound(place / f"{seed}.wav", babble(2 * seed), babble(2 * seed + 1))
        audio = Audio(path=str(wav), channels=["caller", "agent"], channel_map_source="declared")
        calls.append(Call(id=f"c{seed}", duration_s=LENGTH_S, audio=[audio], **source))
    made.add(calls)
    made.measure(workers=1)
    pack = json.loads((folder("data") / "packs" / "caller-experience.json").read_text("utf-8"))
    for check in pack["assertions"]:
        for bound in {"max_overlap_s", "max_silence_s", "max_gap_s"} & check.get("parameters", {}).keys():
            check["parameters"][bound] = 0.0
    (place / "pack.json").write_text(json.dumps(pack), "utf-8")
    assert_pack(made.layout, load_pack(place / "pack.json"))
    made.refresh()
    return made


def found(archive: Archive, check: str, *columns: str) -> list[tuple[object, ...]]:
    """Failures of a check: call, start and end in whole milliseconds, and what was observed."""
    rows = archive.sql(
        "select call_id, start_s, end_s, observed from assertion_results "
        "where assertion_id = $check and status = 'FAIL'",
        {"check": check},
    ).rows()
    return sorted((call, ms(a), ms(b), *(json.loads(said)[name] for name in columns)) for call, a, b, said in rows)


def shown(archive: Archive, query: str) -> list[tuple[object, ...]]:
    return sorted((call, ms(a), ms(b), *rest) for call, a, b, *rest in archive.sql(query).rows())


def ms(seconds: float) -> int:
    return round(seconds * 1000)


def test_checks_find_the_overlaps_the_silences_and_the_answers_of_the_views(archive: Archive) -> None:
    overlaps = shown(archive, 'select call_id, start_s, end_s, who_first from "overlaps"')
    silences = shown(archive, "select call_id, start_s, end_s from silences")
    gaps = shown(
        archive, "select call_id, caller_end_s, agent_start_s from turn_gaps where agent_start_s > caller_end_s"
    )
    assert min(len(overlaps), len(silences)) > 40
    assert len(gaps) > 4
    assert found(archive, "talked_over_caller", "who_first") == overlaps
    assert found(archive, "dead_air") == silences
    assert found(archive, "slow_response") == gaps


def test_a_pause_that_parts_two_runs_is_a_pause_of_the_sound(archive: Archive) -> None:
    """By the times the sound was made from: 0.25 s parts two runs, under 0.2 s does not; ends are up to 20 ms off."""
    runs = archive.sql("select call_id, role, start_s, end_s from speech_runs order by call_id, role, start_s")
    for seed in SEEDS:
        for role, spoken in (("caller", babble(2 * seed)), ("agent", babble(2 * seed + 1))):
            own = runs.filter(pl.col("call_id") == f"c{seed}", pl.col("role") == role)
            pauses = list(zip(own["end_s"][:-1], own["start_s"][1:], strict=True))
            known = [(a[1], b[0]) for a, b in pairwise(spoken)]
            for end, start in known:
                near = any(abs(a - end) < 0.025 and abs(b - start) < 0.025 for a, b in pauses)
                if not 0.195 <= start - end <= 0.25:
                    assert near == (start - end > 0.2), (seed, role, end, start)


def test_a_file_tells_of_as_much_speech_as_the_archive(archive: Archive, tmp_path: Path) -> None:
    wav = sound(tmp_path / "made.wav", babble(0), babble(1))
    _, measurement = measured(wav, channels=("caller", "agent"))
    told = {role: speech_of(measurement.segments, ix)["speech_s"] for ix, role in enumerate(("caller", "agent"))}
    talk = archive.sql("select role, talk_s from speaking_time where call_id = 'c0'").rows()
    assert told == pytest.approx(dict(talk), abs=1e-6)


def test_show_and_autopsy_agree_on_who_interrupts(demo_archive: Path) -> None:
    """The caller speaks 1.55-1.70, the agent from 1.72 on, the caller again from 2.00, by ear and by hand."""
    query = (
        "select start_s, end_s, message from findings "
        "where call_id = 'vapi-default-07-correction' and assertion_id = 'talked_over_caller'"
    )
    [(start_s, end_s, message)] = Archive(demo_archive).sql(query).rows()
    examined, _ = measured(
        folder("data") / "calls" / "vapi-defaults" / "audio" / "vapi-default-07-correction.example.wav",
        channels=("caller", "agent"),
    )
    [told] = [row for row in examined.incidents if row["onset_s"] == start_s]
    assert (start_s, end_s) == (2.0, 3.01)
    assert message.rstrip(".") in told["sentence"]


def test_those_who_begin_together_are_counted(tmp_path: Path) -> None:
    source = {"source_format": "made", "source_uri": "made", "source_sha256": "0" * 64}
    turns = [
        Turn(role=role, text="Well.", start_s=start, end_s=end)
        for role, start, end in (("caller", 1.0, 2.6), ("agent", 1.0, 3.0), ("agent", 5.0, 7.0), ("caller", 5.5, 8.0))
    ]
    with Archive.create(tmp_path / "archive") as made:
        made.add([Call(id="c", turn_clock="reported", turns=turns, **source)])
        [row] = made.sql(views.query("talk_over_by_call"), {"min_overlap_s": 0.3}).rows(named=True)
    assert (row["began_together_count"], row["began_together_s"]) == (1, 1.6)
    assert (row["agent_over_caller_count"], row["agent_over_caller_s"]) == (0, 0.0)
    assert (row["caller_over_agent_count"], row["caller_over_agent_s"]) == (1, 1.5)
