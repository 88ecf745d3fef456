"""How much worse a recording may get before the verdict on a labelled moment changes, and in which way it changes.

The sound is made worse step by step, measured and scored as it would be had it been recorded so, and thrown away:
it is never evidence. A verdict may change in two ways. It may be *withheld*, because input health sees that the
recording can no longer carry it, or it may be *wrong*, because another yield is heard. What matters is which comes
first.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.audio.perturb import Perturbation, Sound, perturbations, write_wav
from workbench.audio.read import blocks, pcm_sha256, probe
from workbench.audio.stand_in import standing_for
from workbench.errors import NotScorable, UsageError
from workbench.plural import plural
from workbench.timing.channels_hint import channels_hint
from workbench.timing.events import scored
from workbench.timing.lines import lay
from workbench.timing.measuring import measure_recording
from workbench.timing.next_steps import next_step
from workbench.timing.score_config import ScoreConfig

VERDICTS = ("PASS", "FAIL")
_MEASURES = ("did_yield", "time_to_yield_s", "talk_over_s", "response_gap_s", "status", "reason")


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A level of a perturbation, and what was measured and judged there."""

    level: float
    did_yield: bool | None
    time_to_yield_s: float | None
    talk_over_s: float | None
    response_gap_s: float | None
    status: str
    reason: str | None


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """What one perturbation does to one moment; levels go from harmless to harmful.

    `withheld_at` is the first level without a verdict, `wrong_at` the first with another verdict than that of the
    sound as it is, `yield_changes_at` the first at which another answer to "did the agent yield" is measured. None:
    not up to `hardest`. `returns` counts later levels at which the verdict of the untouched sound is back.
    """

    call_id: str
    label_id: str
    onset_s: float
    expect: str
    perturbation: str
    unit: str
    recipe: str
    seed: int
    parent_pcm_sha256: str
    original: Step
    hardest: float
    withheld_at: float | None
    wrong_at: float | None
    yield_changes_at: float | None
    returns: int
    steps: list[Step]


