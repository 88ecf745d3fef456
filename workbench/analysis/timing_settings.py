"""Parameters of measuring and scoring as they are typed, and as they are printed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import msgspec

from workbench.analysis.timing_levels import SWEPT
from workbench.audio.config import MeasureConfig
from workbench.decimals import exact
from workbench.errors import UsageError
from workbench.timing.score_config import ScoreConfig

Value = float | bool | None
Config = TypeVar("Config", MeasureConfig, ScoreConfig)

_SCORING = tuple(field.name for field in msgspec.structs.fields(ScoreConfig))


def grid_of(texts: Sequence[str]) -> dict[str, list[Value]]:
    """Return a grid as it is typed.

    Parameters
    ----------
    texts : sequence of str
        Each `NAME=VALUE,VALUE,...`: a parameter of :class:`ScoreConfig`, or one of `rel_db`, `abs_gate_db`,
        `hangover_s`, `noise_percentile`, `dyn_margin_db` of :class:`MeasureConfig`. `none` is no bound.

    Returns
    -------
    dict of str to list
        Values by parameter, in the order given, each once.

    Raises
    ------
    UsageError
        For an unknown name, a value that is no number, or no parameter at all.
    """
    grid: dict[str, list[Value]] = {}
    for text in texts:
        name, _, values = (part.strip() for part in text.partition("="))
        what = "is no parameter of scoring or measuring that can be swept"
        _refuse(name, (*SWEPT, *_SCORING), given=grid, where="--grid", what=what)
        default = _value_of(ScoreConfig() if name in _SCORING else MeasureConfig(), name)
        typed = (_value(name, value.strip(), default=default, where="--grid") for value in values.split(","))
        grid[name] = list(dict.fromkeys(typed))
    if not grid:
        raise UsageError("nothing is swept", where="--grid", hint="for instance --grid rel_db=10,15,20")
    return grid


def with_settings(base: Config, texts: Sequence[str], *, given: Mapping[str, Value]) -> Config:
    """Return a config with what was typed in place of its own values.

    Parameters
    ----------
    base : MeasureConfig or ScoreConfig
        Whose values hold where nothing is said.
    texts : sequence of str
        Each `NAME=VALUE`: any parameter of the config. `none` is no bound, or no gate.
    given : mapping of str to number
        Parameters that were set in another way, such as by an option of their own; None: not set.

    Returns
    -------
    MeasureConfig or ScoreConfig

    Raises
    ------
    UsageError
        For an unknown name, one that is given twice, a value that is no number, or one that the config refuses.
    """
    found: dict[str, Value] = {name: value for name, value in given.items() if value is not None}
    names = [name for name in base.__struct_fields__ if not isinstance(getattr(base, name), str)]
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        _refuse(name, names, given=found, where="--set", what="is no parameter of it")
        found[name] = _value(name, value, default=_value_of(type(base)(), name), where="--set")
    return msgspec.structs.replace(base, **found)


def changed(config: MeasureConfig | ScoreConfig) -> str:
    """Return in which values a config is another one than the published method.

    Parameters
    ----------
    config : MeasureConfig or ScoreConfig

    Returns
    -------
    str
        For instance `max_search_s 2, echo_gate true`; "published method" where it is in none.
    """
    published = type(config)()
    names = [name for name in config.__struct_fields__ if getattr(config, name) != getattr(published, name)]
    return ", ".join(f"{name} {value_text(getattr(config, name))}" for name in names) or "published method"


def value_text(value: Value) -> str:
    """Return a value of a parameter as `--grid` and `--set` take it.

    Parameters
    ----------
    value : float, bool or None

    Returns
    -------
    str
    """
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else exact(value)


def _value_of(config: MeasureConfig | ScoreConfig, name: str) -> Value:
    value: Value = getattr(config, name)
    return value


def _refuse(name: str, names: Sequence[str], *, given: Collection[str], where: str, what: str) -> None:
    if name not in names or name in given:
        said = "is given twice" if name in given else what
        raise UsageError(f"{name!r} {said}", where=where, hint=f"one of: {', '.join(names)}")


def _value(name: str, text: str, *, default: Value, where: str) -> Value:
    if isinstance(default, bool):
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise UsageError(
            f"{name} takes true or false, and {text!r} is neither", where=where, hint=f"for instance {name}=true"
        )
    if text.lower() == "none" and default is None:
        return None
    try:
        return float(text)
    except ValueError:
        example = f"{name}=1,2,3" if where == "--grid" else f"{name}=1"
        raise UsageError(f"{name}={text} is no number", where=where, hint=f"for instance {example}") from None
