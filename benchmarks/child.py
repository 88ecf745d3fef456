"""Starts a command, waits for it and says what it cost: `python child.py COMMAND...` prints one line of JSON.

It runs as a small process of its own, because the peak memory of a child counts what its parent held when
it was started; under a large parent every child would look large.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main(command: list[str]) -> None:
    """Run the command with its output thrown away, errors kept in the file that CHILD_ERRORS names."""
    errors = os.environ.pop("CHILD_ERRORS")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled modules after the first start
    begin = time.perf_counter()
    process = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        ],
    )
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    cost = {
        "wall_s": wall,
        "cpu_s": used.ru_utime + used.ru_stime,  # its own children included
        "peak_kib": used.ru_maxrss,  # of the largest process among them
        "exit_code": os.waitstatus_to_exitcode(status),
    }
    print(json.dumps(cost))


if __name__ == "__main__":
    main(sys.argv[1:])
