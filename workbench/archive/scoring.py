"""The scoring pass: every standing label of kind `expectation` against the runs of speech, in one transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.archive import runs
from workbench.archive.lake import Reader, Writer, quote, read_once
from workbench.archive.layout import Layout
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from workbench.audio.config import MeasureConfig

_HEALTH = "select call_id, recording_id, verdict_eligible, reason, next_step, channel_roles as roles from input_health"
_UNFIT = f"{_HEALTH} join recordings using (call_id, recording_id) anti join timing_inputs using (call_id)"


@dataclass(frozen=True)
class Scoring:
    """A scoring pass: its run, its config, and its rows of `scored_events`. `run_id` is None without labels."""

    run_id: str | None
    config_id: str
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many events have each status."""
        found: dict[str, int] = {}
        for event in self.events:
            found[event["status"]] = found.get(event["status"], 0) + 1
        return dict(sorted(found.items()))


def score(layout: Layout, *, config: ScoreConfig | None = None) -> Scoring:
    """Score every standing label of kind `expectation` and keep the events, those of other configs untouched.

    Parameters
    ----------
    layout : Layout
        The archive.
    config : ScoreConfig, optional
        Published method by default.

    Returns
    -------
    Scoring
        With a row for each label, also for those that cannot be scored.

    Raises
    ------
    ArchiveFailed
        When the archive cannot be written.
    """
    config = config or ScoreConfig()
    evidence, snapshot = read_once(layout, lambda reader: (Evidence.read(reader), reader.snapshot))
    run = runs.begin("score", {"score": msgspec.structs.asdict(config), "snapshot": snapshot})
    events = evidence.scored(config, run_id=run["run_id"])
    if not events:
        return Scoring(None, config.config_id)
    writer = Writer(layout)

    def work(con: duckdb.DuckDBPyConnection) -> None:
        from workbench.schema import tables

        there = {call_id for (call_id,) in con.execute("SELECT call_id FROM lake.calls").fetchall()}
        rows = [event for event in events if event["call_id"] in there]  # others were deleted meanwhile
        con.execute(f"DELETE FROM lake.scored_events WHERE config_id = {quote(config.config_id)}")
        writer.insert("scored_events", tables()["scored_events"].checked(rows))
        writer.add("runs", [runs.end(run, Scoring(None, config.config_id, rows).counts)])

    try:
        writer.transaction(work, message=run["run_id"])
    finally:
        writer.close()
    return Scoring(run["run_id"], config.config_id, events)


@dataclass(frozen=True)
class Evidence:
    """What scoring reads of an archive: labels, inputs, recordings and runs of speech.

    `inputs` are the calls in which both parties were measured; `unfit` the other measured ones, each with its
    `recording_id`, and the `reason` and `next_step` of its input health.
    """

    labels: list[dict[str, Any]]
    inputs: dict[str, dict[str, Any]]
    unfit: dict[str, dict[str, Any]]
    recordings: pl.DataFrame
    segments: pl.DataFrame
    measured_with: MeasureConfig

    @classmethod
    def read(cls, reader: Reader) -> Evidence:
        """Read what scoring needs, and no sound."""
        import polars as pl

        labels = reader.frame("from standing_labels where kind = 'expectation' order by call_id, label_id")
        inputs = reader.frame("from timing_inputs").sort("call_id")
        sides = pl.concat(
            [
                inputs.select("call_id", recording_id=f"{role}_recording_id", role=pl.lit(role), config_id="config_id")
                for role in ("caller", "agent")
            ]
        )
        segments = reader.frame("from segments where backend = 'energy' and role in ('caller', 'agent')")
        recordings = reader.frame("select call_id, recording_id, sample_rate_hz, offset_s, duration_s from recordings")
        return cls(
            labels=[row | {"value": json.loads(row["value"]) if row["value"] else None} for row in labels.to_dicts()],
            inputs={row["call_id"]: row for row in inputs.to_dicts()},
            unfit=_unfit(reader),
            recordings=recordings.join(
                sides.select("call_id", "recording_id").unique(), on=["call_id", "recording_id"]
            ),
            segments=segments.join(sides, on=["call_id", "recording_id", "role", "config_id"]),
            measured_with=_config(reader, set(inputs["config_id"])),
        )

    @property
    def health(self) -> dict[str, dict[str, Any]]:
        """Facts by call, as :func:`workbench.timing.events.scored` takes them, of every measured call."""
        both = {call_id: row | {"recording_id": row["caller_recording_id"]} for call_id, row in self.inputs.items()}
        return self.unfit | both

    def scored(self, config: ScoreConfig, *, run_id: str) -> list[dict[str, Any]]:
        """Return a row of `scored_events` for each label."""
        from workbench.timing.events import scored
        from workbench.timing.lines import lay

        line = lay(self.recordings, self.segments, self.measured_with)
        return scored(self.labels, line, health=self.health, config=config, run_id=run_id)


def _unfit(reader: Reader) -> dict[str, dict[str, Any]]:
    """Measured calls without audio of both parties, each with what its best recording lacks to be judged."""
    from workbench.timing.health import NEXT_STEPS

    found: dict[str, dict[str, Any]] = {}
    rows = reader.frame(_UNFIT).sort("verdict_eligible", "reason", "recording_id", descending=[True, False, False])
    for row in rows.to_dicts():
        missing = "no_caller_channel" if "agent" in row["roles"] else "no_agent_channel"
        said = (missing, NEXT_STEPS[missing]) if row["verdict_eligible"] else (row["reason"], row["next_step"])
        facts = {"recording_id": row["recording_id"], "reason": said[0], "next_step": said[1]}
        found.setdefault(row["call_id"], facts | {"scorable": False, "verdict_eligible": False})
    return found


def _config(reader: Reader, wanted: set[str]) -> MeasureConfig:
    """The config the recordings were measured with, from the runs that measured them."""
    from workbench.audio.config import MeasureConfig

    _, rows = reader.rows("select config from runs where kind = 'measure' order by started_at desc")
    for (text,) in rows:
        config = msgspec.convert(json.loads(text)["measure"], MeasureConfig)
        if config.config_id in wanted:
            return config
    return MeasureConfig()
