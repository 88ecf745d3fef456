"""Labelled moments of an archive in memory: verdicts for any parameters, without a query and without the sound."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from workbench.analysis.timing_slices import PARTS, group_of
from workbench.archive.call_slices import SLICES
from workbench.archive.scoring import Evidence
from workbench.errors import UsageError
from workbench.timing.events import FAIL, PASS, bound_decides, scored
from workbench.timing.lines import Line, lay

if TYPE_CHECKING:
    import polars as pl

    from workbench.analysis.timing_levels import HeldLevels
    from workbench.archive.archive import Archive
    from workbench.audio.config import MeasureConfig
    from workbench.timing.score_config import ScoreConfig

FACTS = ("source_format", "agent_id", "agent_version")
HEARD = ("recording_ended", "did_not_go_on")
"""Without a verdict, and yet timed: cut short is censored, not unknown."""
BOUNDS = ("max_time_to_yield_s", "max_talk_over_s")
_MOST_LINES = 8
_ALL = "select call_id, source_format, agent_id, agent_version, caller_noisy, caller_narrow_band, agent_fast_talker"
_WHERE = "from calls join call_slices using (call_id) semi join (select unnest($calls) as call_id) using (call_id)"
_FACTS_OF = f"{_ALL} {_WHERE}"


class HeldMoments:
    """Everything that a verdict rests on, read once from one snapshot.

    Input health, echo and the separation of speech from noise stay as they were measured, whatever threshold is
    tried.

    Parameters
    ----------
    archive : Archive
        An open archive; nothing is written to it. Frames are read when a measuring parameter is first changed.

    Attributes
    ----------
    labels : list of dict
        One for each moment: the label that it is counted by.
    label_count : int
        All that stand.
    """

    def __init__(self, archive: Archive) -> None:
        import polars as pl

        self._reader = archive.reader
        self._evidence = Evidence.read(archive.reader)
        self.labels: list[dict[str, Any]] = [label for label in self._evidence.labels if label["counted"]]
        self.label_count = len(self._evidence.labels)
        self.call_ids = sorted({label["call_id"] for label in self.labels})
        labelled = archive.reader.frame(_FACTS_OF, {"calls": self.call_ids}) if self.labels else pl.DataFrame()
        self._facts = {row["call_id"]: row for row in labelled.to_dicts()}
        self._labelled = self._evidence.recordings.filter(pl.col("call_id").is_in(self.call_ids))
        self._health = self._evidence.health
        self._levels: HeldLevels | None = None
        self._lines: dict[str, Line] = {}
        self._default: pl.DataFrame | None = None
        self._derived: tuple[object, pl.DataFrame] | None = None

    @property
    def measured_with(self) -> MeasureConfig:
        """The config that the archive was measured with."""
        return self._evidence.measured_with

    @property
    def default(self) -> pl.DataFrame:
        """The events of the published method, derived once."""
        from workbench.timing.score_config import ScoreConfig

        if self._default is None:
            self._default = self.events(ScoreConfig())
        return self._default

    @property
    def levels(self) -> HeldLevels:
        """Levels of the labelled calls, read at first use."""
        self.ready()
        assert self._levels is not None
        return self._levels

    def ready(self) -> None:
        """Read the levels now, so that the first threshold that is tried need not."""
        from workbench.analysis.timing_levels import HeldLevels

        if self._levels is None:
            self._levels = HeldLevels.read(self._reader, self._evidence, call_ids=self.call_ids)

    def rows(
        self, score: ScoreConfig, *, measure: MeasureConfig | None = None, replaced: Collection[str] = ()
    ) -> list[dict[str, Any]]:
        """Return a row of `scored_events` for each moment: that of the label that it is counted by.

        Parameters
        ----------
        score : ScoreConfig
            How to score.
        measure : MeasureConfig, optional
            What counts as speech; by default what the archive was measured with.
        replaced : collection of {'max_time_to_yield_s', 'max_talk_over_s'}
            Bounds of `score` that hold also where a label brings its own.

        Returns
        -------
        list of dict
            In the order of call and label; empty where nothing is labelled.
        """
        line = self._line(measure or self.measured_with)
        labels = self._evidence.labels
        rows = scored(
            [_without(label, replaced) for label in labels], line, health=self._health, config=score, run_id=""
        )
        return [row for row, label in zip(rows, labels, strict=True) if label["counted"]]

    def events(
        self, score: ScoreConfig, *, measure: MeasureConfig | None = None, replaced: Collection[str] = ()
    ) -> pl.DataFrame:
        """Return the rows that the view `timing_events` would show after scoring with a config.

        Parameters
        ----------
        score : ScoreConfig
            How to score.
        measure, replaced : optional
            As :meth:`rows` takes them.

        Returns
        -------
        polars.DataFrame
            With the columns of the view, in the order of call and label.
        """
        import polars as pl

        asked = (score, measure or self.measured_with, sorted(replaced))
        if self._derived is not None and self._derived[0] == asked:
            return self._derived[1]  # a bound that no label takes was moved
        kinds = columns()
        rows = [
            _event(row, label, self._facts[row["call_id"]], names=kinds)
            for row, label in zip(self.rows(score, measure=measure, replaced=replaced), self.labels, strict=True)
            if row["call_id"] in self._facts
        ]
        events = pl.DataFrame(rows, schema=kinds)
        self._derived = (asked, events)
        return events

    def rulers(self, events: pl.DataFrame) -> pl.DataFrame:
        """Return the measuring configs that verdicts and times rest on, censored times too.

        Parameters
        ----------
        events : polars.DataFrame
            From :meth:`events`.

        Returns
        -------
        polars.DataFrame
            `config_id` and `moment_count`, most first: groups measured with two rulers are not to be compared.
        """
        import polars as pl

        timed = events.filter(pl.col("status").is_in([PASS, FAIL]) | pl.col("awaits_yield") | pl.col("awaits_response"))
        used = {call: self._evidence.otherwise.get(call, self.measured_with).config_id for call in self.call_ids}
        found = timed.select(config_id=pl.col("call_id").replace_strict(used, return_dtype=pl.String))
        counts = found.group_by("config_id").len("moment_count")
        return counts.sort("moment_count", "config_id", descending=[True, False])

    def groups(self, by: str | None) -> list[str]:
        """Return the group of each moment, in the order of `labels`.

        Parameters
        ----------
        by : str, optional
            One of :data:`workbench.analysis.timing_slices.PARTS`; None: all are one group.

        Returns
        -------
        list of str
            Empty where nothing is labelled.

        Raises
        ------
        UsageError
            For another column.
        """
        import polars as pl

        if by is not None and by not in PARTS:
            raise UsageError(f"moments cannot be parted by {by!r}", hint=f"one of: {', '.join(PARTS)}")
        kinds = {name: pl.Boolean if name in SLICES else pl.String for name in PARTS}
        rows = [
            {
                name: (label | {"author": label["authors"]} | self._facts.get(label["call_id"], {})).get(name)
                for name in PARTS
            }
            for label in self.labels
        ]
        found: list[str] = pl.DataFrame(rows, schema=kinds).with_columns(group_of(by))["group"].to_list()
        return found

    def _line(self, measure: MeasureConfig) -> Line:
        if measure.config_id not in self._lines:
            segments = self._evidence.segments if measure == self.measured_with else self.levels.segments(measure)
            while len(self._lines) >= _MOST_LINES:
                self._lines.pop(next(iter(self._lines)))
            self._lines[measure.config_id] = lay(self._labelled, segments, measure, otherwise=self._evidence.otherwise)
        return self._lines[measure.config_id]


def own_bounds(label: Mapping[str, Any]) -> dict[str, float]:
    """Return the bounds that a label brings.

    Parameters
    ----------
    label : mapping
        Its `value` may hold them.

    Returns
    -------
    dict of str to float
        Seconds by name; empty where it brings none.
    """
    value = label["value"] if isinstance(label["value"], dict) else {}
    return {name: float(value[name]) for name in BOUNDS if value.get(name) is not None}


def _without(label: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    if not names or not own_bounds(label):
        return label
    return label | {"value": {name: value for name, value in label["value"].items() if name not in names}}


def columns() -> dict[str, Any]:
    """Return the columns of the view `timing_events` with their types.

    Returns
    -------
    dict of str to polars data type
    """
    import polars as pl

    kinds: dict[str, Any] = dict.fromkeys(("call_id", "label_id", "config_id", *FACTS), pl.String)
    kinds |= dict.fromkeys(SLICES, pl.Boolean) | {"author": pl.String, "label_count": pl.Int64}
    kinds |= {"disagree": pl.Boolean, "expect": pl.String, "onset_s": pl.Float64} | dict.fromkeys(
        ("status", "reason"), pl.String
    )
    kinds |= dict.fromkeys(("agent_talking", "did_yield", "awaits_yield"), pl.Boolean)
    kinds |= {"yield_observed_s": pl.Float64, "yield_censored": pl.Boolean, "agent_quiet_s": pl.Float64}
    kinds |= {"caller_quiet_s": pl.Float64, "talk_over_s": pl.Float64}
    kinds |= {"awaits_response": pl.Boolean, "response_gap_s": pl.Float64, "response_observed_s": pl.Float64}
    return kinds | {"response_censored": pl.Boolean, "decision_margin_s": pl.Float64, "boundary_sensitive": pl.Boolean}


def _event(
    row: Mapping[str, Any], label: Mapping[str, Any], facts: Mapping[str, Any], *, names: Collection[str]
) -> dict[str, Any]:
    heard = not label["disagree"] and (row["status"] in (PASS, FAIL) or row["reason"] in HEARD)
    found = {name: row[name] for name in names if name in row}
    found |= {
        "source_format": facts["source_format"],
        "agent_id": facts["agent_id"] or "not supplied",
        "agent_version": facts["agent_version"] or "not supplied",
        **{name: facts[name] for name in SLICES},
        "author": label["authors"],
        "label_count": label["label_count"],
        "disagree": label["disagree"],
        "expect": None if label["disagree"] else row["expect"],
        "onset_s": label["onset_s"] if row["onset_s"] is None else row["onset_s"],
        "awaits_yield": heard and row["expect"] == "yield" and bool(row["agent_talking"]),
        "awaits_response": heard and row["response_observed_s"] is not None,
    }
    if not bound_decides(row):
        found |= {"decision_margin_s": None, "boundary_sensitive": None}
    return found