def robustness(
    path: str | Path,
    labels: Sequence[Mapping[str, Any]],
    *,
    roles: Sequence[str] = ("caller", "agent"),
    offset_s: float = 0.0,
    only: Sequence[str] = (),
    seed: int = 1,
    config: MeasureConfig | None = None,
    scoring: ScoreConfig | None = None,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> list[Curve]:
    """Score labelled moments of one recording at every level of every perturbation.

    Parameters
    ----------
    path : path
        A two-party recording; all of it is held in memory.
    labels : sequence of mapping
        `call_id`, `label_id`, `onset_s`, `expect`, and `value` with the bounds or None. Of one call.
    roles : sequence of str
        One a channel, with a caller and an agent; taken as confirmed.
    offset_s : float
        Start of the recording on the call's clock, in seconds.
    only : sequence of str, optional
        Names of perturbations; all by default.
    seed : int
        Of noise and lost packets.
    config, scoring : optional
        How to measure and to score; published methods by default.
    encoding, sample_rate_hz : optional
        For headerless files.
    on_step : callable, optional
        Told the number of measurements done and in all.

    Returns
    -------
    list of Curve
        A curve for each moment that has a verdict as it is, and each perturbation.

    Raises
    ------
    UsageError
        When a role or perturbation is unknown.
    NotScorable
        When no moment has a verdict to begin with, with the reason.
    ImportFailed
        When the file cannot be read.
    """
    rest: dict[str, Any] = {"encoding": encoding, "sample_rate_hz": sample_rate_hz}
    about = probe(path, **rest)
    if len(roles) != about.channel_count or not {"caller", "agent"} <= set(roles):
        raise UsageError(
            f"{', '.join(roles)} of {plural(about.channel_count, 'channel')}: a caller and an agent are needed",
            where=str(path),
            hint=channels_hint(about.channel_count),
        )
    kinds, rate = _kinds(roles, only), about.sample_rate_hz
    sound = Sound(samples=np.concatenate(list(blocks(path, **rest))), sample_rate_hz=rate)
    digest = pcm_sha256(path, **rest)
    config, scoring = config or MeasureConfig(), scoring or ScoreConfig()
    done, total = 0, 1 + sum(len(kind.levels) for kind in kinds)
    curves: list[Curve] = []
    with tempfile.TemporaryDirectory(prefix="workbench-robustness-") as scratch:

        def judged(changed: Sound, level: float) -> list[Step]:
            nonlocal done
            place = Path(scratch) / "changed.wav"
            write_wav(place, changed)
            with standing_for(path, place):
                rows = _scored(place, labels, roles=roles, offset_s=offset_s, config=config, scoring=scoring)
            done += 1
            if on_step:
                on_step(done, total)
            return [Step(level=level, **{name: row[name] for name in _MEASURES}) for row in rows]

        originals = judged(sound, 0.0)
        if not any(step.status in VERDICTS for step in originals):
            first = originals[0] if originals else None
            raise NotScorable(
                f"no moment has a verdict as it is: {first.status}, {first.reason}"
                if first
                else "no moment is labelled",
                where=str(path),
                hint=next_step(first.reason if first else "no_expectation"),
            )
        for kind in kinds:
            levels = [judged(kind.apply(sound, level, seed), level) for level in kind.levels]
            for nth, (label, original) in enumerate(zip(labels, originals, strict=True)):
                if original.status in VERDICTS:
                    steps = [level[nth] for level in levels]
                    curves.append(_curve(label, kind, original=original, steps=steps, seed=seed, digest=digest))
    return curves


def _kinds(roles: Sequence[str], only: Sequence[str]) -> list[Perturbation]:
    kinds = list(perturbations(caller=list(roles).index("caller"), agent=list(roles).index("agent")))
    unknown = [name for name in only if name not in {kind.name for kind in kinds}]
    if unknown:
        names = ", ".join(kind.name for kind in kinds)
        each = "leakage goes from one channel to the other, and each way has a name: leak_to_caller, leak_to_agent; "
        raise UsageError(
            f"no perturbation is named {unknown[0]!r}",
            where="--only",
            hint=f"{each if unknown[0].lower().startswith('leak') else ''}one of {names}",
        )
    return [kind for kind in kinds if not only or kind.name in only]


def _scored(
    path: Path,
    labels: Sequence[Mapping[str, Any]],
    *,
    roles: Sequence[str],
    offset_s: float,
    config: MeasureConfig,
    scoring: ScoreConfig,
) -> list[dict[str, Any]]:
    import polars as pl

    call_id = labels[0]["call_id"] if labels else ""
    measured = measure_recording(
        path,
        recording_id=call_id,
        call_id=call_id,
        roles=tuple(roles),
        offset_s=offset_s,
        config=config,
        run_id="",
        channel_map_confirmed=True,
    )
    recordings = pl.DataFrame(
        {
            "call_id": [call_id],
            "sample_rate_hz": [measured.sample_rate_hz],
            "offset_s": [offset_s],
            "duration_s": [measured.duration_s],
        }
    )
    texts, numbers = ("call_id", "role"), ("start_s", "end_s", "voiced_end_s")
    shape = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
    line = lay(recordings, pl.DataFrame(measured.segments, schema=shape), config)
    sides = [row["separation_db"] for row in measured.channels if row["role"] in ("caller", "agent")]
    health = {call_id: {**measured.health, "separation_db": min(sides)}}
    return scored(labels, line, health=health, config=scoring, run_id="")


def _curve(
    label: Mapping[str, Any], kind: Perturbation, *, original: Step, steps: list[Step], seed: int, digest: str
) -> Curve:
    def first(changed: Callable[[Step], bool]) -> int | None:
        return next((ix for ix, step in enumerate(steps) if changed(step)), None)

    def level(ix: int | None) -> float | None:
        return None if ix is None else steps[ix].level

    withheld = first(lambda step: step.status not in VERDICTS)
    wrong = first(lambda step: step.status in VERDICTS and step.status != original.status)
    other = first(lambda step: step.did_yield is not None and step.did_yield != original.did_yield)
    begin = min((ix for ix in (withheld, wrong) if ix is not None), default=len(steps))
    return Curve(
        call_id=label["call_id"],
        label_id=label["label_id"],
        onset_s=label["onset_s"],
        expect=label["expect"],
        perturbation=kind.name,
        unit=kind.unit,
        recipe=kind.recipe,
        seed=seed,
        parent_pcm_sha256=digest,
        original=original,
        hardest=kind.levels[-1],
        withheld_at=level(withheld),
        wrong_at=level(wrong),
        yield_changes_at=level(other),
        returns=sum(step.status == original.status for step in steps[begin:]),
        steps=steps,
    )
