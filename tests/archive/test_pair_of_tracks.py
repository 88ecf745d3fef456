"""Two mono tracks of one real call: one call, two recordings, one clock; views and verdicts agree on it.

The offset of the agent's track is in its NOTICE: in this call it starts 2.000 s after the caller's.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.assertions import load_pack
from workbench.ingest import read

TRACKS = Path(__file__).parents[1] / "data" / "harper-valley-tracks"
FLAC = Path(__file__).parents[2] / "data" / "calls" / "harper-valley-bank"
SID = "ff0296d00e5e4184"


@pytest.fixture
def paired(tmp_path: Path) -> Archive:
    """The call from its two tracks, with the agent's offset in a sidecar; measured and judged."""
    folder = tmp_path / "tracks"
    folder.mkdir()
    for side in ("caller", "agent"):
        shutil.copy(TRACKS / f"{SID}.{side}.wav", folder)
    (folder / f"{SID}.json").write_text(json.dumps({"offset_s": {"caller": 0.0, "agent": 2.0}}))
    archive = Archive.create(tmp_path / "a")
    report = archive.add(read([folder]))
    assert (report.new, report.refused()) == (1, 0), report.refusals
    archive.measure(workers=1)
    assert_pack(archive.layout, load_pack("caller-experience"))
    archive.refresh()
    return archive


def test_two_recordings_one_call(paired: Archive) -> None:
    rows = paired.sql("select channel_roles, offset_s, channel_map_source from recordings order by offset_s")
    assert rows["channel_roles"].to_list() == [["caller"], ["agent"]]
    assert rows["offset_s"].to_list() == [0.0, 2.0]
    assert set(rows["channel_map_source"]) == {"name"}
    assert paired.sql("select evidence_tier from calls").item() == 1


def test_the_pair_times_like_the_joined_file(paired: Archive, tmp_path: Path) -> None:
    """The bank's own two-channel file holds the same tracks, the agent's delayed by 2.000 s."""
    folder = tmp_path / "bank"
    for kind, ending in (("audio", "flac"), ("transcript", "json"), ("metadata", "json")):
        (folder / kind).mkdir(parents=True)
        shutil.copy(FLAC / kind / f"{SID}.{ending}", folder / kind)
    shutil.copy(FLAC / "calls.json", folder)
    joined = Archive.create(tmp_path / "b")
    joined.add(read([folder]))
    joined.measure(workers=1)
    query = "select gap_s from turn_gaps order by gap_ix"
    ours, theirs = paired.sql(query)["gap_s"], joined.sql(query)["gap_s"]
    assert len(theirs) >= 2
    assert len(ours) == len(theirs)
    assert (ours - theirs).abs().max() <= 0.02  # two hops: tracks end at different samples, floors differ a little


def test_views_and_verdicts_agree(paired: Archive) -> None:
    slow = paired.sql("select count(*) as n from turn_gaps where gap_s > 1.5 and clock = 'audio'").item()
    found = paired.sql("select count(*) as n from findings where assertion_id = 'slow_response'").item()
    assert slow > 0
    assert found == slow
