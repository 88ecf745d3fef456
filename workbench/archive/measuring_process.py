"""Workers that measure in a process of their own.

Two threads that measure wait for Python's lock between any two short steps of numpy: two gain 1.6 x, and more gain
little over that. A process costs a third of a second of imports and its memory, so it is for many hours of sound only.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from workbench.archive.measure_job import Batch, Job, measure_job
from workbench.errors import ArchiveFailed, WorkbenchError

WORTH_S = 4 * 3600.0
"""Seconds of audio for each worker from which on a process pays."""

_SERVE = "import sys; sys.path[:] = sys.argv[1:]; from workbench.archive.measuring_process import serve; serve()"

WAKE_S = 0.1
"""How long a thread waits for its process before it asks whether the work is to stop."""


class _NotStarted(Exception):
    """The process ended before it could take work: its imports failed, say."""


class Process:
    """A process that measures one job at a time; it ends when its input does, and so with this process.

    It looks for modules where this process does and nowhere else, and is told of Ctrl-C by being ended.

    Raises
    ------
    OSError
        When it cannot be started.
    """

    def __init__(self) -> None:
        places = [place for place in sys.path if place]  # not the current folder, which holds anybody's files
        words = [sys.executable, "-P", "-c", _SERVE, *places, str(Path(__file__).parents[2])]
        self._child = subprocess.Popen(  # noqa: S603 - ourselves
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._ready = False

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child.poll() is None

    def measure(self, job: Job, stop: threading.Event) -> Batch:
        """Measure the recordings of a job; raises what the job raised. Once `stop` is set the process is ended."""
        if self._child.stdin is None:
            raise RuntimeError("a process without pipes")
        try:
            if not self._ready and self._answer(stop) is not None:
                self._ready = True
            pickle.dump(job, self._child.stdin)
            self._child.stdin.flush()
            found: Batch | Exception = self._answer(stop)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            if stop.is_set():
                return Batch()
            if not self._ready:
                raise _NotStarted from error
            raise ArchiveFailed(
                f"a measuring process ended before its work was done (exit status {self._child.wait()}); "
                "nothing was changed",
                where=str(job.layout.root),
                hint="run the same command again, with --workers 1 where memory is short",
            ) from error
        if isinstance(found, Exception):
            raise found
        return found

    def _answer(self, stop: threading.Event) -> Any:
        """Return what the process sends next."""
        back = self._child.stdout
        if back is None:
            raise RuntimeError("a process without pipes")
        while not select.select([back], [], [], WAKE_S)[0]:
            if stop.is_set():
                self.close()
                raise EOFError
        return pickle.load(back)  # noqa: S301 - written by `serve` below, over a private pipe

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # what it no longer takes
                    pipe.close()


class Measurers:
    """Does jobs of several threads: one of them itself, each other one in a process of its own.

    Parameters
    ----------
    count : int
        Processes; with 0 every thread does its jobs itself, and so does one whose process cannot be started.
    """

    def __init__(self, count: int) -> None:
        self.processes: list[Process] = []
        self._free: SimpleQueue[Process] = SimpleQueue()
        with suppress(OSError):  # no such program, or no more processes: the threads measure
            for _ in range(count):
                self.processes.append(Process())
                self._free.put(self.processes[-1])

    def __call__(self, job: Job, stop: threading.Event) -> Batch:
        """Do a job in a process that is free, or here when none is."""
        if stop.is_set():
            return Batch()
        try:
            process = self._free.get_nowait()
        except Empty:
            return measure_job(job, stop)
        try:
            found = process.measure(job, stop)
        except _NotStarted:  # and so it is not free again
            return measure_job(job, stop)
        self._free.put(process)
        return found

    def close(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.close()


@contextmanager
def measurers(jobs: list[Job], workers: int) -> Iterator[Measurers]:
    """Give what measures jobs on `workers` threads, with processes where there is enough to measure.

    Parameters
    ----------
    jobs : list of Job
        What will be measured.
    workers : int
        Threads that will ask for it at once.

    Yields
    ------
    Measurers
        To be called with a job and the event that stops it.
    """
    worth = sum(job.duration_s for job in jobs) >= WORTH_S * workers and bool(sys.executable)
    found = Measurers(min(workers, len(jobs)) - 1 if worth else 0)
    try:
        yield found
    finally:
        found.close()


def serve() -> None:
    """Measure the jobs that come on standard input, until it ends; nothing else is printed there."""
    with os.fdopen(os.dup(1), "wb") as back:
        os.dup2(2, 1)  # what a library prints must not get in between
        _send(back, "ready")
        while True:
            try:
                job: Job = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the parent
            except EOFError:
                return
            found: Batch | Exception
            try:
                found = measure_job(job, threading.Event())
            except (WorkbenchError, OSError) as error:
                found = error
            except Exception:  # noqa: BLE001 - a bug is told by the process that has a user
                found = RuntimeError(f"in a measuring process: {traceback.format_exc()}")
            _send(back, found)


def _send(back: IO[bytes], what: object) -> None:
    """Send an object; where nobody is left to take it the process ends."""
    try:
        pickle.dump(what, back)
        back.flush()
    except BrokenPipeError:
        os._exit(1)  # nothing is left to clean up or to tell
