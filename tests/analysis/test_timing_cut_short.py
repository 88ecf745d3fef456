"""From sound to times: an agent that talks over the caller until the recording ends is censored, and not left out."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
import soundfile

from workbench.analysis import timing_survival
from workbench.analysis.timing_held import HeldMoments
from workbench.archive.archive import Archive
from workbench.schema.call import Audio, Call, Label
from workbench.timing.score_config import ScoreConfig

RATE = 8000


def sound(path: Path, *, agent_until_s: float, seconds: float) -> None:
    """The agent speaks from 0.5 s, the caller from 3 to 4.5 s: noise over silence."""
    rng = np.random.default_rng(1)
    samples = np.zeros((round(seconds * RATE), 2))
    for channel, (start, end) in enumerate(((3.0, 4.5), (0.5, agent_until_s))):
        part = slice(round(start * RATE), round(end * RATE))
        samples[part, channel] = rng.normal(0, 2000, len(samples[part]))
    soundfile.write(path, samples.astype(np.int16), RATE, subtype="PCM_16")


def call(folder: Path, name: str, *, agent_until_s: float, seconds: float) -> Call:
    sound(folder / f"{name}.wav", agent_until_s=agent_until_s, seconds=seconds)
    audio = Audio(path=str(folder / f"{name}.wav"), channels=["caller", "agent"], channel_map_source="declared")
    source = {"source_format": "made", "source_uri": f"made/{name}", "source_sha256": name}
    return Call(id=name, **source, audio=[audio], labels=[Label(kind="expectation", onset_s=3.0, expect="yield")])


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Four agents that stop 0.4 s after the caller begins, and four still talking at the end, 2.0 s after it."""
    folder = tmp_path_factory.mktemp("cut")
    found = Archive.create(folder / "archive")
    found.add(
        [call(folder, f"stops-{ix}", agent_until_s=3.4, seconds=8.0) for ix in range(4)]
        + [call(folder, f"talks-{ix}", agent_until_s=5.0, seconds=5.0) for ix in range(4)]
    )
    found.measure(workers=1)
    found.score()
    return found


def test_the_recording_that_ended_gives_no_verdict_and_a_censored_time(archive: Archive) -> None:
    events = archive.sql("from timing_events order by call_id")
    assert events["status"].to_list() == ["PASS"] * 4 + ["INCONCLUSIVE"] * 4
    assert events["reason"].to_list() == [None] * 4 + ["recording_ended"] * 4
    times = timing_survival.times_to("yield", events)
    assert times["duration_s"].to_list() == pytest.approx([0.4] * 4 + [2.0] * 4)
    row = timing_survival.summaries(times).row(0, named=True)
    assert (row["moment_count"], row["event_count"], row["censored_count"]) == (8, 4, 4)
    assert row["finished_mean_s"] == pytest.approx(0.4)
    assert row["mean_s"] == pytest.approx(0.4 + 0.5 * 1.6)  # half of them go on to the 2.0 s that were seen
    assert times.filter(~times["observed"]).height == 4


def test_the_answer_that_did_not_come_is_censored_too(archive: Archive) -> None:
    """The caller's turn ends at 4.5 s: in no call does the agent begin again before the end."""
    times = timing_survival.times_to("respond", archive.sql("from timing_events order by call_id"))
    assert times["observed"].to_list() == [False] * 8
    assert times["duration_s"].to_list() == pytest.approx([3.5] * 4 + [0.5] * 4, abs=0.011)


def test_a_moment_that_is_said_to_be_both_awaits_nothing(tmp_path: Path) -> None:
    said = call(tmp_path, "both", agent_until_s=5.0, seconds=5.0)
    hold = Label(kind="expectation", onset_s=3.0, expect="hold")
    with Archive.create(tmp_path / "archive") as found:
        found.add([msgspec.structs.replace(said, labels=[*said.labels, hold])])
        found.measure(workers=1)
        found.score()
        events = found.sql("from timing_events")
    assert set(events["reason"]) == {"labels_disagree"}
    assert not events["awaits_yield"].any()


def test_a_sweep_counts_them_alike(archive: Archive) -> None:
    held = HeldMoments(archive).events(ScoreConfig())
    stored = archive.sql("from timing_events order by call_id, label_id")
    assert held.equals(stored.select(held.columns).cast(held.schema))
