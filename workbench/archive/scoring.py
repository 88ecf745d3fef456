"""The scoring pass: every standing label of kind `expectation` against the runs of speech, in one transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.archive import failures, runs
from workbench.archive.lake import Reader, Writer, quote, read_once
from workbench.archive.lake.reading import TRIES
from workbench.archive.layout import Layout
from workbench.archive.measured_with import configs_of
from workbench.errors import ArchiveFailed
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import duckdb
    import polars as pl

    from workbench.audio.config import MeasureConfig
    from workbench.timing.same_moment import Shared

_MOMENT = ["call_id", "label_id", "moment_s", "label_count", "authors", "disagree", "counted"]
_FACTS = "call_id, recording_id, config_id, reason, next_step"
_HEALTH = f"select {_FACTS} from input_health"
_UNFIT = f"{_HEALTH} join recordings using (call_id, recording_id) anti join timing_inputs using (call_id)"


@dataclass(frozen=True)
class Scoring:
    """A scoring pass: its run, its config, the labels it read and their rows of `scored_events`, in the same order.

    `run_id` is None without labels. `measured_with` are the configs that the calls with both parties were measured
    with, by id, the last one first.
    """

    run_id: str | None
    config_id: str
    labels: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    measured_with: dict[str, MeasureConfig] = field(default_factory=dict)

    @property
    def moments(self) -> list[dict[str, Any]]:
        """The events that moments are counted by: one of each, however many labels it has."""
        return [event for event, label in zip(self.events, self.labels, strict=True) if label["counted"]]

    @property
    def shared(self) -> list[Shared]:
        """The moments with several labels."""
        from workbench.timing.same_moment import shared

        return shared(self.labels)

    @property
    def counts(self) -> dict[str, int]:
        """How many moments have each status."""
        found: dict[str, int] = {}
        for event in self.moments:
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
        When the archive cannot be written, or others label without end.
    """
    config = config or ScoreConfig()
    return _of_what_stands(layout, lambda reader: (Evidence.read(reader), [config], reader.snapshot), calls=None)


def score_calls(layout: Layout, call_ids: Collection[str]) -> Scoring:
    """Score the standing labels of some calls anew, under every config that the archive was scored with.

    For labels that were just given or taken back: the events of other calls are neither read nor written.

    Parameters
    ----------
    layout : Layout
        The archive.
    call_ids : collection of str
        The calls; of one without a label nothing is left in `scored_events`.

    Returns
    -------
    Scoring
        Of the published method, or of the config that was used last where that was not; with a row for each label of
        these calls.

    Raises
    ------
    ArchiveFailed
        When the archive cannot be written, or others label these calls without end.
    """
    calls = sorted(set(call_ids))

    def read(reader: Reader) -> tuple[Evidence, list[ScoreConfig], int]:
        return Evidence.read(reader, calls=calls), _scored_with(reader), reader.snapshot

    with failures.kept(
        layout.root,
        "what was said in labels is kept, and not scored",
        hint=layout.command("workbench score"),
    ):
        return _of_what_stands(layout, read, calls=calls)


def _scored_with(reader: Reader) -> list[ScoreConfig]:
    """The configs that the archive has events of, the published method last; it alone where there are none."""
    used = {config_id for (config_id,) in reader.rows("select distinct config_id from scored_events")[1]}
    published = ScoreConfig()
    found: dict[str, ScoreConfig] = {}
    for (text,) in reader.rows("select config from runs where kind = 'score' order by started_at")[1]:
        config = msgspec.convert(json.loads(text)["score"], ScoreConfig)
        if config.config_id in used and config != published:
            found.pop(config.config_id, None)
            found[config.config_id] = config
    return [*found.values(), *([published] if published.config_id in used or not found else [])]


def _told(table: str, which: str) -> str:
    """Query for the ids of a table of labels by call; they are hashes of what is said, and none is ever changed."""
    ids = "string_agg(label_id, ' ' order by label_id)"
    return f"select call_id, {ids} as ids from {table} where {which} group by call_id"


class _LabelledMeanwhile(Exception):
    """Somebody labelled one of the calls after they were read."""


def _of_what_stands(
    layout: Layout,
    read: Callable[[Reader], tuple[Evidence, list[ScoreConfig], int]],
    *,
    calls: list[str] | None,
) -> Scoring:
    """Read, score and keep; all of it again where a label came in between, whose events would be lost."""
    for _ in range(TRIES):
        evidence, configs, snapshot = read_once(layout, read)
        if calls is None and not evidence.labels:
            return Scoring(None, configs[-1].config_id)
        try:
            return _keep(layout, evidence, configs, snapshot=snapshot, calls=calls)
        except _LabelledMeanwhile:
            continue
    raise ArchiveFailed(
        "others label these calls all the while, so their moments are not scored; the labels are kept",
        where=str(layout.root),
        hint=f"run {layout.command('workbench score')} when they have ended",
    )


