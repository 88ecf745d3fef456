"""`workbench show`: one call at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workbench.cli import interruptible, options, output

if TYPE_CHECKING:
    import polars as pl

    from workbench.archive.archive import Archive
    from workbench.schema.call import Call, Turn


@options.command("show")
@click.argument("call_id")
@options.archive
@options.as_of
@options.as_json
def command(call_id: str, archive_path: str, *, as_of: int | None, as_json: bool) -> None:
    """Print a call: its turns with said and heard, its tool calls, what was found."""
    from workbench.archive.archive import Archive

    with Archive(archive_path, as_of=as_of) as archive:
        call, found = interruptible.run(archive.reader, lambda: _read(archive, call_id))
    if as_json:
        output.json_line({"call": call, "findings": found.to_dicts()})
        return
    click.echo(output.safe(_head(call)))
    if call.turns:
        click.echo()
        output.table(["turn", "start_s", "end_s", "who", "said", "heard"], _turns(call))
    for tool in call.tool_calls or []:
        at = f" in turn {tool.turn_ix}" if tool.turn_ix is not None else ""
        click.echo(output.safe(f"tool{at}: {tool.name}({tool.arguments}) -> {tool.error or tool.result}"))
    click.echo()
    if found.height:
        output.table(found.columns, found.rows())
    else:
        click.echo("no findings in the newest assertion run")


def _read(archive: Archive, call_id: str) -> tuple[Call, pl.DataFrame]:
    query = "from findings where call_id = $id order by start_s, assertion_id, result_ix"
    columns = "severity, assertion_id, turn_ix, start_s, message"
    return archive.call(call_id), archive.sql(f"select {columns} {query}", {"id": call_id})


def _head(call: Call) -> str:
    length = f"{call.duration_s:.1f} s" if call.duration_s is not None else "no clock"
    audio = f"{output.plural(len(call.audio), 'recording')}" if call.audio else "no audio"
    outcome = f", outcome {call.outcome!r}" if call.outcome else ""
    return f"{call.id}: {call.source_format}, {call.origin}, {length}, {audio}{outcome}"


def _turns(call: Call) -> list[tuple[object, ...]]:
    return [
        (ix, turn.start_s, turn.end_s, turn.role, turn.truth or turn.text, _differs(turn))
        for ix, turn in enumerate(call.turns or [])
    ]


def _differs(turn: Turn) -> str | None:
    """Return what was heard where it is not what was said."""
    return turn.heard if turn.heard != (turn.truth or turn.text) else None
