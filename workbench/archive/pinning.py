"""Pins a labelled moment: its clip, scored as a recording of its own, becomes a contract and a row of `contracts`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.archive import labelling, runs
from workbench.archive.deleted_meanwhile import require
from workbench.archive.lake import Reader, Writer, quote, read_once
from workbench.archive.layout import Layout
from workbench.archive.scoring import Evidence
from workbench.decimals import decimals
from workbench.errors import NotScorable, UsageError
from workbench.plural import plural
from workbench.timing.contracts.clipped import clipped, differences
from workbench.timing.contracts.placing import placed
from workbench.timing.score_config import MOST_S, ScoreConfig

if TYPE_CHECKING:
    import duckdb

    from workbench.timing.contracts.document import Contract
    from workbench.timing.contracts.making import Made


@dataclass(frozen=True)
class Pinned:
    """A contract that was written: its folder, its document, and what the whole call had given.

    `label_added`: the archive has got a new label with it. `recorded`: the archive has a row of the contract.
    """

    folder: Path
    contract: Contract
    label_id: str
    event: dict[str, Any]
    label_added: bool
    recorded: bool

    @property
    def differences(self) -> list[tuple[str, Any, Any]]:
        """What the clip gives otherwise than the whole call, as (name, call, clip)."""
        return differences(self.event, self.contract.measurement)


def pin(
    layout: Layout,
    call_id: str,
    *,
    author: str,
    label_id: str | None = None,
    expectation: dict[str, Any] | None = None,
    folder: str | Path = "contracts",
    pre_s: float = 2.0,
    post_s: float = 6.0,
    key: bytes | None = None,
    config: ScoreConfig | None = None,
) -> Pinned:
    """Make a contract of a labelled moment.

    Parameters
    ----------
    layout : Layout
        The archive.
    call_id : str
        The call.
    author : str
        Who judges, where the moment is labelled with this.
    label_id : str, optional
        A label that stands.
    expectation : dict, optional
        A label to give now, instead: `onset_s`, `expect`, and perhaps the bounds `max_time_to_yield_s` and
        `max_talk_over_s`.
    folder : path
        Where the contract's folder ``<id>.contract`` is made.
    pre_s, post_s : float
        Context before and after the moment, in seconds.
    key : bytes, optional
        Secret to sign with.
    config : ScoreConfig, optional
        How it is scored; the published method by default.

    Returns
    -------
    Pinned
        Label, row and folder are there; the same moment pinned again adds no row. Of an archive that cannot be
        written a label that stands is pinned all the same, without a row.

    Raises
    ------
    UsageError
        When the call or label is not there, or a value cannot be.
    NotScorable
        When the moment, or its clip, gives no verdict, or the two give different ones. Nothing is written.
    ExportFailed
        When the folder cannot be made. Nothing is kept of the contract then.
    ArchiveFailed
        When the recording is gone or was changed.
    """
    if (label_id is None) == (expectation is None):
        raise UsageError(
            "name the moment by one thing", where=call_id, hint="a label, or a time with what was expected"
        )
    if not (0 <= pre_s <= MOST_S and 0 < post_s <= MOST_S):
        raise UsageError(
            f"context of {decimals(pre_s)} s before and {decimals(post_s)} s after cannot be",
            hint="give seconds above 0, up to a day",
        )
    config = config or ScoreConfig()
    given = (
        None if expectation is None else labelling.checked_expectation(layout, call_id, author=author, **expectation)
    )

    def read(reader: Reader) -> tuple[Evidence, dict[str, Any], dict[str, Any], dict[str, dict[str, Any]]]:
        evidence = Evidence.read(reader)
        event, label = _scored(evidence, layout, call_id, label_id=label_id, given=given, config=config)
        return evidence, event, label, _recordings(reader, evidence.inputs[call_id])

    evidence, event, label, recordings = read_once(layout, read)
    made = _made(
        layout, event, label, recordings=recordings, evidence=evidence, pre_s=pre_s, post_s=post_s, config=config
    )
    return _kept(layout, made, event=event, label_id=label_id, given=given, folder=Path(folder), key=key)


def _scored(
    evidence: Evidence,
    layout: Layout,
    call_id: str,
    *,
    label_id: str | None,
    given: dict[str, Any] | None,
    config: ScoreConfig,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Score the moment on the whole call; refuse where that gives no verdict."""
    if given is not None:
        label = given | {"call_id": call_id, "label_id": "-"}
    else:
        found = [row for row in evidence.labels if (row["call_id"], row["label_id"]) == (call_id, label_id)]
        if not found:
            hint = layout.command("workbench sql \"from standing_labels where kind = 'expectation'\"")
            raise UsageError(
                f"no label {label_id!r} of kind expectation stands for this call", where=call_id, hint=hint
            )
        label = found[0]
    others = [row for row in evidence.labels if row["call_id"] == call_id and row is not label]
    *_, event = replace(evidence, labels=[*others, label]).scored(config, run_id="-")
    if event["status"] not in ("PASS", "FAIL"):
        from workbench.timing.events import REASONS

        facts = evidence.health.get(call_id) or {}
        raise NotScorable(
            f"the moment gives no verdict: {event['status']}, {event['reason']}",
            where=call_id,
            hint=REASONS.get(event["reason"]) or facts.get("next_step") or "choose another moment",
        )
    return event, label


