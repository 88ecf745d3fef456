"""How far measured times are from known ones: the energy method, the neural track, refined boundaries, the peer.

No speed is measured here, so one run is enough and the machine does not matter.
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from benchmarks.peer import PACKAGE, VERSION
from benchmarks.peer_timing import peer_errors
from benchmarks.tables import Table, times
from workbench.analysis.timing_truth import BUNDLED, measured
from workbench.analysis.timing_truth_calls import Item, known_calls, rendered_calls
from workbench.audio.neural_tracks import BACKENDS, hear
from workbench.audio.perturb import Sound, leak, noise, write_wav
from workbench.audio.read import blocks
from workbench.timing.truth import SIGNALS, Compared, compare
from workbench.timing.truth_errors import Distribution, distribution
from workbench.timing.truth_rendered import CONDITIONS

ROOT = Path(__file__).parents[1]
MEETINGS, BANK = BUNDLED
FOLDERS = {
    MEETINGS: [ROOT / "data" / "calls" / MEETINGS, ROOT / "tests" / "data" / MEETINGS],
    BANK: [ROOT / "data" / "calls" / BANK],
}
WORSE = ("noise 15 dB", "leak -15 dB")
SIZES = {
    "tiny": ((MEETINGS,), (), ("leak -20 dB",), 2),
    "quick": ((MEETINGS, BANK), (), ("clean", "leak -20 dB"), 4),
    "full": ((MEETINGS, BANK), WORSE, tuple(CONDITIONS), 12),
}
"""Folders, what is done to the bank calls besides, conditions of rendered calls, rendered calls of each."""

PEER = f"{PACKAGE} {VERSION} (peer)"
TARGET_MS = 20.0
SIGNED = ("median", "95 %", "p90", "95 %")


def run(size: str, scratch: Path) -> list[Table]:
    """Measure every source with every detector; each source has a table of its own."""
    names, worse, conditions, count = SIZES[size]
    tables = []
    for name in names:
        items = [item for folder in FOLDERS[name] for item in known_calls(folder)[0]]
        tables.append(_table(name, items, scratch, size=size))
    for change in worse:
        folder = scratch / f"bank-{change.replace(' ', '-')}"
        folder.mkdir()
        tables.append(
            _table(f"{BANK}, {change} added", [worse(item, change, folder) for item in bank()], folder, size=size)
        )
    for condition in conditions:
        folder = scratch / condition.replace(" ", "-")
        folder.mkdir()
        items = rendered_calls(condition, count=count, folder=folder)
        tables.append(_table(f"rendered calls, {condition}", items, folder, size=size))
    return tables


def bank() -> list[Item]:
    return [item for folder in FOLDERS[BANK] for item in known_calls(folder)[0]]


def worse(item: Item, change: str, folder: Path) -> Item:
    """The same call with seeded white noise in both channels, or with each party in the other's."""
    import numpy as np

    rate = item.call.sample_rate_hz
    sound = Sound(samples=np.concatenate(list(blocks(item.path))), sample_rate_hz=rate)
    level = float(change.split()[1])
    made = noise(sound, level, 1) if change.startswith("noise") else leak(0, 1)(leak(1, 0)(sound, level), level)
    path = folder / f"{item.path.stem}.wav"
    write_wav(path, made)
    return msgspec.structs.replace(item, path=path)


def _table(source: str, items: list[Item], scratch: Path, *, size: str) -> Table:
    found = {
        name: compare([item.call for item in items], runs, config=config)
        for name, (runs, config, _) in measured(items, BACKENDS).items()
    }
    found[PEER] = peer_errors(items, scratch)
    table = Table(
        f"timing_truth: {source}, {len(items)} calls, errors in ms, measured less true",
        ["error of", "detector", "n", "missed", *SIGNED, "abs median", "95 %", "abs p90", "95 %", "abs max"],
    )
    by_signal = {
        (signal, name): distribution([row for row in one.errors if row["signal"] == signal], missed=one.missed[signal])
        for signal in SIGNALS
        for name, one in found.items()
    }
    table.rows = [_row(signal, name, values) for (signal, name), values in by_signal.items()]
    table.remarks.append(f"truth: {', '.join(sorted({item.truth for item in items}))}")
    table.remarks += [_cells(name, one) for name, one in found.items()]
    if source == MEETINGS:
        _reached(table, by_signal, size=size)
    if source == BANK:
        table.remarks.append(
            "settings of refined boundaries were chosen on these calls; see the meetings for what they reach"
        )
        table.remarks.append(_speed(items))
    return table


def _row(signal: str, name: str, values: Distribution) -> list[str]:
    size, signed = values.absolute, values.signed
    cells = [signed.median, signed.median_interval, signed.p90, signed.p90_interval]
    cells += [size.median, size.median_interval, size.p90, size.p90_interval, size.max]
    return [signal, name, str(values.n), str(values.missed), *(_cell(cell) for cell in cells)]


def _cell(value: float | tuple[float, float] | None) -> str:
    if value is None:
        return "-"
    return f"{value[0]:.0f}..{value[1]:.0f}" if isinstance(value, tuple) else f"{value:.1f}".removesuffix(".0")


def _cells(name: str, found: Compared) -> str:
    cells = ", ".join(f"{count} {cell.replace('_', ' ')}" for cell, count in found.cells.items())
    return f"{name}: {cells}; {found.false_starts} runs where nobody speaks"


def _reached(table: Table, by_signal: dict[tuple[str, str], Distribution], *, size: str) -> None:
    ours, peer = (by_signal["first_onset", name].absolute for name in ("refined", PEER))
    median, p90, theirs = ours.median or 0.0, ours.p90 or 0.0, peer.p90 or 0.0
    table.target(
        f"median onset error at most {TARGET_MS:g} ms, not tuned on these calls",
        found=f"{median:g} ms",
        reached=ours.median is not None and median <= TARGET_MS,
        size=size,
    )
    table.target(
        "90th percentile at most half of the peer's",
        found=f"{p90:g} ms against {theirs:g} ms",
        reached=ours.p90 is not None and p90 <= theirs / 2,
        size=size,
    )


def _speed(items: list[Item]) -> str:
    cpu, seconds = time.process_time(), 0.0
    for item in items:
        hear(blocks(item.path), sample_rate_hz=item.call.sample_rate_hz)
        seconds += item.call.duration_s * len(item.roles)
    spent = time.process_time() - cpu
    return f"neural track with its levels, a channel: {times(seconds / max(spent, 1e-9))} real time by CPU"
