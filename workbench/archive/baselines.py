"""Baselines of an archive: pooled means of timing that later calls are held against."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.archive import runs
from workbench.archive.baseline_moments import VERDICTS, Lost, Moments, lost, moments_of
from workbench.archive.baseline_sounds import Standing, digest, marks, standing
from workbench.archive.comparing import Sounds, chosen_events
from workbench.archive.lake import Reader, Writer, quote, read_once
from workbench.archive.layout import Layout
from workbench.archive.measured_with import one_ruler
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.timing.contracts.drift import Drift, Figure, drifts, figures, horizon_of
from workbench.timing.contracts.freshness import DIFFERENT, SAME_ENVELOPE, SAME_PCM, UNKNOWN
from workbench.timing.contracts.levels import CLAIMS, Level, level_of

if TYPE_CHECKING:
    import duckdb

ALL = "all"
_ANY_WITH = "select 1 from scored_events where config_id = $config limit 1"
GONE = (
    "Nothing of the baseline could be measured again, and nothing says whether the recordings of now are other takes: "
    "it says nothing of today's agent."
)
"""What a check says where no recording of its baseline is left."""


@dataclass(frozen=True)
class Checked:
    """A baseline against an archive: its drifts, figures of both sides, and what their recordings are to each other.

    `states` has one for each recording; `left` of the `kept` recordings that the baseline was set from are in the
    archive yet. `lost` are those of its `kept_moments` that are not judged here, and `unjudged` moments of now have no
    verdict and are in no figure. `config_id` (scoring) and `measure_config_id` are the ruler of both sides.
    `same_version`: no other version of the agent is asked about than the baseline's, so that its own recordings may be
    among those checked.
    """

    drifts: list[Drift]
    baseline: dict[str, Figure]
    now: dict[str, Figure]
    states: list[str]
    kept: int
    left: int
    kept_moments: int
    lost: Lost
    unjudged: int
    set_from: str
    config_id: str
    measure_config_id: str
    same_version: bool

    @property
    def counts(self) -> dict[str, int]:
        """How many recordings are the baseline's, copies of them, other takes, and not known."""
        return {state: self.states.count(state) for state in (SAME_PCM, SAME_ENVELOPE, DIFFERENT, UNKNOWN)}

    @property
    def again(self) -> bool:
        """Whether recordings of the baseline are measured again: then all of its moments should be."""
        return self.same_version and SAME_PCM in self.states

    @property
    def withheld(self) -> str | None:
        """Why no drift is told.

        The baseline's recordings are gone, copies of them would stand for calls of now, or some of its own moments
        left, which changes a mean and tells of no agent.
        """
        if not self.left:
            return f"the baseline's recordings ({self.kept:,}) are in the archive no more"
        copies = self.counts[SAME_ENVELOPE] + (0 if self.same_version else self.counts[SAME_PCM])
        if copies:
            return f"{copies} of {plural(len(self.states), 'recording')} copied from the baseline's"
        return self.lost.told(self.kept_moments) if self.again and self.lost.moments else None

    @property
    def evidence_level(self) -> Level:
        """Only a check on recordings that are all known to be others than the baseline's speaks of other takes."""
        return level_of(self.states, expectations=set())

    @property
    def claim(self) -> str:
        """What may be said of the check; nothing of evidence measured again where none of the baseline's is left."""
        return CLAIMS[self.evidence_level].sentence if self.left else GONE


@dataclass(frozen=True)
class _Measured:
    figures: dict[str, Figure]
    calls: dict[str, str]
    moments: Moments
    config_id: str
    measure_config_id: str
    standing: Standing
    lost: Lost
    unjudged: int


