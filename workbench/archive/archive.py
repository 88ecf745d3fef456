"""The archive as Python sees it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from workbench.archive import failures
from workbench.archive.creating import create
from workbench.archive.lake import Reader
from workbench.archive.layout import Layout
from workbench.errors import UsageError
from workbench.schema.call import Call, Refusal

if TYPE_CHECKING:
    import polars as pl

    from workbench.archive.import_commit import ImportReport
    from workbench.archive.label_files import Labelled
    from workbench.archive.measuring import MeasureReport
    from workbench.archive.media import Storage
    from workbench.archive.scoring import Scoring
    from workbench.audio.config import MeasureConfig
    from workbench.timing.score_config import ScoreConfig


class Archive:
    """An archive of calls: SQL over it, its tables as frames, its calls as objects.

    Parameters
    ----------
    path : str or pathlib.Path
        Folder of an existing archive.
    as_of : int, optional
        Snapshot to read instead of the newest.

    Raises
    ------
    ArchiveFailed
        When the folder is not an archive.

    Examples
    --------
    >>> import workbench
    >>> archive = workbench.open("archive")  # doctest: +SKIP
    >>> archive.sql("from call_overview")  # doctest: +SKIP
    """

    def __init__(self, path: str | Path = "archive", *, as_of: int | None = None) -> None:
        self.layout = Layout(Path(path).absolute())
        self.layout.require()
        self._as_of = as_of
        self._reader: Reader | None = None

    @classmethod
    def create(cls, path: str | Path) -> Archive:
        """Make an empty archive in a new or empty folder, and open it."""
        create(Layout(Path(path).absolute()))
        return cls(path)

    @property
    def reader(self) -> Reader:
        """The fenced read-only connection, opened at first use."""
        if self._reader is None:
            self._reader = Reader(self.layout, as_of=self._as_of)
        return self._reader

    @property
    def path(self) -> Path:
        """Folder of the archive."""
        return self.layout.root

    @property
    def snapshot(self) -> int:
        """Number of the snapshot that is read."""
        return self.reader.snapshot

    def sql(self, query: str, params: Mapping[str, Any] | None = None) -> pl.DataFrame:
        """Run one SELECT over the tables and views.

        Parameters
        ----------
        query : str
            DuckDB SQL with `$name` parameters. Values never go into the text.
        params : mapping, optional
            Values by parameter name.

        Returns
        -------
        polars.DataFrame
            All rows; an empty frame with the right columns when there are none.

        Raises
        ------
        QueryRefused
            When the query is not one SELECT, does not parse, or reaches outside the archive.
        """
        self.reader.check_select(query)
        return self.reader.frame(query, params)

    def table(self, name: str) -> pl.LazyFrame:
        """Return a table or view as a lazy frame.

        Parameters
        ----------
        name : str
            A table of the schema or a view of `sql/views`.

        Raises
        ------
        UsageError
            When there is no such table or view.
        """
        from workbench.archive import views
        from workbench.schema import tables

        known = {*tables(), *(view.name for view in views.catalogue())}
        if name not in known:
            raise UsageError(f"no table or view {name!r}", hint=f"one of: {', '.join(sorted(known))}")
        return self.reader.frame(f'from "{name}"').lazy()

    def call(self, call_id: str) -> Call:
        """Return a call with everything that was imported of it.

        Raises
        ------
        UsageError
            When the archive has no such call.
        """
        from workbench.archive.rows import call_of

        tables = ("calls", "turns", "words", "tool_calls", "spans", "stage_timings", "state_rows", "labels")
        rows = {name: self._rows_of(name, call_id) for name in tables}
        if not rows["calls"]:
            hint = self.layout.command("workbench sql 'from call_overview'")
            raise UsageError(f"no call {call_id!r}", where=str(self.path), hint=hint)
        rows["recordings"] = self._rows_of("recordings", call_id)
        for recording in rows["recordings"]:
            recording["path"] = str(self.layout.media_path(recording["uri"]))
        wanted = {"sha256": rows["calls"][0]["scenario_sha256"], "id": rows["calls"][0]["scenario_id"]}
        names, found = self.reader.rows(
            "from scenarios where scenario_id = $id and definition_sha256 = $sha256", wanted
        )
        rows["scenarios"] = [dict(zip(names, row, strict=True)) for row in found]
        return call_of(rows)

    def _rows_of(self, table: str, call_id: str) -> list[dict[str, Any]]:
        from workbench.schema import tables

        order = ", ".join(tables()[table].primary_key())
        names, rows = self.reader.rows(f"from {table} where call_id = $id order by {order}", {"id": call_id})
        return [dict(zip(names, row, strict=True)) for row in rows]

    def history(self) -> list[dict[str, Any]]:
        """Return every snapshot, oldest first: number, time, run, and what changed."""
        query = "select snapshot_id, snapshot_time, commit_message, changes from lake.snapshots() order by 1"
        names, rows = self.reader.rows(query)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def add(self, items: Iterable[Call | Refusal], *, storage: Storage = "copy", **options: Any) -> ImportReport:
        """Add calls in one transaction; see :func:`workbench.archive.importing.add`."""
        from workbench.archive.importing import add

        report = add(self.layout, items, storage=storage, **options)
        self.refresh()
        return report

    def measure(self, *, config: MeasureConfig | None = None, **options: Any) -> MeasureReport:
        """Measure new recordings and score labels; see :func:`workbench.archive.measuring.measure`."""
        from workbench.archive.measuring import measure

        report = measure(self.layout, config=config, **options)
        self.refresh()
        if report.labelled:
            command = self.layout.command("workbench score")
            with failures.kept(self.path, "what was measured is kept, the labels are not scored anew", hint=command):
                self.score()
        return report

    def label(self, call_id: str, *, onset_s: float, expect: str, author: str, **more: Any) -> str:
        """Say what the agent should have done at a moment; see :func:`workbench.archive.labelling.expectation`."""
        from workbench.archive.labelling import expectation

        label_id = expectation(self.layout, call_id, onset_s=onset_s, expect=expect, author=author, **more)
        self.refresh()
        return label_id

    def label_many(self, rows: Iterable[Mapping[str, Any]], *, author: str) -> Labelled:
        """Label many moments in one transaction; see :func:`workbench.archive.label_files.label_many`."""
        from workbench.archive.label_files import label_many

        labelled = label_many(self.layout, rows, author=author)
        self.refresh()
        return labelled

    def score(self, *, config: ScoreConfig | None = None) -> Scoring:
        """Score the standing labels; see :func:`workbench.archive.scoring.score`."""
        from workbench.archive.scoring import score

        scoring = score(self.layout, config=config)
        self.refresh()
        return scoring

    def score_calls(self, call_ids: Collection[str]) -> Scoring:
        """Score the labels of some calls anew; see :func:`workbench.archive.scoring.score_calls`."""
        from workbench.archive.scoring import score_calls

        scoring = score_calls(self.layout, call_ids)
        self.refresh()
        return scoring

    def refresh(self) -> None:
        """Forget the connection, so that the next query sees what was written since."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def close(self) -> None:
        """Close the connection."""
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
