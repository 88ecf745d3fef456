"""What `workbench compare` prints: a pair of files, two groups of calls, two scoring configs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from workbench.cli import output
from workbench.cli.score import until_yield
from workbench.decimals import percent

if TYPE_CHECKING:
    from workbench.timing.contracts.battery import Axis, Battery, Twin
    from workbench.timing.contracts.comparing import Pair
    from workbench.timing.contracts.freshness import Freshness
    from workbench.timing.contracts.gate import Rule
    from workbench.timing.contracts.pooled import Spread
    from workbench.timing.contracts.rulers import Reading, Rulers

COLUMNS = ["result", "moment", "verdict", "yield s, change", "talk-over s, change"]


def pair(found: Pair, claim: str) -> None:
    """Print two files of one moment, and the sentence that says how far the comparison reaches."""
    click.echo(f"{found.result}: {found.before['status']} -> {found.after['status']}")
    rows: list[tuple[Any, ...]] = [
        (name, _shown(name, found.before), _shown(name, found.after), "" if change is None else f"{change:+g}")
        for name, change in found.changes.items()
    ]
    rows = [
        ("did_yield", *("yes" if event["did_yield"] else "no" for event in (found.before, found.after)), ""),
        *rows,
    ]
    if found.before["reason"] or found.after["reason"]:
        rows.append(("reason", found.before["reason"], found.after["reason"], ""))
    output.table(["", "before", "after", "change"], rows)
    onsets = [
        f"{event['onset_s']:g} s in the file {side}"
        for side, event in (("before", found.before), ("after", found.after))
        if event["onset_source"] == "detected"
    ]
    if onsets:
        click.echo(
            "no --onset: the worst barge-in that autopsy lists, or without one the caller's first speech, was taken "
            f"for the moment, at {' and '.join(onsets)}"
        )
    click.echo(_freshness(found.freshness))
    click.echo(claim)


def _shown(name: str, event: dict[str, Any]) -> str:
    if name == "time_to_yield_s":
        return until_yield(event) or ""
    return "" if event[name] is None else f"{event[name]:g}"


def _freshness(found: Freshness) -> str:
    words = {
        "same_pcm": "the two recordings hold the same samples",
        "same_envelope": "the two recordings are one, resampled, encoded anew or at another level",
        "different": "the two recordings are different sound",
        "unknown": "too little to tell whether the two recordings are different sound",
    }
    exchanged = ", channels exchanged" if found.exchanged else ""
    how = "" if found.correlation is None else f" (correlation of their levels {found.correlation:.2f})"
    return words[found.state] + exchanged + how


def battery(found: Battery, judged: list[Rule]) -> None:
    """Print two groups of calls, and what became of the rules of a policy."""
    from workbench.timing.contracts.gate import named

    recordings = [
        pair.freshness.state + (", channels exchanged" if pair.freshness.exchanged else "") for pair in found.pairs
    ]
    rows = [(*_of(pair), state) for pair, state in zip(found.pairs, recordings, strict=True)]
    output.table([*COLUMNS, "recordings"], rows)
    click.echo(", ".join(f"{count} {result}" for result, count in found.counts.items() if count) or "no pairs")
    click.echo(f"failed before, pass now: {_axis(found.regression_axis)}")
    click.echo(f"passed before, still pass: {_axis(found.hold_axis)}")
    _pooled(found)
    if found.p_exact is not None:
        click.echo(f"exact McNemar p {found.p_exact:.2g}")
    _left_out(found)
    if found.missing:
        click.echo(output.safe(f"judged before, without a partner after: {named(found.missing)}"))
    for rule in judged:
        change = "" if rule.before is None else f"{rule.before:g} -> "
        seen = "not measured" if rule.after is None else f"{change}{rule.after:g}"
        if rule.holds is None:
            click.echo(f"withheld: {rule.name} {rule.wanted}")
        else:
            click.echo(f"{'holds' if rule.holds else 'BROKEN'}: {rule.name} {rule.wanted} ({seen})")
    click.echo(found.claim or "no claim: " + "; ".join(found.withheld))


def _of(pair: Twin | Reading) -> tuple[str, str, str, float | None, float | None]:
    """A pair of moments, as COLUMNS."""
    verdicts = f"{pair.before['status']} -> {pair.after['status']}"
    return pair.result, pair.key, verdicts, pair.changes["time_to_yield_s"], pair.changes["talk_over_s"]


def rulers(found: Rulers, names: tuple[str, str]) -> None:
    """Print what two scoring configs make of the same moments."""
    output.table(COLUMNS, [_of(pair) for pair in found.pairs])
    click.echo(output.safe(f"two rulers: {names[0]} -> {names[1]}"))
    click.echo(", ".join(f"{count} {result}" for result, count in found.counts.items() if count))
    _pooled(found)
    _left_out(found)


def _pooled(found: Battery | Rulers) -> None:
    for name, before in found.pooled_before.items():
        click.echo(f"{name}: {_spread(name, before)} -> {_spread(name, found.pooled_after[name])}")


def _left_out(found: Battery | Rulers) -> None:
    without = (found.unpaired_before, found.unpaired_after, found.ambiguous)
    click.echo("left out: {} before and {} after without a partner, {} named more than once".format(*without))


def _spread(name: str, spread: Spread) -> str:
    if spread.median is None:
        return "not measured"
    missing = "an answer" if name == "response_gap_s" else "a yield"
    bound = f", {spread.censored} without {missing}" if spread.censored else ""
    return f"median {spread.median:g}, p95 {spread.p95:g} ({output.plural(spread.events, 'moment')}{bound})"


def _axis(axis: Axis) -> str:
    if axis.interval is None:
        return "0 of 0"
    low, high = axis.interval
    return f"{axis.count} of {axis.of} ({percent(low)} to {percent(high)} %, Wilson 95 %)"
