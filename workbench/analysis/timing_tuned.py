"""One set of parameters tried on all labelled moments, beside the default: what a notebook's sliders show."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from workbench.analysis.timing_held import BOUNDS
from workbench.analysis.timing_levels import SWEPT
from workbench.analysis.timing_settings import value_text
from workbench.audio.config import MeasureConfig
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    import polars as pl

    from workbench.analysis.timing_held import HeldMoments

AXES = {
    "rel_db": [float(value) for value in range(5, 36)],
    "hangover_s": [value / 100 for value in range(0, 55, 5)],
    "yield_hangover_s": [value / 100 for value in range(5, 105, 5)],
    "max_search_s": [value / 2 for value in range(1, 13)],
    "max_time_to_yield_s": [value / 10 for value in range(1, 31)],
    "max_talk_over_s": [value / 10 for value in range(1, 31)],
}
"""Values that a slider offers for each parameter; the default is added where it is none of them."""

SLIDERS = {
    "rel_db": "speech above the noise floor, rel_db (dB)",
    "hangover_s": "speech goes on after a loud frame, hangover_s (s)",
    "yield_hangover_s": "quiet this long is a yield, yield_hangover_s (s)",
    "max_search_s": "a yield is looked for, max_search_s (s)",
    "max_time_to_yield_s": "bound: max_time_to_yield_s (s)",
    "max_talk_over_s": "bound: max_talk_over_s (s)",
}
"""What a slider of each parameter says beside it."""

_MEASURING = ("rel_db", "abs_gate_db", "hangover_s")
_SCORING = (*BOUNDS, "yield_hangover_s", "max_search_s")
"""Parameters that are options of their own; --set reaches the others."""


class Tuned(NamedTuple):
    """Events of a set of parameters, those that flipped marked; and how the archive would come to the same rows."""

    events: pl.DataFrame
    flip_count: int
    config_id: str
    how: str


def axis(held: HeldMoments, name: str) -> tuple[list[float], float]:
    """Return the values of a slider, and which of them is the default.

    Parameters
    ----------
    held : HeldMoments
        Says what was measured with.
    name : str
        One of :data:`AXES`.

    Returns
    -------
    tuple of list of float and float
        Sorted. A bound has no default; 1.0 is offered in its place.
    """
    value = getattr(held.measured_with if name in SWEPT else ScoreConfig(), name)
    default = 1.0 if value is None else float(value)
    return sorted({*AXES[name], default}), default


def tuned(held: HeldMoments, values: Mapping[str, float], *, replaced: Collection[str] = ()) -> Tuned:
    """Derive every verdict anew with some parameters, and mark those that differ from the default.

    Parameters
    ----------
    held : HeldMoments
        Labelled moments.
    values : mapping of str to float
        Parameters of :data:`AXES`; numbers outside its values are taken to the nearest one. Bounds count only where
        `replaced` names them.
    replaced : collection of str
        Bounds that hold in place of those that labels bring.

    Returns
    -------
    Tuned
        `events` has the columns of the view `timing_events`, and `flipped`.
    """
    import polars as pl

    near = {name: min(axis(held, name)[0], key=lambda step: abs(step - value)) for name, value in values.items()}
    used = {name: value for name, value in near.items() if name not in BOUNDS or name in replaced}
    score = msgspec.structs.replace(ScoreConfig(), **{n: v for n, v in used.items() if n not in SWEPT})
    measure = msgspec.structs.replace(held.measured_with, **{n: v for n, v in used.items() if n in SWEPT})
    before = held.default["status"]
    events = held.events(score, measure=measure, replaced=replaced)
    flipped = [old != new for old, new in zip(before, events["status"], strict=True)]
    events = events.with_columns(pl.Series("flipped", flipped, dtype=pl.Boolean))
    steps = ["" if measure == held.measured_with else _command("measure", measure, options=_MEASURING)]
    steps.append(_command("score", score, options=_SCORING))
    how = " then ".join(step for step in steps if step)
    if replaced:
        how += " (a bound that a label brings stays with the label there)"
    return Tuned(events, sum(flipped), score.config_id, how)


def _command(name: str, config: MeasureConfig | ScoreConfig, *, options: Collection[str]) -> str:
    """The command that uses a config: every number in which it is not the published one."""
    said, published = [""], type(config)()
    for field in config.__struct_fields__:
        if (value := getattr(config, field)) != getattr(published, field):
            text = value_text(value)
            said.append(f"--{field.replace('_', '-')} {text}" if field in options else f"--set {field}={text}")
    return f"workbench {name}{' '.join(said)}"
