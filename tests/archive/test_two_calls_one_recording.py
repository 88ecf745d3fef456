"""Levels are kept once a recording, by role: two calls that have it must say the same of its channels."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_calls import made_call

from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.schema.call import Audio, Call


def second(path: str, channels: list[str], *, name: str = "z-second") -> Call:
    audio = [Audio(path=path, channels=channels, channel_map_source="declared")]  # type: ignore[arg-type]
    source = {"source_format": "made", "source_uri": "second.json", "source_sha256": "5" * 64}
    return Call(id=name, audio=audio, **source)


@pytest.mark.parametrize(
    ("channels", "measured"), [(["caller", "agent"], 2), (["agent", "caller"], 1), (["unknown", "unknown"], 1)]
)
def test_a_call_that_says_otherwise_of_its_channels_is_not_measured(
    tmp_path: Path, channels: list[str], measured: int
) -> None:
    first = made_call(1, tmp_path / "sounds")
    assert first.audio
    with Archive.create(tmp_path / "a") as archive:
        archive.add([first, second(first.audio[0].path, channels)])
        for _ in range(2):  # the first is measured again with it, to the same end
            report = archive.measure(workers=1)
            archive.refresh()
            told = report.problems
            assert archive.sql("select distinct call_id from channels").height == measured
            assert len(told) == 2 - measured
            assert all(text.startswith("call 'z-second' (second.json): its recording media/") for text in told)
            assert all(
                f"belongs to the call '{first.id}' ({first.source_uri}) too, "
                f"where its channels are caller, agent and not {', '.join(channels)}; delete one of the two" in text
                for text in told
            )
            frames = archive.sql("select count(*) as n, count(caller_dbfs) as caller from frames").row(0)
            assert frames[0] == frames[1] > 0


def test_a_call_that_was_measured_stays_so_whatever_the_other_one_is_called(tmp_path: Path) -> None:
    first = made_call(1, tmp_path / "sounds")
    assert first.audio
    with Archive.create(tmp_path / "a") as archive:
        archive.add([first])
        archive.measure(workers=1)
        archive.add([second(first.audio[0].path, ["agent", "caller"], name="a-second")])
        assert first.id > "a-second"
        for config in (MeasureConfig(), MeasureConfig(rel_db=14.0)):
            report = archive.measure(workers=1, config=config)
            archive.refresh()
            assert archive.sql("select distinct call_id, config_id from channels").rows() == [
                (first.id, config.config_id)
            ]
            assert [f"belongs to the call '{first.id}'" in text for text in report.problems] == [True]
