"""An assertion run over the archive: rows in, verdicts out, one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.archive import runs
from workbench.archive.lake import Reader, Writer, read_once
from workbench.archive.layout import Layout
from workbench.errors import UsageError

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from workbench.assertions import Pack


@dataclass(frozen=True)
class Asserted:
    """An assertion run: its id and its result rows."""

    run_id: str
    results: pl.DataFrame


def assert_pack(layout: Layout, pack: Pack, *, label: str | None = None) -> Asserted:
    """Run a pack over every call of the archive and keep the results.

    Parameters
    ----------
    layout : Layout
        The archive.
    pack : Pack
        What to check.
    label : str, optional
        A name for the run, used by `workbench diff`.

    Returns
    -------
    Asserted
        The run and its rows of `assertion_results`.

    Raises
    ------
    UsageError
        When the archive holds no call: an empty run is not a green one.
    """
    from workbench.assertions import Rows, run_pack

    frames, snapshot = read_once(layout, _evidence)
    if frames["calls"].is_empty():
        raise UsageError(
            "the archive holds no call", where=str(layout.root), hint=layout.command("workbench import PATH")
        )
    measured_with = sorted(set(frames["input_health"]["config_id"]))
    config = {"pack": pack.id, "version": pack.version, "snapshot": snapshot, "measured_with": measured_with}
    run = runs.begin("assert", config, label=label)
    definitions, results = run_pack(pack, Rows(**frames), run_id=run["run_id"])
    verdicts = results.unique(["assertion_id", "call_id", "status"])["status"].value_counts()
    counts: dict[str, Any] = dict(sorted(verdicts.iter_rows()))
    counts["findings"] = int((results["status"] == "FAIL").sum())
    writer = Writer(layout)

    def work(con: duckdb.DuckDBPyConnection) -> None:
        import polars as pl

        from workbench.schema import tables

        schemas = tables()
        there = [call_id for (call_id,) in con.execute("SELECT call_id FROM lake.calls").fetchall()]
        kept = results.filter(pl.col("call_id").is_in(there))  # others were deleted meanwhile
        writer.insert("assertions", schemas["assertions"].validate(definitions))
        writer.insert("assertion_results", schemas["assertion_results"].validate(kept))
        writer.add("runs", [runs.end(run, counts)])

    try:
        writer.transaction(work, message=run["run_id"])
    finally:
        writer.close()
    return Asserted(run["run_id"], results)


def _evidence(reader: Reader) -> tuple[dict[str, pl.DataFrame], int]:
    names = ("calls", "turns", "tool_calls", "segments")
    frames = {name: reader.frame(f"from {name}") for name in names}
    frames["input_health"] = reader.frame("from input_health")
    if not frames["input_health"].is_empty():  # planning the views alone takes as long as checking a thousand calls
        health, inputs = reader.frame("from settled_health"), reader.frame("from timing_inputs")
        frames |= _heard(frames["segments"], health, inputs)
    return frames, reader.snapshot


def _heard(segments: pl.DataFrame, health: pl.DataFrame, inputs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return speech and health of the recordings that timing is read from, judged as the view `timing_inputs` does."""
    import polars as pl

    said = inputs.select(
        "call_id", "caller_recording_id", "agent_recording_id", eligible="verdict_eligible", against="reason"
    )
    known = pl.col("eligible").is_not_null()
    caller, agent = (pl.col("recording_id") == pl.col(f"{party}_recording_id") for party in ("caller", "agent"))
    of_party = pl.when(pl.col("role") == "caller").then(caller).when(pl.col("role") == "agent").then(agent)
    spoken = segments.join(said, on="call_id", how="left").filter(~known | of_party.fill_null(value=True))
    judged = (
        health.join(said, on="call_id", how="left")
        .filter(~known | caller | agent)
        .with_columns(
            verdict_eligible=pl.coalesce("eligible", "verdict_eligible"),
            reason=pl.when(known).then("against").otherwise("reason"),
        )
    )
    return {"segments": spoken.select(segments.columns), "input_health": judged.select(health.columns)}