def _recordings(reader: Reader, inputs: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The recordings that caller and agent are heard in."""
    found = {}
    for role in ("caller", "agent"):
        wanted = {"call": inputs["call_id"], "id": inputs[f"{role}_recording_id"]}
        names, rows = reader.rows("from recordings where call_id = $call and recording_id = $id", wanted)
        found[role] = dict(zip(names, rows[0], strict=True))
    return found


def _made(
    layout: Layout,
    event: dict[str, Any],
    label: dict[str, Any],
    *,
    recordings: dict[str, dict[str, Any]],
    evidence: Evidence,
    pre_s: float,
    post_s: float,
    config: ScoreConfig,
) -> Made:
    """Cut and measure the clip; refuse where its verdict is not that of the call."""
    sides = {role: _side(layout, row, role) for role, row in recordings.items()}
    return clipped(
        event,
        caller=sides["caller"],
        agent=sides["agent"],
        author=label["author"],
        authority=label["authority"],
        source_sha256=[row["recording_id"] for row in recordings.values()],
        pre_s=pre_s,
        post_s=post_s,
        score=config,
        measure=evidence.otherwise.get(event["call_id"], evidence.measured_with),
        engine=runs.workbench_version(),
        where=event["call_id"],
    )


def _side(layout: Layout, row: dict[str, Any], role: str) -> Any:
    from workbench.timing.contracts.clip import Side

    channels = [ix for ix, name in enumerate(row["channel_roles"]) if name == role]
    if len(channels) != 1:
        raise NotScorable(
            f"the {role} is on {plural(len(channels), 'channel')}, and a clip has one for each party",
            where=row["call_id"],
            hint=f"import a recording with one {role} channel",
        )
    raw = row["container"] == "raw"
    return Side(
        path=str(require(layout, row)),
        channel_ix=channels[0],
        offset_s=row["offset_s"],
        encoding=row["codec"] if raw else None,
        sample_rate_hz=row["sample_rate_hz"] if raw else None,
    )


def _kept(
    layout: Layout,
    made: Made,
    *,
    event: dict[str, Any],
    label_id: str | None,
    given: dict[str, Any] | None,
    folder: Path,
    key: bytes | None,
) -> Pinned:
    """Write label, row and folder: the transaction is committed with the folder ready to take its name."""
    from workbench.timing.contracts import members

    contract, call_id = made.contract, event["call_id"]
    target = folder / f"{contract.contract_id}{members.SUFFIX}"
    files = members.sealed(made.files, key=key)
    if label_id is not None and not layout.writable:
        with placed(target, files):
            return Pinned(target, contract, label_id, event, label_added=False, recorded=False)
    writer = Writer(layout)

    def work(con: duckdb.DuckDBPyConnection) -> tuple[str, bool]:
        if not con.execute(f"SELECT 1 FROM lake.calls WHERE call_id = {quote(call_id)}").fetchall():
            raise UsageError(f"the call {call_id!r} was deleted meanwhile", where=str(layout.root))
        labels = f"SELECT label_id FROM lake.labels WHERE call_id = {quote(call_id)}"
        there = {row[0] for row in con.execute(labels).fetchall()}
        named = label_id or labelling.add_within(con, writer, call_id=call_id, label=given or {})
        same = f"SELECT 1 FROM lake.contracts WHERE contract_id = {quote(contract.contract_id)}"
        if not con.execute(same).fetchall():
            run = runs.begin("pin", {"call_id": call_id, "label_id": named})
            document = made.files[members.DOCUMENT].decode()
            row = {"contract_id": contract.contract_id, "call_id": call_id, "label_id": named, "document": document}
            writer.add("contracts", [row | {"run_id": run["run_id"]}])
            writer.add("runs", [runs.end(run, {"contracts": 1})])
        return named, named not in there

    try:
        with placed(target, files):
            named, added = writer.transaction(work, message=f"pin {contract.contract_id}")
    finally:
        writer.close()
    return Pinned(target, contract, named, event, label_added=added, recorded=True)
