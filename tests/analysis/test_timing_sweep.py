"""Verdicts anew from what the archive holds: as measuring and scoring again would give them, without the sound."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile as sf

from workbench.analysis.timing_held import HeldMoments, columns
from workbench.analysis.timing_levels import HeldLevels, Track
from workbench.analysis.timing_settings import grid_of
from workbench.analysis.timing_sweep import sweep
from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError
from workbench.schema.call import Audio, Call, Label
from workbench.timing.score_config import ScoreConfig

CALLS = Path(__file__).parents[2] / "data" / "calls"
CLIPS = [
    *sorted((CALLS / "vapi-defaults" / "audio").glob("*.wav")),
    *sorted((CALLS / "ami-floor-exchange" / "audio").glob("*.wav")),
]
RATES = (11025, 22050)
"""A hop of 9.977 ms: hardly any frame begins on a whole microsecond."""
OTHERS = [
    MeasureConfig(rel_db=10.0),
    MeasureConfig(rel_db=22.0, hangover_s=0.05),
    MeasureConfig(noise_percentile=0.3, abs_gate_db=-45.0),
    MeasureConfig(dyn_margin_db=30.0, hangover_s=0.3),
]
NAMES = ("call_id", "role", "start_s", "end_s", "voiced_end_s")


def call(name: str, audio: Audio) -> Call:
    labels = [
        Label(kind="expectation", onset_s=at, expect=expect, author="A", value={"max_time_to_yield_s": 0.6})
        for at, expect in ((1.5, "yield"), (2.0, "hold"), (2.4, "yield"))
    ]
    source = {"source_format": "made", "source_uri": "made", "source_sha256": name}
    return Call(id=name, **source, audio=[audio], labels=labels)


def build(place: Path, *, config: MeasureConfig | None = None) -> Path:
    """An archive of the labelled clips, and of a caller on two channels."""
    assert len(CLIPS) >= 10
    calls = []
    for ix, clip in enumerate(CLIPS):
        channels = ["caller", "agent"]
        audio = Audio(path=str(clip), channels=channels, offset_s=0.35 if ix % 2 else 0.0)
        calls.append(call(clip.stem, audio))
    noise = np.random.default_rng(3).normal(0, 0.001, (24000, 3))
    noise[4000:9000, 0] += 0.3 * np.sin(np.arange(5000) / 3)
    noise[12000:16000, 1] += 0.3 * np.sin(np.arange(4000) / 3)
    noise[15000:20000, 2] += 0.3 * np.sin(np.arange(5000) / 3)
    place.parent.mkdir(parents=True, exist_ok=True)
    sf.write(place.parent / "three.wav", noise, 8000, subtype="PCM_16")
    three = Audio(path=str(place.parent / "three.wav"), channels=["caller", "caller", "agent"])
    calls.append(call("three", three))
    for rate in RATES:
        odd = np.random.default_rng(rate).normal(0, 0.0003, (8 * rate, 2))
        for ix, parts in enumerate(((1.5, 1.9, 4.03, 7.31), (0.2, 1.77, 2.4, 3.1))):
            for start, end in zip(parts[::2], parts[1::2], strict=True):
                part = slice(int(start * rate), int(end * rate))
                odd[part, ix] += 0.1 * np.random.default_rng(ix).normal(0, 1, len(odd[part]))
        path = place.parent / f"odd-{rate}.wav"
        sf.write(path, odd, rate, subtype="PCM_16")
        calls.append(call(path.stem, Audio(path=str(path), channels=["caller", "agent"], offset_s=0.35)))
    with Archive.create(place) as archive:
        archive.add(calls)
        archive.measure(workers=1, config=config)
    return place


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("sweep") / "archive")


@pytest.fixture(scope="module")
def held(place: Path) -> HeldMoments:
    return HeldMoments(Archive(place))


def ordered(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(NAMES).sort("call_id", "role", "start_s", "end_s")


def test_the_measured_config_gives_exactly_the_stored_runs(held: HeldMoments, place: Path) -> None:
    with Archive(place) as archive:
        stored = archive.sql("select call_id, role, start_s, end_s, voiced_end_s from segments")
    again = held.levels.segments(held.measured_with)
    assert len(held.levels.tracks) == 2 * (len(CLIPS) + len(RATES)) + 1
    assert len(held.levels.kept) == 2  # the caller on two channels keeps the runs that were measured
    assert len(again) > 60
    assert ordered(again).equals(ordered(stored))


def test_stored_runs_end_at_the_frames_that_they_ended_at(held: HeldMoments) -> None:
    """The last frame of a run is at the threshold or above it, the next one is not, at every sample rate."""
    ends = 0
    for track in held.levels.tracks:
        levels = np.append(track.levels / 100, -120.0)
        assert (levels[track.voiced_end - 1] >= track.threshold_dbfs - 0.0051).all(), track.call_id
        assert (levels[track.voiced_end] <= track.threshold_dbfs + 0.0051).all(), track.call_id
        ends += len(track.voiced_end)
    assert ends > 60


@pytest.mark.parametrize("config", OTHERS, ids=lambda config: config.config_id)
def test_other_configs_give_what_measuring_the_sound_again_would(
    held: HeldMoments, config: MeasureConfig, tmp_path: Path
) -> None:
    """Levels are kept in hundredths of a dB: only frames that near to the threshold may fall otherwise."""
    with Archive(build(tmp_path / "archive", config=config)) as archive:
        wanted = ordered(archive.sql("select * from segments where call_id <> 'three'"))
    found = ordered(held.levels.segments(config).filter(pl.col("call_id") != "three"))
    off = pl.concat([found, wanted]).filter(pl.len().over(NAMES) == 1)
    levels = {(track.call_id, track.role): track for track in held.levels.tracks}
    for row in off.iter_rows(named=True):
        track = levels[row["call_id"], row["role"]]
        first, last = (round((row[name] - track.offset_s) / track.hop_s) for name in ("start_s", "end_s"))
        near = np.abs(track.levels[max(0, first - 1) : last + 1] / 100 - threshold_of(track, config)) <= 0.0051
        assert near.any(), row
    assert len(off) <= 0.05 * len(wanted)
    assert not ordered(held.levels.segments(held.measured_with)).equals(found)


def threshold_of(track: Track, config: MeasureConfig) -> float:
    from workbench.audio.activity import noise_floor, threshold

    levels = track.levels / 100.0
    return threshold(noise_floor(levels, config.noise_percentile), float(levels.max()), config)


def test_events_are_those_that_scoring_would_store(place: Path, held: HeldMoments, tmp_path: Path) -> None:
    shutil.copytree(place, tmp_path / "archive")
    config = ScoreConfig(yield_hangover_s=0.1, max_talk_over_s=0.4)
    with Archive(tmp_path / "archive") as archive:
        archive.score(config=config)
        query = "from timing_events where config_id = $config order by call_id, label_id"
        stored = archive.sql(query, {"config": config.config_id})
    found = held.events(config)
    assert len(found) == 3 * (len(CLIPS) + len(RATES) + 1)
    assert found.columns == stored.columns == list(columns())
    assert found.equals(stored.cast(found.schema))


def test_a_sweep_tells_what_flips_and_where(held: HeldMoments) -> None:
    grid = grid_of(["max_time_to_yield_s=0.05,0.6,none", "yield_hangover_s=0.05,0.2,0.4", "abs_gate_db=-60,-22"])
    found = sweep(held, grid)
    assert found.default == {"max_time_to_yield_s": None, "yield_hangover_s": 0.2, "abs_gate_db": -60.0}
    assert len(found.points) == 18
    at = {name: pl.col(name) == value for name, value in (("yield_hangover_s", 0.2), ("abs_gate_db", -60.0))}
    default = found.points.filter(pl.col("max_time_to_yield_s").is_null(), *at.values()).row(0, named=True)
    counts = [default[f"{status}_count"] for status in ("pass", "fail", "inconclusive", "not_scorable")]
    assert (default["flip_count"], sum(counts)) == (0, len(held.labels))
    before = {(row["call_id"], row["label_id"]): row["status"] for row in held.rows(ScoreConfig())}
    assert len(found.moments) == len(before)
    assert found.flips["parameter"].n_unique() == 3
    bound = found.flips.filter(pl.col("parameter") == "max_time_to_yield_s")
    assert set(bound.select("side", "kept_at", "flips_at").rows()) == {("below", "0.6", "0.05")}  # the label's own
    row = found.flips.filter(pl.col("parameter") == "yield_hangover_s").row(0, named=True)
    scored = ScoreConfig(yield_hangover_s=float(row["flips_at"]))
    after = {(event["call_id"], event["label_id"]): event["status"] for event in held.rows(scored)}
    key = (row["call_id"], row["label_id"])
    assert (before[key], after[key]) == (row["status"], row["status_then"])
    assert row["status"] != row["status_then"]
    json.dumps(found.flips.to_dicts())


def test_what_no_bound_decides_is_next_to_none_in_a_sweep_as_in_the_view(held: HeldMoments) -> None:
    found = sweep(held, {"max_talk_over_s": [0.5]}).moments.sort("call_id", "label_id")
    viewed = held.default.sort("call_id", "label_id")["boundary_sensitive"].to_list()
    assert found["boundary_sensitive"].to_list() == viewed
    raw = held.rows(ScoreConfig())
    assert sum(row["boundary_sensitive"] is not None for row in raw) > sum(value is not None for value in viewed) > 0


def test_no_bound_lies_above_every_bound(held: HeldMoments) -> None:
    """A label without a bound of its own flips below, never above, the default of none."""
    kept, held.labels = held.labels, [label | {"value": None} for label in held.labels]  # the fixture is shared
    try:
        found = sweep(held, {"max_talk_over_s": [0.0, 10.0]})
    finally:
        held.labels = kept
    assert set(found.flips["side"]) == {"below"}
    assert set(found.flips["flips_at"]) == {"0"}
    assert set(found.flips["kept_at"]) == {"10"}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "nothing is swept"),
        (["frame_ms=10"], "'frame_ms' is no parameter"),
        (["rel_db=10", "rel_db=12"], "'rel_db' is given twice"),
        (["rel_db=loud"], "is no number"),
        (["rel_db=none"], "is no number"),
        (["echo_gate=1"], "echo_gate takes true or false, and '1' is neither"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(texts: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        grid_of(texts)


def test_values_and_sizes_are_refused_before_anything_is_derived(held: HeldMoments) -> None:
    assert grid_of(["snr_gate_db=none,20,20", "echo_gate=true"]) == {"snr_gate_db": [None, 20.0], "echo_gate": [True]}
    with pytest.raises(UsageError, match="noise_percentile is 3"):
        sweep(held, {"noise_percentile": [0.1, 3.0]})
    with pytest.raises(UsageError, match="2500 grid points"):
        sweep(held, {"rel_db": [float(n) for n in range(50)], "hangover_s": [n / 100 for n in range(50)]})


def test_without_labels_there_is_nothing_to_flip(tmp_path: Path) -> None:
    Archive.create(tmp_path / "empty").close()
    with Archive(tmp_path / "empty") as archive:
        held = HeldMoments(archive)
        found = sweep(held, {"rel_db": [10.0]})
        assert found.points.row(0, named=True)["flip_count"] == 0
        assert held.events(ScoreConfig()).is_empty()
    assert isinstance(held.levels, HeldLevels)
