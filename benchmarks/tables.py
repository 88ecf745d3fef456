"""The tables a benchmark prints, and the lines below them that say what was to be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.measured import Costs, ratio


@dataclass
class Table:
    """A titled table with remarks; cells are text."""

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def target(self, what: str, *, found: str, reached: bool, size: str) -> None:
        """Add the line that says what was to be reached, what was found, and whether that is enough.

        Targets hold at the size `full`; at a smaller one nothing is said about reaching them.
        """
        verdict = "reached" if reached else "NOT REACHED"
        self.remarks.append(
            f"target: {what}. Found: {found}. {verdict if size == 'full' else f'(size {size}: no verdict)'}"
        )

    def text(self) -> str:
        """Return the table as Markdown."""
        widths = [max(len(row[ix]) for row in [self.columns, *self.rows]) for ix in range(len(self.columns))]
        lines = [_line(row, widths) for row in [self.columns, ["-" * width for width in widths], *self.rows]]
        return "\n".join([f"### {self.title}", "", *lines, "", *(f"- {remark}" for remark in self.remarks)])

    def data(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return asdict(self)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    parts = [
        cell.ljust(width) if ix == 0 else cell.rjust(width)
        for ix, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(parts)} |"


def seconds(value: float) -> str:
    """Return a time with three digits and its unit: "1.23 s", "45.6 ms", "7.89 us"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{_digits(value / size)} {unit}"
    return f"{_digits(value / 1e-6)} us"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.995 else f"{value:.2f}"


def times(value: float) -> str:
    """Return a ratio with three digits: "1.23 x"."""
    return f"{_digits(value)} x"


def timing(title: str, found: dict[str, Costs], *, peer: str, memory: bool = False) -> Table:
    """Return the table of some contestants: median and range of wall seconds, CPU seconds, ratio to a peer.

    Parameters
    ----------
    title : str
        What was measured, with its size.
    found : dict of str to Costs
        As :func:`benchmarks.measured.interleaved` returns it.
    peer : str
        The contestant whose time is divided by each one's own: above 1, that one is faster than the peer.
    memory : bool
        Whether peak memory was looked at.
    """
    columns = ["contestant", "wall median", "min", "max", "CPU median", "x faster than peer", "by CPU"]
    table = Table(title, [*columns, *(["peak MB"] if memory else [])])
    for name, costs in found.items():
        row = [
            f"{name} (peer)" if name == peer else name,
            *(seconds(value) for value in (costs.median(), costs.low(), costs.high(), costs.median("cpu_s"))),
            *(times(ratio(found[peer], costs, part)) for part in ("wall_s", "cpu_s")),
        ]
        table.rows.append([*row, f"{costs.high('peak_mb'):.0f}"] if memory else row)
    return table
