"""The machine a table was made on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import peer

PACKAGES = ("numpy", "duckdb", "pyarrow", "polars", "librosa", "numba", "soundfile")


def facts() -> dict[str, str]:
    """Return processor, cores, memory, load, Python and the versions of what is compared."""
    load = os.getloadavg()[0]
    return {
        "processor": _processor(),
        "cores": f"{len(os.sched_getaffinity(0))} usable of {os.cpu_count()}",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "load before": f"{load:.1f}{' (busy: only ratios can be trusted)' if load > 1.0 else ''}",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
        peer.PACKAGE: f"{peer.VERSION} (the peer)",
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
