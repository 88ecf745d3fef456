"""A port of this machine for a server that this process becomes: free, and no other workbench's meanwhile."""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import closing
from pathlib import Path
from tempfile import gettempdir

from workbench.errors import UsageError

HOST = "127.0.0.1"
FIRST, TRIED = 2718, 100
"""Where the search for a free port begins, and how many are looked at."""


def reserve(port: int | None = None) -> int:
    """Find a port that nothing listens on, and keep it from every other workbench as long as this process lives.

    Between the look at a port and the server's own bind seconds pass, in which a second process would find it free
    too. So a file is locked for each port; the lock outlives an exec and ends with the process.

    Parameters
    ----------
    port : int, optional
        The only one that will do; the first free one from 2718 by default.

    Returns
    -------
    int
        The port.

    Raises
    ------
    UsageError
        When it is taken or may not be used, or none is free.
    """
    if port is not None:
        if refusal := _refusal(port):
            raise UsageError(f"port {port} cannot be used: {refusal}", where="--port", hint="leave --port out")
        return port
    for number in range(FIRST, FIRST + TRIED):
        if not _refusal(number):
            return number
    raise UsageError(f"no port from {FIRST} to {FIRST + TRIED - 1} is free", hint="name a free one with --port")


def _refusal(port: int) -> str:
    """Lock a port that is free; return why it is not, or nothing."""
    place = Path(gettempdir()) / f"workbench-{os.getuid()}-port-{port}"
    handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
            probe.bind((HOST, port))
            probe.listen()
    except BlockingIOError:
        os.close(handle)
        return "another notebook is opening or open on it"
    except OSError as error:
        os.close(handle)
        return (error.strerror or str(error)).lower()
    os.set_inheritable(handle, True)  # noqa: FBT003 - it takes no keyword
    return ""
