"""The bundled call with two clocks is what its script makes, and shows what setting one against the other says."""

from __future__ import annotations

import json
from pathlib import Path

import made_two_clocks as made
import numpy as np
import pytest
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.assets import folder
from workbench.cli import main
from workbench.ingest import read

BUNDLED = folder("data") / "calls" / "two-clocks"


def test_the_script_makes_what_is_bundled(tmp_path: Path) -> None:
    """Samples are compared and not bytes: another version of the FLAC library packs otherwise."""
    made.make(tmp_path)
    assert (tmp_path / "call.json").read_bytes() == (BUNDLED / "call.json").read_bytes()
    ours, theirs = (sf.read(place / "call.flac", dtype="int16")[0] for place in (tmp_path, BUNDLED))
    assert np.array_equal(ours, theirs)
    assert sum(path.stat().st_size for path in BUNDLED.iterdir()) < 80_000
    assert "made by this project's script `tests/timing/made_two_clocks.py`" in (BUNDLED / "NOTICE.md").read_text()


def test_clocks_shows_offset_drift_residuals_and_the_impossible_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "archive"
    with Archive.create(place) as archive:
        archive.add(read([BUNDLED, folder("data") / "calls" / "voice-evals"]))
        archive.measure(workers=1)
    with pytest.raises(SystemExit) as ended:
        main(["clocks", "--all", "--json", "--archive", str(place)])
    assert ended.value.code == 0
    found = {one["call_id"]: one for one in json.loads(capsys.readouterr().out)}["two-clocks-made"]
    assert (found["status"], found["report_count"], found["fitted_count"]) == ("SCORED", 10, 8)
    # the hangover of 150 ms counts as the caller's speech, and what is heard lies on frames of 10 ms
    assert found["offset_ms"] == pytest.approx(made.OFFSET_MS, abs=20)
    low, high = found["drift_low_ms_per_min"], found["drift_high_ms_per_min"]
    assert low < made.DRIFT_MS_PER_MIN < high
    assert found["residual_mad_ms"] < 15
    faults = {turn["turn_ix"]: turn["fault"] for turn in found["turns"] if turn["fault"]}
    assert sorted(faults) == [2 * made.WRONG_AT + 1, 2 * made.NEGATIVE_AT + 1]
    assert faults[2 * made.NEGATIVE_AT + 1].startswith("negative")
    assert faults[2 * made.WRONG_AT + 1].startswith("attributed to the wrong turn")
    with pytest.raises(SystemExit):
        main(["clocks", "--all", "--archive", str(place)])
    assert "13 reports of 4 calls, 2 impossible" in capsys.readouterr().out
