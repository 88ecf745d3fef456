"""Faint runs are no speech of a turn: no labelled stretch loses its run, and what goes meets no turn.

The labels are human: AMI's word alignments (`reference_render` of the scenarios) and the corrected transcript of
the bank calls. The distance of 20 dB was chosen with both at hand; it loses none at 15 to 30 dB either.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from workbench.archive.archive import Archive
from workbench.ingest import read

CALLS = Path(__file__).parents[2] / "data" / "calls"
REFERENCE = {
    "ami-floor-exchange": "select call_id, value->>'role' as role, onset_s, end_s from labels where kind = 'speech'",
    "harper-valley-bank": "select call_id, role, start_s as onset_s, end_s from turns",
}


def meets(runs: pl.DataFrame, reference: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of a run and a labelled stretch of the same role that overlap."""
    pairs = runs.with_row_index("run").join(
        reference.with_row_index("stretch"), on=["call_id", "role"], suffix="_label"
    )
    overlap = pl.min_horizontal("end_s", "end_s_label") - pl.max_horizontal("start_s", "onset_s")
    return pairs.filter(overlap > 0)


@pytest.mark.parametrize("folder", sorted(REFERENCE))
def test_no_labelled_stretch_loses_its_run(tmp_path: Path, folder: str) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add(read([CALLS / folder]))
    archive.measure(workers=1)
    reference = archive.sql(REFERENCE[folder])
    runs = archive.sql("select call_id, role, start_s, end_s, faint from segments")
    assert reference.height >= 6
    found = meets(runs, reference)["stretch"].n_unique()
    kept = meets(runs.filter(~pl.col("faint")), reference)["stretch"].n_unique()
    assert (found, kept) == (reference.height, reference.height)
    faint = runs.filter(pl.col("faint"))
    assert meets(faint, reference)["run"].n_unique() <= 0.05 * faint.height
