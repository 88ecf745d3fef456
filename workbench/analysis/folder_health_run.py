"""Examines every recording of a folder, side by side, and keeps what can be told of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.analysis.folder_contradictions import contradiction
from workbench.analysis.folder_twins import comparable, same_bytes, twins
from workbench.analysis.incidents_health import plain_reason
from workbench.analysis.incidents_of_file import Examined, measured
from workbench.analysis.incidents_of_pair import examine_pair
from workbench.archive.side_by_side import side_by_side
from workbench.audio.file_digest import file_sha256
from workbench.errors import ImportFailed, MissingExtra, UsageError, WorkbenchError
from workbench.ingest.audio_names import partner, side
from workbench.ingest.intake.valid_text import valid
from workbench.ingest.intake.walk import Input, survey
from workbench.links import REMEDY, leads_nowhere
from workbench.timing.health import CAUTION
from workbench.timing.score_config import ScoreConfig

DUPLICATE = "duplicate"
"""Reason of a file that is left out as another of the folder holds the same call."""

Progress = Callable[[float, float], None]

_NOTHING = "nothing: the call is counted once"


class Scanned(msgspec.Struct, kw_only=True):
    """What a folder holds: calls that were analysed, files that were refused, and the digest of every file.

    Rows of `calls` have `file` (its name in the folder), `file_count`, `name`, `mode`, `duration_s`, `recommendation`,
    `caution` (why it is to be read with caution, or None), `channel_map`, `warnings`, `incidents`; rows of
    `refused` have `file`, `reason`, `what`, `next_step`.
    """

    calls: list[dict[str, Any]]
    refused: list[dict[str, Any]]
    manifest: list[tuple[str, str]]


class _Job(msgspec.Struct, frozen=True):
    """One call: its file, or its two files."""

    files: tuple[Path, ...]
    name: str


def scan_folder(
    folder: str | Path,
    *,
    channels: Sequence[str] | None = None,
    scanning: ScoreConfig | None = None,
    workers: int = 2,
    on_progress: Progress | None = None,
) -> Scanned:
    """Examine every sound file under a folder, at any depth.

    Parameters
    ----------
    folder : path
        Hidden files, files that are no sound, and archives in it are passed over.
    channels : sequence of str, optional
        Roles of the channels of all files with several channels, but for those whose sidecar says otherwise.
    scanning : ScoreConfig, optional
        What counts as an incident.
    workers : int
        Threads; decoding and arithmetic run outside Python's lock.
    on_progress : callable, optional
        Called with files done and in all.

    Returns
    -------
    Scanned
        In byte order of the names, whatever the number of workers. A file with the same bytes as an earlier one
        is refused as its duplicate, and so is one with the same samples, with what the two contradict; the later one
        stays where it alone says whose channel is which. Two mono files of one call are one call, and none beside a
        file of which they are the channels.

    Raises
    ------
    UsageError
        When the folder is missing, is a file, or holds no sound file.
    """
    if Path(folder).is_file():
        raise UsageError("it is a file", where=str(folder), hint=f"workbench autopsy {folder}")
    inputs = survey([folder], format="audio").inputs
    jobs = _jobs(inputs)
    if not jobs:
        raise UsageError("there is no sound file in it", where=str(folder), hint="name a folder of recordings")
    results = _run(jobs, channels=channels, scanning=scanning, workers=workers, on_progress=on_progress)
    scanned = Scanned(calls=[], refused=[], manifest=[])
    examined = [None if isinstance(result, WorkbenchError) else result for result in results]
    bytewise, same = same_bytes(examined), twins(examined)
    for ix, (job, result) in enumerate(zip(jobs, results, strict=True)):
        scanned.manifest += _digests(job)
        first = bytewise.get(ix, ix)
        first = same.get(first, first)
        counted = examined[first]
        if isinstance(result, WorkbenchError):
            scanned.refused.append(_refusal(job, result))
        elif first != ix and counted is not None:
            scanned.refused.append(_twin((job, result), (jobs[first], counted)))
        else:
            _keep(scanned, job, result)
    return scanned


def _twin(left_out: tuple[_Job, Examined], counted: tuple[_Job, Examined]) -> dict[str, Any]:
    (job, result), (other, twin) = left_out, counted
    if result.name == twin.name:
        holds = "it holds the same bytes as"
    elif len(job.files) > len(other.files):
        holds = f"it and {job.files[1].name} are the channels of"
    else:
        holds = f"its samples are those{' of a channel' if len(result.sound) < len(twin.sound) else ''} of"
    what, next_step = f"{holds} {other.name}, which is counted once", _NOTHING
    if (against := contradiction(result, twin)) is not None:
        clause, next_step = against
        what = f"{what}; {clause}: {next_step}"
    return {"file": job.name, "reason": DUPLICATE, "what": what, "next_step": next_step}


def _jobs(inputs: Sequence[Input]) -> list[_Job]:
    taken = {item.path for item in inputs}
    jobs = []
    for item in inputs:
        other = partner(item.path) if item.problem is None else None
        own = side(item.path)
        if other is None or own is None or other not in taken:
            jobs.append(_Job((item.path,), valid(item.relative)))
        elif own[1] == "caller":
            jobs.append(_Job((item.path, other), valid(item.relative)))
    return jobs


def _run(
    jobs: Sequence[_Job],
    *,
    channels: Sequence[str] | None,
    scanning: ScoreConfig | None,
    workers: int,
    on_progress: Progress | None,
) -> list[Examined | WorkbenchError]:
    done = 0

    def told(_job: _Job) -> None:
        nonlocal done
        done += 1
        if on_progress:
            on_progress(done, len(jobs))

    digested = comparable([path for job in jobs for path in job.files])
    return side_by_side(
        jobs,
        lambda job, _stop: _examined(job, channels=channels, scanning=scanning, digested=job.files[0] in digested),
        workers=workers,
        on_done=told,
    )


def _examined(
    job: _Job, *, channels: Sequence[str] | None, scanning: ScoreConfig | None, digested: bool
) -> Examined | WorkbenchError:
    try:
        for path in job.files:
            if broken := leads_nowhere(path):
                return ImportFailed(broken, where=str(path), hint=REMEDY)
            if path.exists() and not path.is_file():
                return ImportFailed("it is a device or a pipe", where=str(path), hint="name files")
        if len(job.files) == 2:
            return examine_pair(*job.files, scanning=scanning, digested=digested)
        one = measured(job.files[0], channels=channels, scanning=scanning, in_folder=True, digested=digested)
        return one[0]
    except WorkbenchError as error:
        return error
    except OSError as error:
        return ImportFailed(f"the file cannot be read ({error.strerror})", hint="check its permissions")


def _digests(job: _Job) -> list[tuple[str, str]]:
    folder = job.name.rpartition("/")[0]
    found = []
    for path in job.files:
        name = valid(f"{folder}/{path.name}" if folder else path.name)
        try:
            found.append((name, file_sha256(path) if path.is_file() else "unreadable"))
        except OSError:
            found.append((name, "unreadable"))
    return found


def _refusal(job: _Job, error: WorkbenchError) -> dict[str, Any]:
    reason = error.rule if isinstance(error, ImportFailed) else "channels"
    if isinstance(error, MissingExtra):
        reason = "missing_package"
    return {"file": job.name, "reason": reason, "what": error.what, "next_step": error.hint}


def _keep(scanned: Scanned, job: _Job, found: Examined) -> None:
    if found.mode is None:
        what = f"NOT SCORABLE: {plain_reason(found.reason)}"
        if len(job.files) == 2:
            what += f"; {job.files[0].name} and {job.files[1].name} are the two sides of the call"
        scanned.refused.append(
            {
                "file": job.name,
                "reason": found.reason,
                "what": what,
                "next_step": found.next_step,
            }
        )
        return
    scanned.calls.append(
        {
            "file": job.name,
            "file_count": len(job.files),
            "name": found.name,
            "mode": found.mode,
            "duration_s": found.duration_s,
            "recommendation": found.health["recommendation"],
            "caution": found.health["reason"] if found.health["recommendation"] == CAUTION else None,
            "warnings": found.health["warnings"],
            "channel_map": found.channel_map,
            "incidents": found.incidents,
        }
    )
