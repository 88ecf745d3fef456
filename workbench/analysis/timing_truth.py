"""How right the timing is: labelled speech of folders and rendered calls against each detector, source by source."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.analysis.timing_truth_calls import Item, known_calls, rendered_calls
from workbench.audio.config import MeasureConfig
from workbench.errors import NotScorable
from workbench.plural import plural
from workbench.timing.truth import SIGNALS, compare
from workbench.timing.truth_errors import Distribution, distribution
from workbench.timing.truth_rendered import CONDITIONS

if TYPE_CHECKING:
    import polars as pl

BUNDLED = ("ami-floor-exchange", "harper-valley-bank")
ENERGY = "energy"
WITHOUT_FAINT = "energy, faint left out"
"""The same runs as views of turn-taking (`turn_gaps`) and checks read them; the scores count faint ones too."""

ELSEWHERE = "not in the archive"
"""The group of a call that the archive has not, which says how calls sounded."""
_NAMED = 3


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """One detector on one source; the energy method twice, with and without faint runs. `errors` holds every error."""

    source: str
    truth: str
    backend: str
    config_id: str
    calls: int
    signals: dict[str, Distribution]
    cells: dict[str, int]
    false_starts: int
    errors: list[dict[str, Any]]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All sources, each apart; `left_out` names calls without a truth, with the reason."""

    findings: list[Findings]
    left_out: list[dict[str, str]]


def benchmark(
    folders: Sequence[str | Path] = (),
    *,
    backends: Sequence[str] = (),
    render: int = 12,
    groups: Mapping[str, str] | None = None,
    on_source: Callable[[str], None] | None = None,
) -> Report:
    """Compare what each detector measures with what is known.

    Parameters
    ----------
    folders : sequence of path
        Calls with sound in two channels, and labels of kind ``speech`` or a transcript with times; the bundled
        calls by default. Each name of a folder is a source: folders of one name are one.
    backends : sequence of {'silero', 'refined'}
        Beside the energy method, which always takes part.
    render : int
        Calls to render for every condition; 0 for none.
    groups : mapping of str to str, optional
        Group of each call by its id, from :func:`workbench.analysis.robustness_shares.groups_of`: each group of a
        folder is told apart, and calls without one are told as such. Rendered calls are not parted.
    on_source : callable, optional
        Told the name of each source as it begins.

    Returns
    -------
    Report

    Raises
    ------
    UsageError
        When a folder holds no call.
    NotScorable
        When no call of any folder can be compared, with the reasons. Nothing is rendered then.
    MissingExtra
        When a backend needs the extra ``vad``.
    """
    from workbench.assets import folder
    from workbench.audio.neural_tracks import check

    wanted = check(backends)
    places = [Path(place) for place in folders] or [folder("data") / "calls" / name for name in BUNDLED]
    report = Report(findings=[], left_out=[])
    for name in dict.fromkeys(place.name for place in places):
        if on_source:
            on_source(name)
        items: list[Item] = []
        for place in places:
            if place.name == name:
                some, left_out = known_calls(place)
                items.extend(some)
                report.left_out.extend(left_out)
        for source, own in _parted(name, items, groups):
            report.findings.extend(_compared(source, own, wanted))
    if not report.findings:
        raise _nothing_known(report.left_out, where=", ".join(str(place) for place in places))
    for condition in CONDITIONS if render else ():
        if on_source:
            on_source(f"rendered: {condition}")
        with tempfile.TemporaryDirectory(prefix="workbench-rendered-") as scratch:
            items = rendered_calls(condition, count=render, folder=Path(scratch))
            report.findings.extend(_compared(f"rendered: {condition}", items, wanted))
    return report


def _parted(name: str, items: list[Item], groups: Mapping[str, str] | None) -> list[tuple[str, list[Item]]]:
    """The calls of a folder, together or by their groups."""
    if groups is None:
        return [(name, items)] if items else []
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(groups.get(item.call.call_id, ELSEWHERE), []).append(item)
    return [(f"{name}, {group}", found[group]) for group in sorted(found)]