def set_baseline(
    layout: Layout, name: str, *, config_id: str | None = None, agent_version: str | None = None, replace: bool = False
) -> dict[str, Figure]:
    """Keep the pooled means of an archive's scored moments under a name.

    Parameters
    ----------
    layout : Layout
        The archive.
    name : str
        Name of the baseline.
    config_id : str, optional
        Scoring config, as for :func:`workbench.archive.comparing.chosen_events`.
    agent_version : str, optional
        Calls of this version only.
    replace : bool
        Whether a baseline of that name may be replaced.

    Returns
    -------
    dict of str to Figure

    Raises
    ------
    UsageError
        When there is nothing to keep, the recordings were measured with several configs, or the name is taken.
    """
    if not name.strip():
        raise UsageError("a baseline needs a name", hint="workbench baseline set NAME")
    measured = _measured(layout, config_id=config_id, agent_version=agent_version)
    found = measured.figures
    counts = {dimension: [figure.events, figure.censored] for dimension, figure in found.items()}
    settings = {
        "baseline": name,
        "config_id": measured.config_id,
        "measure_config_id": measured.measure_config_id,
        "agent_version": agent_version,
        "recordings": list(measured.calls),
        "calls": {mark: digest(call_id) for mark, call_id in measured.calls.items()},
        "moments": measured.moments,
        "times": {dimension: figure.times for dimension, figure in found.items()},
    }
    run = runs.begin("baseline", settings, label=name)
    part = ALL if agent_version is None else f"agent_version={agent_version}"
    rows = [
        {"baseline_id": name, "metric": dimension, "slice": part, "value": figure.value, "run_id": run["run_id"]}
        for dimension, figure in found.items()
    ]
    writer = Writer(layout)

    def work(con: duckdb.DuckDBPyConnection) -> None:
        mine = f"FROM lake.baselines WHERE baseline_id = {quote(name)}"
        if con.execute(f"SELECT 1 {mine}").fetchall():
            if not replace:
                raise UsageError(f"there is a baseline {name!r}", hint="give another name, or --replace it")
            con.execute(f"DELETE {mine}")
        writer.add("baselines", [dict.fromkeys(("count", "trials", "tolerance")) | row for row in rows])
        writer.add("runs", [runs.end(run, counts)])

    try:
        writer.transaction(work, message=f"baseline {name}")
    finally:
        writer.close()
    return found


def check_baseline(
    layout: Layout,
    name: str,
    *,
    tolerances: dict[str, str],
    config_id: str | None = None,
    agent_version: str | None = None,
) -> Checked:
    """Hold an archive's scored moments against a baseline.

    Parameters
    ----------
    layout, name, config_id, agent_version
        As for :func:`set_baseline`; `config_id` can only be the baseline's, which is taken without it.
    tolerances : dict of str to str
        From :func:`workbench.timing.contracts.drift.tolerances_of`.

    Returns
    -------
    Checked

    Raises
    ------
    UsageError
        When there is no such baseline, another config is named than its own, the recordings were measured with
        another one, there is nothing to hold against it, or a dimension cannot be told of both sides.
    """
    rows, config, counts = read_once(layout, lambda reader: _kept(layout, reader, name))
    made, counted = json.loads(config), json.loads(counts)
    if not {"times", "moments"} <= set(made):
        raise UsageError(
            f"the baseline {name!r} was set without its times or its moments, and a check needs both",
            where=str(layout.root),
            hint=layout.command(f"workbench baseline set {quote(name)} --replace"),
        )
    baseline = {row["metric"]: _figure(row, counted[row["metric"]], made["times"][row["metric"]]) for row in rows}
    if config_id not in (None, made["config_id"]):
        raise UsageError(
            f"the baseline was measured with config {made['config_id']}, and {config_id} is another ruler",
            where="--config",
            hint="leave --config out, or set a baseline with that config under another name",
        )
    now = _measured(layout, config_id=made["config_id"], agent_version=agent_version, baseline=made)
    if now.measure_config_id != made["measure_config_id"]:
        raise UsageError(
            f"the baseline was measured with config {made['measure_config_id']}, these moments with "
            f"{now.measure_config_id}, which is another ruler",
            where=str(layout.root),
            hint=f"{layout.command('workbench measure')} with the settings of the baseline and "
            f"{layout.command('workbench score')}, or set a baseline with these under another name",
        )
    return Checked(
        drifts=drifts(baseline, now.figures, tolerances=tolerances),
        baseline=baseline,
        now=now.figures,
        states=now.standing.states,
        kept=len(set(made["recordings"])),
        left=now.standing.there,
        kept_moments=sum(len(moments) for moments in made["moments"].values()),
        lost=now.lost,
        unjudged=now.unjudged,
        set_from=rows[0]["slice"],
        config_id=now.config_id,
        measure_config_id=now.measure_config_id,
        same_version=agent_version is None or made["agent_version"] in (None, agent_version),
    )


