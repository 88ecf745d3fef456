"""Figures of moments measured with different configs say nothing of each other, and every event names its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.schema.call import Audio, Call, Label, Scenario

Run = Callable[..., tuple[int, str, str]]
RATE = 8000
LOUD = ("--set", "rel_db=30", "--set", "hangover_s=0.4")
PUBLISHED, OTHER = MeasureConfig().config_id, MeasureConfig(rel_db=30.0, hangover_s=0.4).config_id


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two versions of an agent, two takes each: it speaks from 0.5 to 2.4 s or more, the caller from 2.0 to 2.6 s."""
    calls = []
    for version in "12":
        for ix in range(2):
            name = f"{version}-{ix}"
            rng = np.random.default_rng(10 * int(version) + ix)
            samples = rng.normal(0, 3, (8 * RATE, 2))
            for channel, start, end in ((1, 0.5, 2.4 + 0.1 * ix), (0, 2.0, 2.6)):
                part = slice(round(start * RATE), round(end * RATE))
                loudness = np.repeat(10 ** rng.uniform(2.6, 3.6, 200), 400)[: part.stop - part.start]
                samples[part, channel] = rng.normal(0, 1, part.stop - part.start) * loudness
            path = tmp_path / f"{name}.wav"
            soundfile.write(path, samples.astype(np.int16), RATE, subtype="PCM_16")
            calls.append(
                Call(
                    id=name,
                    source_format="made",
                    source_uri=f"{name}.json",
                    source_sha256=f"{len(calls):064x}",
                    origin="synthetic",
                    agent_version=version,
                    scenario=Scenario(scenario_id=str(ix), required_facts=[], forbidden_facts=[]),
                    audio=[Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")],
                    labels=[Label(kind="expectation", onset_s=2.0, expect="yield", value={"max_talk_over_s": 1.0})],
                )
            )
    with Archive.create(tmp_path / "archive") as made:
        made.add(calls)
    return tmp_path / "archive"


def rulers(archive: Path) -> dict[str, str]:
    with Archive(archive) as opened:
        rows = opened.sql("select call_id, measure_config_id from scored_events")
    return dict(rows.iter_rows())


def test_a_score_says_what_was_measured_with_and_every_event_names_it(run: Run, archive: Path) -> None:
    where = ("--archive", archive)
    assert run("measure", "-q", *where)[0] == 0
    _, out, _ = run("score", *where)
    assert f"measured with config {PUBLISHED}: published method" in out.splitlines()[0]
    assert set(rulers(archive).values()) == {PUBLISHED}
    assert run("measure", *LOUD, "-q", *where)[0] == 0
    _, out, _ = run("score", *where)
    assert f"published method; measured with config {OTHER}: rel_db 30, hangover_s 0.4" in out.splitlines()[0]
    assert list(json.loads(run("score", "--json", *where)[1])["measured_with"]) == [OTHER]
    assert set(rulers(archive).values()) == {OTHER}


def test_a_baseline_is_not_held_against_moments_that_were_measured_otherwise(
    run: Run, archive: Path, tmp_path: Path
) -> None:
    where = ("--archive", archive)
    tolerances = tmp_path / "t.json"
    tolerances.write_text('{"talk_over_s": "+1.0"}')
    check = ("baseline", "check", "one", "--agent-version", "2", "--tolerances", tolerances, *where)
    assert run("measure", "-q", *where)[0] == 0
    assert run("baseline", "set", "one", "--agent-version", "1", "-q", *where)[0] == 0
    code, out, _ = run(*check, "--json")
    assert (code, json.loads(out)["measure_config_id"]) == (0, PUBLISHED)
    assert run("measure", *LOUD, "-q", *where)[0] == 0
    assert run("score", "-q", *where)[0] == 0
    code, out, error = run(*check)
    assert (code, out) == (2, "")
    assert f"measured with config {PUBLISHED}, these moments with {OTHER}, which is another ruler" in error


def test_moments_that_were_measured_apart_give_no_figure_together(run: Run, archive: Path) -> None:
    """A recording whose file is gone keeps what was heard before."""
    where = ("--archive", archive)
    assert run("measure", "-q", *where)[0] == 0
    with Archive(archive) as opened:
        uri = opened.sql("select uri from recordings where call_id = '1-0'").item()
    (archive / uri).unlink()
    run("measure", *LOUD, "-q", *where)
    assert (rulers(archive)["1-0"], rulers(archive)["2-0"]) == (PUBLISHED, OTHER)
    for asked in (("compare", "1", "2", "--by", "agent_version"), ("baseline", "set", "one")):
        code, out, error = run(*asked, *where)
        assert (code, out) == (2, "")
        assert "measured with 2 configs" in error