def _keep(
    layout: Layout, evidence: Evidence, configs: Sequence[ScoreConfig], *, snapshot: int, calls: list[str] | None
) -> Scoring:
    """Write the events of each config in one transaction; return those of the last one."""
    scorings, begun = [], []
    for config in configs:
        settings = {"score": msgspec.structs.asdict(config), "snapshot": snapshot}
        run = runs.begin("score", settings if calls is None else settings | {"calls": calls})
        events = evidence.scored(config, run_id=run["run_id"])
        rulers = {ruler.config_id: ruler for ruler in (evidence.measured_with, *evidence.otherwise.values())}
        scorings.append(Scoring(run["run_id"], config.config_id, evidence.labels, events, rulers))
        begun.append(run)
    writer = Writer(layout)
    mine = "true" if calls is None else f"call_id IN ({', '.join(quote(call_id) for call_id in calls)})"

    def work(con: duckdb.DuckDBPyConnection) -> None:
        from workbench.schema import tables

        there = {call_id for (call_id,) in con.execute("SELECT call_id FROM lake.calls").fetchall()}
        if any(
            evidence.told.get(call_id) != ids for call_id, ids in con.execute(_told("lake.labels", mine)).fetchall()
        ):
            raise _LabelledMeanwhile
        for scoring, run in zip(scorings, begun, strict=True):
            rows = [event for event in scoring.events if event["call_id"] in there]  # others were deleted meanwhile
            con.execute(f"DELETE FROM lake.scored_events WHERE config_id = {quote(scoring.config_id)} AND {mine}")
            if rows:
                writer.insert("scored_events", tables()["scored_events"].checked(rows))
            writer.add("runs", [runs.end(run, scoring.counts)])

    try:
        writer.transaction(work, message=begun[-1]["run_id"])
    finally:
        writer.close()
    return scorings[-1] if evidence.labels else Scoring(None, scorings[-1].config_id)


@dataclass(frozen=True)
class Evidence:
    """What scoring reads of an archive: labels, inputs, recordings and runs of speech.

    `labels` have beside their own columns what the view `label_moments` says of their moment; `told` are, by
    call, the ids of all that people said, what they took back too. `inputs` are the calls
    in which both parties were measured; `unfit` the other measured ones, each with its `recording_id`, and the
    `reason` and `next_step` of its input health. `otherwise` has, by call, the config of those that were not measured
    with `measured_with`, the last one.
    """

    labels: list[dict[str, Any]]
    told: dict[str, str]
    inputs: dict[str, dict[str, Any]]
    unfit: dict[str, dict[str, Any]]
    recordings: pl.DataFrame
    segments: pl.DataFrame
    measured_with: MeasureConfig
    otherwise: dict[str, MeasureConfig]

    @classmethod
    def read(cls, reader: Reader, *, calls: list[str] | None = None) -> Evidence:
        """Read what scoring needs, and no sound; of some calls only where `calls` names them."""
        import polars as pl

        from workbench.audio.config import MeasureConfig

        def frame(query: str) -> pl.DataFrame:
            if calls is None:
                return reader.frame(query)
            return reader.frame(f"{query} where list_contains($calls, call_id)", {"calls": calls})

        labels = frame("from standing_labels").filter(pl.col("kind") == "expectation").sort("call_id", "label_id")
        moments = frame("from label_moments").select(_MOMENT)
        labels = labels.join(moments, on=_MOMENT[:2], maintain_order="left")
        told = frame(f"from ({_told('labels', 'true')})")
        inputs = frame("from timing_inputs").sort("call_id")
        sides = pl.concat(
            [
                inputs.select("call_id", recording_id=f"{role}_recording_id", role=pl.lit(role), config_id="config_id")
                for role in ("caller", "agent")
            ]
        )
        spoken = "(from segments where backend = 'energy' and role in ('caller', 'agent'))"
        segments = frame(f"from {spoken}")
        recordings = frame("select call_id, recording_id, sample_rate_hz, offset_s, duration_s from recordings")
        configs = configs_of(reader, among=set(inputs["config_id"]))
        last = next(iter(configs.values()), MeasureConfig())
        others = inputs.filter(pl.col("config_id").is_in([name for name in configs if name != last.config_id]))
        return cls(
            labels=[row | {"value": json.loads(row["value"]) if row["value"] else None} for row in labels.to_dicts()],
            told=dict(told.iter_rows()),
            inputs={row["call_id"]: row for row in inputs.to_dicts()},
            unfit=_unfit(frame(_UNFIT)),
            recordings=recordings.join(
                sides.select("call_id", "recording_id").unique(), on=["call_id", "recording_id"]
            ),
            segments=segments.join(sides, on=["call_id", "recording_id", "role", "config_id"]),
            measured_with=last,
            otherwise={call: configs[name] for call, name in others.select("call_id", "config_id").iter_rows()},
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

        line = lay(self.recordings, self.segments, self.measured_with, otherwise=self.otherwise)
        return scored(self.labels, line, health=self.health, config=config, run_id=run_id)


def _unfit(measured: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Measured calls without audio of both parties, each with what its best recording lacks to be judged."""
    import polars as pl

    found: dict[str, dict[str, Any]] = {}
    for row in measured.sort(pl.col("reason") == "mono", "reason", "recording_id").to_dicts():
        what = {name: row[name] for name in ("recording_id", "config_id", "reason", "next_step")}
        found.setdefault(row["call_id"], what | {"scorable": False, "verdict_eligible": False})
    return found