def _nothing_known(left_out: list[dict[str, str]], *, where: str) -> NotScorable:
    """What to say of folders of which no call can be compared: each reason, how many calls it keeps out, and some."""
    by_reason: dict[str, list[str]] = {}
    for gone in left_out:
        by_reason.setdefault(gone["reason"], []).append(gone["call_id"])
    said = [
        f"{reason} ({plural(len(calls), 'call')}: {', '.join(calls[:_NAMED])}{', ...' if len(calls) > _NAMED else ''})"
        for reason, calls in by_reason.items()
    ]
    hint = (
        "give calls with caller and agent on channels of their own, and with labels of kind speech or a transcript "
        "with times for both; docs/native-format.md says how to write them"
    )
    return NotScorable(f"nothing can be compared: {'; '.join(said)}", where=where, hint=hint)


def _compared(source: str, items: list[Item], backends: Sequence[str]) -> list[Findings]:
    made = []
    truths = sorted({item.truth for item in items})
    for backend, (runs, config, config_id) in _with_what_views_read(measured(items, backends)).items():
        found = compare([item.call for item in items], runs, config=config)
        by_signal = {name: [row for row in found.errors if row["signal"] == name] for name in SIGNALS}
        made.append(
            Findings(
                source=source,
                truth="; ".join(truths),
                backend=backend,
                config_id=config_id,
                calls=len(items),
                signals={name: distribution(rows, missed=found.missed[name]) for name, rows in by_signal.items()},
                cells=found.cells,
                false_starts=found.false_starts,
                errors=found.errors,
            )
        )
    return made


def _with_what_views_read(
    found: dict[str, tuple[pl.DataFrame, MeasureConfig, str]],
) -> dict[str, tuple[pl.DataFrame, MeasureConfig, str]]:
    """The runs of every detector, and after those of the energy method the same without the faint ones."""
    import polars as pl

    runs, *rest = found[ENERGY]
    heard = {WITHOUT_FAINT: (runs.filter(~pl.col("faint").fill_null(value=False)), *rest)}
    return {ENERGY: found[ENERGY], **heard, **found}


def measured(items: Sequence[Item], backends: Sequence[str]) -> dict[str, tuple[pl.DataFrame, MeasureConfig, str]]:
    """Return the runs of speech of every detector (faint ones marked), with its hop and hangover, and its config id.

    Parameters
    ----------
    items : sequence of Item
        At least one.
    backends : sequence of {'silero', 'refined'}
        Beside the energy method.

    Returns
    -------
    dict
        From the name of the detector; the energy method first.
    """
    import polars as pl

    from workbench.timing.measuring import measure_recording

    config = MeasureConfig()
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in (ENERGY, *backends)}
    for item in items:
        ids = {"recording_id": item.call.call_id, "call_id": item.call.call_id, "run_id": ""}
        where: dict[str, Any] = {"roles": item.roles, "offset_s": item.call.offset_s, **item.rest}
        asked: dict[str, Any] = {**ids, **where, "config": config}
        rows[ENERGY] += measure_recording(item.path, **asked).segments
        if backends:
            from workbench.audio.neural_tracks import neural_segments

            for row in neural_segments(item.path, ids=ids, backends=backends, **where):
                rows[row["backend"]].append(row)
    texts, numbers = ("call_id", "role"), ("start_s", "end_s", "voiced_end_s")
    shape = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64) | {"faint": pl.Boolean}
    frames = {name: pl.DataFrame(some, schema=shape) for name, some in rows.items()}
    found = {ENERGY: (frames[ENERGY], config, config.config_id)}
    if backends:
        from workbench.audio.neural_tracks import config_id_of

        bare = msgspec.structs.replace(config, hop_ms=1.0, hangover_s=0.0)
        found |= {name: (frames[name], bare, config_id_of(name)) for name in backends}
    return found
