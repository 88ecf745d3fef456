"""`workbench show`: one call at a glance."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import interruptible, options, output
from workbench.decimals import decimals

if TYPE_CHECKING:
    import polars as pl

    from workbench.archive.archive import Archive
    from workbench.schema.call import Call, ToolCall, Turn

IMPORTED = "select runs.ended_at as at from calls join runs using (run_id) where call_id = $id and ended_at is not null"
HEALTH = "recording_id, recommendation, verdict_eligible, reason, next_step from input_health"
CHECKED = "select started_at, config from runs semi join (from latest_runs where kind = 'assert') using (run_id)"


@options.command("show")
@click.argument("call_id")
@options.archive
@options.as_of
@options.as_json
def command(call_id: str, archive_path: str, *, as_of: int | None, as_json: bool) -> None:
    """Print a call: its turns with said and heard, its tool calls, what was found.

    \b
    Example:
      workbench show dealer-1482
    """
    from workbench.archive.archive import Archive

    with Archive(archive_path, as_of=as_of) as archive:
        call, found, checks, heard, health = interruptible.run(lambda: _read(archive, call_id))
        judged = _judged(checks, archive)
        older = _older(archive, call_id) if checks else None
    if as_json:
        told = {"call": call, "findings": found.to_dicts(), "checks": checks, "heard": heard, "input_health": health}
        output.json_line(told | {"checks_older_than_import": older is not None})
        return
    click.echo(output.safe(_head(call)))
    if call.turns:
        click.echo()
        output.table(["turn", "start_s", "end_s", "who", "said", "heard"], _turns(call))
    for tool in call.tool_calls or []:
        click.echo(output.safe(_tool(tool)))
    click.echo()
    if found.height:
        output.table(found.columns, found.rows())
        click.echo()
    for line in _input(health):
        click.echo(output.safe(line))
    if heard["run_count"]:
        click.echo(_heard(heard))
    click.echo(output.safe(judged))
    if older:
        click.echo(output.safe(older))


def _tool(tool: ToolCall) -> str:
    """Return a tool call with its time, and the turn it was made in, as its source says; JSON as it was sent."""
    turn = "" if tool.turn_ix is None else f" of turn {tool.turn_ix}"
    at = "" if tool.start_s is None else f" at {decimals(tool.start_s)} s"
    came = tool.error if tool.error is not None else _json(tool.result)
    return f"tool{at}{turn}: {tool.name}({_json(tool.arguments)}) -> {came}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read(
    archive: Archive, call_id: str
) -> tuple[Call, pl.DataFrame, dict[str, list[str]], dict[str, int], list[dict[str, Any]]]:
    """Return a call, findings and checks by status of the newest assertion run, what is heard, and input health."""
    query = "from findings where call_id = $id order by start_s, assertion_id, result_ix"
    columns = "severity, assertion_id, turn_ix, start_s, message"
    newest = "from call_verdicts semi join latest_runs using (run_id)"
    statuses = f"{newest} select status, assertion_id where call_id = $id order by all"
    checks: dict[str, list[str]] = {}
    for status, assertion_id in archive.sql(statuses, {"id": call_id}).iter_rows():
        checks.setdefault(status, []).append(assertion_id)
    faint = "select count(*), count(*) filter (where faint) from segments where call_id = $id and backend = 'energy'"
    apart = "select count(*) - count(aside), count(aside) from incidents where call_id = $id"
    counts = (*archive.sql(faint, {"id": call_id}).row(0), *archive.sql(apart, {"id": call_id}).row(0))
    heard = dict(zip(("run_count", "faint_count", "incident_count", "aside_count"), counts, strict=True))
    found = archive.sql(f"select {columns} {query}", {"id": call_id})
    return archive.call(call_id), found, checks, heard, _health(archive, call_id)


def _health(archive: Archive, call_id: str) -> list[dict[str, Any]]:
    """Return the input health of a call's recordings; a suspected swap that a label has settled is no obstacle."""
    rows = archive.sql(f"select {HEALTH} where call_id = $id order by all", {"id": call_id}).to_dicts()
    doubted = set(
        archive.sql("select recording_id from suspected_swaps where call_id = $id", {"id": call_id})["recording_id"]
    )
    return [
        row | {"verdict_eligible": True, "next_step": None}
        if row["reason"] == "possible_swap" and row["recording_id"] not in doubted
        else row
        for row in rows
    ]


def _input(health: list[dict[str, Any]]) -> list[str]:
    """Say what stands against the recordings of a call, and what would mend it; nothing where they are all sound."""
    from workbench.analysis.incidents_health import plain_reason

    told = [
        f"input: {row['recommendation']}, {plain_reason(row['reason'])} ({row['reason']})"
        f"{'' if row['verdict_eligible'] else '; no verdict on timing rests on it'}; "
        + (f"next: {row['next_step']}" if row["next_step"] else "a label confirms the channel map")
        for row in health
        if row["reason"]
    ]
    return list(dict.fromkeys(told))


def _heard(heard: dict[str, int]) -> str:
    """Say how many runs of speech there are, and how many are too faint to be read as speech."""
    faint = f", {heard['faint_count']:,} of them faint (breath, clicks, bleed) and left out by the checks"
    apart = f", {heard['aside_count']:,} apart" if heard["aside_count"] else ""
    runs = output.plural(heard["run_count"], "run")
    incidents = output.plural(heard["incident_count"], "incident")
    return f"heard: {runs} of speech{faint if heard['faint_count'] else ''}; {incidents} of timing{apart}"


_TOLD = {
    "FAIL": "failed",
    "PASS": "passed",
    "INCONCLUSIVE": "not judged, evidence is missing",
    "NOT_SCORABLE": "not judged, the input is unusable",
    "ERROR": "not judged, the check broke",
    "SKIPPED": "nothing to judge",
}


def _judged(checks: dict[str, list[str]], archive: Archive) -> str:
    """Return how each check ended; a call that nothing judged is never told as one without findings."""
    if not checks:
        return f"not checked yet: {archive.layout.command('workbench assert --pack caller-experience')}"
    return "\n".join(f"{words}: {', '.join(checks[status])}" for status, words in _TOLD.items() if status in checks)


def _older(archive: Archive, call_id: str) -> str | None:
    """Say that the checks judged an earlier import of the call; None where they judged this one."""
    imported = archive.sql(IMPORTED, {"id": call_id})["at"].to_list()
    checked = archive.sql(CHECKED).to_dicts()
    if not checked or not imported or imported[0] <= checked[0]["started_at"]:
        return None
    pack = json.loads(checked[0]["config"] or "{}").get("pack")
    anew = archive.layout.command("workbench assert")
    return (
        "note: these checks and findings are older than the import of this call, and judged what was there before; "
        f"judge it anew with the pack {pack}: {anew} --pack NAME (or FILE)"
    )


def _head(call: Call) -> str:
    length = f"{call.duration_s:.1f} s" if call.duration_s is not None else "no clock"
    audio = f"{output.plural(len(call.audio), 'recording')}" if call.audio else "no audio"
    outcome = f", outcome {call.outcome!r}" if call.outcome else ""
    return f"{call.id}: from {call.source_format}, origin {call.origin}, {length}, {audio}{outcome}"


def _turns(call: Call) -> list[tuple[object, ...]]:
    return [
        (ix, turn.start_s, turn.end_s, turn.role, turn.truth or turn.text, _differs(turn))
        for ix, turn in enumerate(call.turns or [])
    ]


def _differs(turn: Turn) -> str | None:
    """Return what was heard where it is not what was said."""
    return turn.heard if turn.heard != (turn.truth or turn.text) else None
