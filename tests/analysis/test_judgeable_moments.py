"""What the view `judgeable_moments` says beforehand is what scoring says of a label there, of all bundled calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from workbench.analysis import review
from workbench.archive.archive import Archive
from workbench.archive.lake import read_once
from workbench.archive.scoring import Evidence
from workbench.assets import folder
from workbench.audio.config import MeasureConfig
from workbench.ingest import read
from workbench.schema.call import Audio, Call
from workbench.timing.score_config import ScoreConfig

TOLD = "from judgeable_moments order by call_id, recording_id, moment_ix"


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """All bundled calls, measured."""
    with Archive.create(tmp_path_factory.mktemp("bundled") / "archive") as made:
        made.add(read([folder("data") / "calls"]))
        made.measure(workers=1)
        yield made


def told_and_scored(archive: Archive) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Each moment as the view has it, and why a label of yield and of hold there gives no verdict."""
    rows = archive.sql(TOLD).to_dicts()
    evidence = read_once(archive.layout, Evidence.read)
    whys: list[dict[str, str]] = [{} for _ in rows]
    for expect in ("yield", "hold"):  # apart: of one moment they would disagree
        labels = [
            {
                "call_id": row["call_id"],
                "label_id": str(ix),
                "onset_s": row["onset_s"],
                "expect": expect,
                "value": None,
            }
            for ix, row in enumerate(rows)
        ]
        for why, event in zip(whys, replace(evidence, labels=labels).scored(ScoreConfig(), run_id="-"), strict=True):
            if event["status"] not in ("PASS", "FAIL"):
                why[expect] = event["reason"]
    return list(zip(rows, whys, strict=True))


def unlike(archive: Archive) -> list[Any]:
    """Moments of which the view says something else than scoring does; of one channel it has words of its own."""
    found = []
    for row, why in told_and_scored(archive):
        gives_none = len(why) == 2
        same = row["reason"] in (why.get("yield"), "no two channels of audio") if gives_none else row["reason"] is None
        if row["judgeable"] is gives_none or not same:
            found.append((row, why))
    return found


def test_a_moment_is_judgeable_exactly_where_a_label_of_it_gets_a_verdict(bundled: Archive) -> None:
    assert unlike(bundled) == []
    reasons = {row["reason"] for row in bundled.sql(TOLD).to_dicts()}
    assert {None, "recording_ended", "no_caller_at_onset", "agent_silent_at_onset"} <= reasons


def test_the_review_queue_hands_out_what_can_be_judged_first(bundled: Archive) -> None:
    queue = review.queue(bundled)
    assert queue["judgeable"].to_list() == sorted(queue["judgeable"], reverse=True)
    assert "recording_ended" in set(queue["reason"])


@pytest.mark.parametrize(("rate_hz", "hop_ms"), [(8000, 10.0), (11025, 7.0)])
def test_any_speech_at_any_hop_is_told_as_scoring_has_it(tmp_path: Path, rate_hz: int, hop_ms: float) -> None:
    with Archive.create(tmp_path / "archive") as made:
        made.add([_call(tmp_path, name=f"c{seed}", seed=seed, rate_hz=rate_hz) for seed in range(12)])
        made.measure(config=MeasureConfig(hop_ms=hop_ms), workers=1)
        assert unlike(made) == []
        reasons = {row["reason"] for row in made.sql(TOLD).to_dicts()}
    assert {None, "recording_ended", "no_caller_at_onset", "agent_silent_at_onset"} <= reasons


def _call(place: Path, *, name: str, seed: int, rate_hz: int) -> Call:
    """Bursts of two tones at random times, to the end of a file that begins after the call does; one in four long."""
    random = np.random.default_rng(seed)
    at = np.arange(round(random.uniform(6, 14) * (1 if seed % 4 else 10) * rate_hz)) / rate_hz
    sides = []
    for hz in (300, 500):
        on = np.searchsorted(np.cumsum(random.exponential(0.7, 400)), at) % 2 == 1
        sides.append(np.where(on, 0.3 * np.sin(2 * np.pi * hz * at), 0) + random.normal(0, 1e-4, len(at)))
    sf.write(place / f"{name}.wav", np.stack(sides, axis=1), rate_hz)
    audio = Audio(
        path=str(place / f"{name}.wav"),
        channels=["caller", "agent"],
        channel_map_source="declared",
        offset_s=round(float(random.uniform(0, 1)), 3),
    )
    return Call(
        id=name, source_format="made", source_uri="made", source_sha256="0" * 64, turn_clock="none", audio=[audio]
    )
