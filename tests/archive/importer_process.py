"""Run by tests as a process of its own: imports made calls, and kills itself where it is told to."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from made_calls import made_call

from workbench.archive import import_commit, media, spooling
from workbench.archive.archive import Archive


def kill_at(place: str, count: int) -> None:
    """Die by SIGKILL at the count-th passage of a place."""
    owner, name = {
        "spooled": (spooling.Spool, "flush"),
        "locked": (import_commit, "_work"),
        "placed": (media, "place"),
        "inserted": (import_commit, "_insert"),
    }[place]
    original = getattr(owner, name)
    passed = 0

    def dying(*args: object, **kwargs: object) -> object:
        nonlocal passed
        result = original(*args, **kwargs)
        passed += 1
        if passed >= count:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, dying)


def main() -> None:
    root, sounds, calls, place, count = sys.argv[1:6]
    if place != "never":
        kill_at(place, int(count))
    print("ready", flush=True)
    with Archive(root) as archive:
        report = archive.add(made_call(ix, Path(sounds)) for ix in range(int(calls)))
    print(report.new, report.unchanged, flush=True)


if __name__ == "__main__":
    main()
