"""Acoustic slices from the sound to every measure: compare, sweep-timing, the report, and SQL."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

RATE = 8000
Run = Callable[..., tuple[int, str, str]]


def sound(path: Path, *, stops: float, noise: float, seed: int) -> Path:
    """The agent speaks from 0.5 s to `stops`, the caller from 2.0 to 3.5 s over noise of that RMS."""
    rng = np.random.default_rng(seed)
    samples = np.stack([rng.normal(0, noise, 8 * RATE), rng.normal(0, 3, 8 * RATE)], axis=1)
    for channel, start, end in ((1, 0.5, stops), (0, 2.0, 3.5)):
        part = slice(round(start * RATE), round(end * RATE))
        samples[part, channel] += rng.normal(0, 3000, part.stop - part.start)
    soundfile.write(path, samples.astype(np.int16), RATE, subtype="PCM_16")
    return path


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three scenarios, each with a clean caller (60 dB) and a noisy one (17.5 dB); one more call is not described.

    The agent yields to the clean callers after 0.4 s, to the noisy ones after 1.4 s.
    """
    from workbench.archive.acoustics import describe
    from workbench.archive.archive import Archive
    from workbench.schema.call import Audio, Call, Label, Scenario

    folder = tmp_path_factory.mktemp("slices")
    made = [(f"{name}-{ix}", ix, noise, stops) for ix in range(3) for name, noise, stops in KINDS]

    def call(name: str, ix: int, noise: float, stops: float) -> Call:
        path = sound(folder / f"{name}.wav", stops=stops, noise=noise, seed=len(name) + 10 * ix)
        source: dict[str, Any] = {"source_format": "made", "source_uri": name, "source_sha256": name.ljust(64, "0")}
        return Call(
            id=name,
            **source,
            scenario=Scenario(scenario_id=f"s{ix}", required_facts=[], forbidden_facts=[]),
            audio=[Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")],
            labels=[Label(kind="expectation", onset_s=2.0, expect="yield", value={"max_time_to_yield_s": 1.0})],
        )

    with Archive.create(folder / "archive") as archive:
        archive.add([call(*one) for one in made])
        archive.measure(workers=1)
        describe(archive.layout, workers=1)
        archive.refresh()
        archive.add([call("later", 9, 3.0, 2.4)])
        archive.measure(workers=1)
    return folder / "archive"


KINDS = (("clean", 3.0, 2.4), ("noisy", 400.0, 3.4))


def test_groups_of_a_slice_are_compared(run: Run, archive: Path) -> None:
    code, out, _ = run("compare", "false", "true", "--by", "caller_noisy", "--archive", archive, "--json")
    told = json.loads(out)
    assert (code, [pair["result"] for pair in told["pairs"]]) == (0, ["regressed"] * 3)
    assert {pair["after"]["call_id"] for pair in told["pairs"]} == {"noisy-0", "noisy-1", "noisy-2"}
    code, out, error = run("compare", "false", "true", "--by", "agent_fast_talker", "--archive", archive)
    assert (code, out) == (2, "")
    assert "no labelled moment of agent_fast_talker 'false' was scored" in error
    assert "select distinct agent_fast_talker from call_slices" in error


def test_groups_without_a_common_moment_are_told_how_many_they_have(run: Run, archive: Path, tmp_path: Path) -> None:
    """Of the first group two calls, of the other one, and in the end one call of each names a scenario."""
    from workbench.archive.archive import Archive
    from workbench.ingest import read

    export = tmp_path / "calls"
    assert run("export", export, "--format", "calls", "--archive", archive)[0] == 0
    kept = {"clean-0": None, "clean-1": None, "noisy-2": None}
    said: dict[str, str] = {}
    for scenarios in (kept, kept | {"clean-0": "a", "clean-1": "a", "noisy-2": "b"}):
        for name, scenario in scenarios.items():
            file = export / f"{name}.json"
            told = json.loads(file.read_text(encoding="utf-8")) | {"agent_version": name[:5]}
            told["scenario"] = {"scenario_id": scenario} if scenario else None
            file.write_text(json.dumps(told), encoding="utf-8")
        place = tmp_path / f"archive-{len(said)}"
        with Archive.create(place) as made:
            made.add(read([export / f"{name}.json" for name in kept]))
            made.measure(workers=1)
        code, out, err = run("compare", "clean", "noisy", "--by", "agent_version", "--archive", place)
        assert (code, out, err.count("Hint: ")) == (2, "", 1)
        said[place.name] = " ".join(err.split())
    none, other = said.values()
    assert (
        "no moment is in both groups: 'clean' has 2 scored moments in 2 calls, 2 without a scenario_id; "
        "'noisy' has 1 scored moment in 1 call, 1 without a scenario_id" in none
    )
    assert "give each call one, the same for what is the same test" in none
    assert "'clean' has 2 scored moments in 2 calls; 'noisy' has 1 scored moment in 1 call Hint: " in other
    query = re.search(r'workbench sql "(.*?)"', other)
    assert query is not None
    assert run("sql", query[1], "--archive", place)[0] == 0


def test_a_sweep_counts_each_slice_apart(run: Run, archive: Path) -> None:
    given = ("sweep-timing", "--grid", "max_time_to_yield_s=0.2,2", "--archive", archive)
    code, out, _ = run(*given, "--by", "caller_noisy", "--json")
    points = {(p["group"], p["max_time_to_yield_s"]): p for p in json.loads(out)["points"]}
    assert code == 0
    assert (points["noisy caller", 2.0]["fail_to_pass_count"], points["noisy caller", 0.2]["flip_count"]) == (3, 0)
    assert (points["caller not noisy", 0.2]["pass_to_fail_count"], points["not described", 0.2]["flip_count"]) == (3, 1)
    assert "7 labelled moments at 2 grid points" in run(*given, "--by", "caller_noisy")[1]
    assert {p["group"] for p in json.loads(run(*given, "--json")[1])["points"]} == {"all"}
    code, out, error = run(*given, "--by", "mood")
    assert (code, out, error.count("Hint:")) == (2, "", 1)


def test_the_report_parts_times_by_each_slice_that_is_described(archive: Path) -> None:
    from workbench.archive.archive import Archive
    from workbench.report.html import report

    with Archive(archive) as opened:
        html = report("timing").build(opened, worst=0)
        parted = opened.sql("select caller_noisy, count(*) as n from timing_events group by all order by all")
    assert parted.rows() == [(False, 3), (True, 3), (None, 1)]
    shown = " ".join(re.sub(r"<[^>]+>", " ", html.partition("<main")[2]).split())
    assert "noisy caller 3 3 0 1.4" in shown
    assert "caller not noisy 3 3 0 0.4" in shown
    assert "not described 1 1 0 0.4" in shown
    assert "fast-talking" not in shown  # no words, so nobody is told to be fast or slow