def _figure(row: dict[str, Any], counts: list[int], times: list[list[Any]]) -> Figure:
    kept = tuple((float(seconds), int(ended), int(going_on)) for seconds, ended, going_on in times)
    return Figure(value=row["value"], events=counts[0], censored=counts[1], tau_s=horizon_of(kept), times=kept)


def _kept(layout: Layout, reader: Reader, name: str) -> tuple[list[dict[str, Any]], str, str]:
    """The rows of a baseline, and the config and the counts of the run that set it."""
    rows = reader.frame("from baselines where baseline_id = $name", {"name": name}).to_dicts()
    if not rows:
        hint = layout.command('workbench sql "select distinct baseline_id from baselines"')
        raise UsageError(f"no baseline {name!r}", where=str(layout.root), hint=hint)
    query = "from runs select config, counts where run_id = $run"
    ((config, counts),) = reader.rows(query, {"run": rows[0]["run_id"]})[1]
    return rows, config, counts


def _measured(
    layout: Layout, *, config_id: str | None, agent_version: str | None, baseline: dict[str, Any] | None = None
) -> _Measured:
    """Figures, the recordings behind them, and what those are to a baseline's, whose settings are given."""

    def read(reader: Reader) -> _Measured:
        if baseline is not None and not reader.rows(_ANY_WITH, {"config": config_id})[1]:
            raise UsageError(
                f"nothing could be measured: no moment is scored with the config of the baseline ({config_id})",
                where=str(layout.root),
                hint=f"label moments, then {layout.command('workbench score')} with the settings of that config",
            )
        events, config = chosen_events(reader, config_id)
        if agent_version is not None:
            query = "from calls select call_id where agent_version = $version"
            mine = {call_id for (call_id,) in reader.rows(query, {"version": agent_version})[1]}
            events = [event for event in events if event["call_id"] in mine]
        asked = events
        events = [event for event in asked if event["status"] in VERDICTS]
        if not events:
            raise UsageError(
                "no labelled moment has a verdict" + (f" for version {agent_version!r}" if agent_version else ""),
                where=str(layout.root),
                hint=layout.command("workbench score"),
            )
        heard = {event["call_id"] for event in events}
        sounds = Sounds(reader)
        was, gone = Standing([], 0), Lost()
        if baseline is not None:
            was = standing(reader, heard, baseline=baseline["recordings"])
            there = {call_id for (call_id,) in reader.rows("select call_id from calls")[1]}
            gone = lost(baseline["moments"], baseline["calls"], sounds=sounds, there=there, events=asked)
        return _Measured(
            figures=figures(events),
            calls=marks(sounds, heard),
            moments=moments_of(sounds, events),
            config_id=config,
            measure_config_id=str(one_ruler(events)),
            standing=was,
            lost=gone,
            unjudged=len(asked) - len(events),
        )

    return read_once(layout, read)


def as_values(found: dict[str, Figure]) -> dict[str, Any]:
    """Return figures as JSON values, without the times behind them."""
    return {
        name: {field: value for field, value in msgspec.to_builtins(figure).items() if field != "times"}
        for name, figure in found.items()
    }
