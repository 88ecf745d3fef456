"""Human judgements into the archive: each adds a row, and none is ever changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.archive import runs
from workbench.archive.lake import Writer, read_once
from workbench.archive.layout import Layout
from workbench.archive.pairs import others
from workbench.archive.rows import digest, json_text
from workbench.decimals import decimals
from workbench.errors import UsageError
from workbench.timing.score_config import MOST_S
from workbench.timing.stated_roles import PARTIES

if TYPE_CHECKING:
    import duckdb

AUTHORITY = "human"


def expectation(layout: Layout, call_id: str, *, author: str, **said: Any) -> str:
    """Say what the agent should have done at a moment of a call.

    Parameters
    ----------
    layout : Layout
        The archive.
    call_id : str
        The call.
    author : str
        Who judges.
    **said
        The moment and what was expected, as :func:`checked_expectation` takes it.

    Returns
    -------
    str
        The label's id. A label that stands already is not added again.

    Raises
    ------
    UsageError
        As :func:`checked_expectation`.
    """
    return _add(layout, call_id, checked_expectation(layout, call_id, author=author, **said))


def checked_expectation(layout: Layout, call_id: str, *, author: str, **said: Any) -> dict[str, Any]:
    """Return the label that :func:`expectation` adds, as :func:`add_within` takes it; nothing is written.

    Parameters
    ----------
    layout, call_id, author
        As for :func:`expectation`.
    **said
        The moment and what was expected, as :func:`expectation_of` takes it.

    Returns
    -------
    dict
        The label's columns but for its id and time.

    Raises
    ------
    UsageError
        When the call is not there, or as :func:`expectation_of`.
    """
    return expectation_of(call_id, _call(layout, call_id)["duration_s"], author=author, **said)


def expectation_of(
    call_id: str,
    duration_s: float | None,
    *,
    onset_s: float,
    expect: str,
    author: str,
    max_time_to_yield_s: float | None = None,
    max_talk_over_s: float | None = None,
    note: str | None = None,
) -> dict[str, Any]:
    """Return the label that says what the agent should have done at a moment of a call.

    Parameters
    ----------
    call_id : str
        The call.
    duration_s : float or None
        How long it lasts; None where that is not known.
    onset_s : float
        When the caller begins, in seconds on the call's clock.
    expect : {'yield', 'hold'}
        Stop for the caller, or go on speaking.
    author : str
        Who judges.
    max_time_to_yield_s, max_talk_over_s : float, optional
        Bounds of this moment, in seconds.
    note : str, optional
        Anything worth keeping.

    Returns
    -------
    dict
        The label's columns but for its call, its id and its time.

    Raises
    ------
    UsageError
        When the moment lies outside the call, a value cannot be, or nobody is named.
    """
    if expect not in ("yield", "hold"):
        raise UsageError(f"expect is {expect!r}", hint="yield (the agent should stop) or hold (it should go on)")
    value = {"max_time_to_yield_s": max_time_to_yield_s, "max_talk_over_s": max_talk_over_s, "note": note}
    for name in ("max_time_to_yield_s", "max_talk_over_s"):
        bound = value[name]
        if isinstance(bound, (int, float)) and not 0 <= bound <= MOST_S:
            raise UsageError(f"{name} is {decimals(bound)}", hint=f"give seconds, 0 to {decimals(MOST_S)}")
    if not 0 <= onset_s < math.inf or (duration_s is not None and onset_s >= duration_s):
        raise UsageError(
            f"the moment {decimals(onset_s)} s lies outside the call"
            + (f", which lasts {decimals(duration_s)} s" if duration_s else ""),
            where=call_id,
            hint="give seconds from the start of the call",
        )
    kept = {name: _without_sign(found) for name, found in value.items() if found is not None}
    return _label(
        {"kind": "expectation", "onset_s": onset_s + 0.0, "expect": expect, "value": kept or None}, author=author
    )


def _without_sign(value: float | str) -> float | str:
    """-0 as 0, which says the same."""
    return value + 0.0 if isinstance(value, float) else value


def channel_map(layout: Layout, call_id: str, roles: tuple[str, ...], *, author: str) -> str:
    """Confirm which channel of a call's recording is whose.

    Parameters
    ----------
    layout, call_id, author
        As for :func:`expectation`.
    roles : tuple of str
        The roles of the channels, in order, as the archive has them; of two files of a party each caller and agent.

    Returns
    -------
    str
        The label's id. It names the recordings that were there, and says nothing of others that come in their place.

    Raises
    ------
    UsageError
        When no recording of the call has these roles: its channels must be imported anew then.
    """
    _call(layout, call_id)
    query = "from recordings where call_id = $id"
    names, rows = read_once(layout, lambda reader: reader.rows(query, {"id": call_id}))
    recordings = [dict(zip(names, row, strict=True)) for row in rows]
    pair = others(recordings)
    said = {row["recording_id"]: tuple(row["channel_roles"]) for row in recordings}
    said |= dict.fromkeys((recording_id for _, recording_id in pair), PARTIES)
    meant = sorted(recording_id for recording_id, own in said.items() if own == roles)
    if not meant:
        told = " or ".join(dict.fromkeys(",".join(own) for own in said.values())) or "no recording"
        raise UsageError(
            f"the archive has {told} for this call, not {','.join(roles)}",
            where=call_id,
            hint=_other_roles(layout, call_id, roles, recordings=recordings),
        )
    value = {"roles": list(roles), "recording_ids": meant}
    return _add(layout, call_id, _label({"kind": "channel_map", "value": value}, author=author))


def _other_roles(layout: Layout, call_id: str, roles: tuple[str, ...], *, recordings: Sequence[dict[str, Any]]) -> str:
    """What to do about roles that the archive does not have; of each recording roles, who says so, and its place."""
    from workbench.timing.channels_hint import channels_hint
    from workbench.timing.measuring import ROLES
    from workbench.timing.stated_roles import contradicts, remedy

    counts = [len(recording["channel_roles"]) for recording in recordings]
    if not counts:
        return "import the call's audio first: a map speaks of the channels of a recording"
    if any(role not in ROLES for role in roles):
        return channels_hint(max(counts))
    pair = len(counts) > 1 and set(counts) == {1}
    for recording in recordings:
        stated, said_by, uri = (recording[name] for name in ("channel_roles", "channel_map_source", "uri"))
        if said_by in ("declared", "sidecar", "format", "name") and (pair or contradicts(stated, roles)):
            source_format, source_uri = _source(layout, call_id)
            place = source_uri if said_by == "sidecar" and source_uri else uri
            name, document = Path(place).name, Path(source_uri or uri).name
            sidecar = f"the sidecar of {name}" if pair else f"{Path(name).stem}.json beside it"
            return remedy(name, said_by, document=document, source_format=source_format or "", sidecar=sidecar)
    if len(roles) not in counts:
        return channels_hint(max(counts))
    return f"to change them, import it anew: workbench import FILE --replace --channels {','.join(roles)}"


def _source(layout: Layout, call_id: str) -> tuple[str | None, str | None]:
    """The format a call was read from, and the file."""
    query = "select source_format, source_uri from calls where call_id = $id"
    _, rows = read_once(layout, lambda reader: reader.rows(query, {"id": call_id}))
    return rows[0][0], rows[0][1]


def retract(layout: Layout, call_id: str, label_id: str, *, author: str) -> str:
    """Take a label back: it stays in `labels`, and no longer stands.

    Parameters
    ----------
    layout, call_id, author
        As for :func:`expectation`.
    label_id : str
        The label.

    Returns
    -------
    str
        The id of the retraction.

    Raises
    ------
    UsageError
        When no such label stands.
    """
    if label_id not in {row["label_id"] for row in _standing(layout, call_id)}:
        hint = layout.command("workbench sql \"from standing_labels where kind = 'expectation'\"")
        raise UsageError(f"no label {label_id!r} stands for this call", where=call_id, hint=hint)
    return _add(layout, call_id, _label({"kind": "retraction", "value": {"label_id": label_id}}, author=author))


def _call(layout: Layout, call_id: str) -> dict[str, Any]:
    query = "select call_id, duration_s from calls where call_id = $id"
    names, rows = read_once(layout, lambda reader: reader.rows(query, {"id": call_id}))
    if not rows:
        hint = layout.command("workbench sql 'from call_overview'")
        raise UsageError(f"no call {call_id!r}", where=str(layout.root), hint=hint)
    return dict(zip(names, rows[0], strict=True))


def _standing(layout: Layout, call_id: str) -> list[dict[str, Any]]:
    query = "from standing_labels where call_id = $id"
    names, rows = read_once(layout, lambda reader: reader.rows(query, {"id": call_id}))
    return [dict(zip(names, row, strict=True)) for row in rows]


def _label(label: dict[str, Any], *, author: str) -> dict[str, Any]:
    if not author.strip():
        raise UsageError("a label needs an author", hint="give --author NAME")
    return {"onset_s": None, "end_s": None, "expect": None, **label, "author": author, "authority": AUTHORITY}


def _add(layout: Layout, call_id: str, label: dict[str, Any]) -> str:
    writer = Writer(layout)

    def work(con: duckdb.DuckDBPyConnection) -> str:
        from workbench.archive.lake import quote

        if not con.execute(f"SELECT 1 FROM lake.calls WHERE call_id = {quote(call_id)}").fetchall():
            raise UsageError(f"the call {call_id!r} was deleted meanwhile", where=str(layout.root))
        return add_within(con, writer, call_id=call_id, label=label)

    try:
        return writer.transaction(work, message=f"label {call_id}")
    finally:
        writer.close()


def add_within(con: duckdb.DuckDBPyConnection, writer: Writer, *, call_id: str, label: dict[str, Any]) -> str:
    """Add a label inside a running transaction unless the same one stands; one taken back may be given again.

    Returns
    -------
    str
        The id of the label that stands.
    """
    from workbench.archive.lake import quote

    query = f"SELECT label_id, kind, value FROM lake.labels WHERE call_id = {quote(call_id)}"
    run = runs.begin("label", {"call_id": call_id, "kind": label["kind"]})
    row, new = placed(label, con.execute(query).fetchall(), call_id=call_id)
    if new:
        writer.add("labels", [row])
        writer.add("runs", [runs.end(run, {"labels": 1})])
    return str(row["label_id"])


def placed(label: dict[str, Any], there: list[tuple[Any, ...]], *, call_id: str) -> tuple[dict[str, Any], bool]:
    """Return a label as a row of `labels`, and whether it is new.

    Parameters
    ----------
    label : dict
        From :func:`expectation_of`, or alike.
    there : list of tuple
        `label_id`, `kind` and `value` of all labels of the call.
    call_id : str
        The call.

    Returns
    -------
    tuple of dict and bool
        A label that stands already keeps its id; one that was taken back gets another.
    """
    content = digest(label)
    back = [str(value) for _, kind, value in there if kind == "retraction"]
    same = [label_id for label_id, *_ in there if label_id.endswith(content)]
    standing = [label_id for label_id in same if not any(f'"{label_id}"' in value for value in back)]
    label_id = standing[0] if standing else f"{len(there)}-{content}"
    value = None if label["value"] is None else json_text(label["value"])
    row = label | {"call_id": call_id, "label_id": label_id, "value": value, "recorded_at": datetime.now(UTC)}
    return row, not standing
