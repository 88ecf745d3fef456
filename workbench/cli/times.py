"""Types of options that hold seconds, shared by all commands."""

from __future__ import annotations

import math
from typing import Any

import click

from workbench.decimals import decimals
from workbench.errors import UsageError
from workbench.timing.score_config import MOST_S


class Seconds(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.2 on
    """A finite number of seconds from 0 to `most`; -0 is 0."""

    name = "float"

    def __init__(self, most: float = math.inf) -> None:
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds, or refuse what is none."""
        found: float = click.FLOAT.convert(value, param, ctx)
        if not (math.isfinite(found) and 0 <= found <= self.most):
            name = param.opts[0] if param is not None else "it"
            span = "be finite and not negative" if math.isinf(self.most) else f"lie in 0..{decimals(self.most)}"
            raise UsageError(f"{name} is {decimals(found)} s; it must {span}", hint=f"give seconds, such as {name} 1.5")
        return found + 0.0


MOMENT = Seconds()
"""A time on a clock that begins at 0. Whether it lies within a recording is told by what reads the recording."""

BOUND = Seconds(MOST_S)
"""How long something may last: at most a day."""
