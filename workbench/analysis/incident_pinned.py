"""Pins an incident of one sound file, without an archive: a person says yield or hold, and a contract is made of it."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.analysis.incidents_aside import listed
from workbench.analysis.incidents_channels import recognised
from workbench.analysis.incidents_health import plain_reason
from workbench.analysis.incidents_of_file import TWO_CHANNELS, Examined, measured
from workbench.audio.config import MeasureConfig
from workbench.decimals import decimals
from workbench.errors import NotScorable, UsageError
from workbench.plural import plural
from workbench.timing.events import REASONS
from workbench.timing.moments import CRITICAL
from workbench.timing.score_config import MOST_S, ScoreConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.timing.contracts.clip import Side
    from workbench.timing.contracts.document import Contract
    from workbench.timing.contracts.making import Made

PINNED = ("barge_in", "talk_over")
"""Incidents in which both speak: of these it can be asked whether the agent should yield or hold."""
PRE_S, POST_S = 2.0, 6.0
"""Context of a clip before and after the moment, in seconds."""
_NUMBERED = re.compile(r"(?P<file>.+)#(?P<number>[0-9]{1,9})", re.DOTALL)
_ADDRESS = re.compile(r"apx-[0-9a-f]{12}")


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A file, the number of its incident where one is named, and the address that its bytes must give."""

    path: str
    number: int | None = None
    address: str | None = None


class PinnedIncident(msgspec.Struct, frozen=True, kw_only=True):
    """A contract that was written: its folder and document, the incident (None: a time was named), the file's event."""

    folder: Path
    contract: Contract
    incident: dict[str, Any] | None
    event: dict[str, Any]


def target_of(text: str, *, file: str | None) -> Target | None:
    """Return the moment of a file that a user named.

    Parameters
    ----------
    text : str
        ``FILE``, ``FILE#N``, or ``apx-...#N`` as `autopsy` prints it.
    file : str, optional
        The file of such an address.

    Returns
    -------
    Target or None
        None where it is no file, and so may be a call.

    Raises
    ------
    UsageError
        When an address comes without its file, a file without an address, or a file with what is no number.
    """
    numbered = _NUMBERED.fullmatch(text)
    head = numbered["file"] if numbered else text
    number = int(numbered["number"]) if numbered else None
    if _ADDRESS.fullmatch(head) and not Path(head).exists():
        if file is None:
            raise UsageError(
                "an address names a recording by its bytes and does not say where they lie",
                where=text,
                hint=f"name the file: workbench pin FILE{'' if number is None else f'#{number}'} --expect yield; "
                "or the address with --file FILE, which checks that it is the same recording",
            )
        return Target(path=file, number=number, address=head)
    if file is not None:
        raise UsageError("--file goes with an address", where=text, hint="such as apx-0123456789ab#1")
    if _is_file(text):
        return Target(path=text)
    if numbered and _is_file(head):
        return Target(path=head, number=number)
    _require_no_file(text)
    return None


def _is_file(text: str) -> bool:
    """Whether a file has this name; what is too long for one is the id of a call."""
    try:
        return Path(text).is_file()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise


def _require_no_file(text: str) -> None:
    """Refuse a file followed by what is no number of an incident: no call is meant."""
    for place in (at for at, letter in enumerate(text) if letter == "#"):
        if _is_file(text[:place]):
            raise UsageError(
                f"{text[place + 1 :]!r} is no number of an incident",
                where=text,
                hint="FILE#N with N from 1, as workbench autopsy FILE lists them; FILE alone is the first critical one",
            )


def pin_incident(
    target: Target,
    *,
    expect: str,
    author: str,
    at_s: float | None = None,
    channels: Sequence[str] | None = None,
    bounds: Mapping[str, float | None],
    folder: str | Path,
    pre_s: float = PRE_S,
    post_s: float = POST_S,
    key: bytes | None = None,
) -> PinnedIncident:
    """Make a contract of an incident of a file.

    Parameters
    ----------
    target : Target
        Which: by default the first critical barge-in or talk-over.
    expect : {'yield', 'hold'}
        What the agent should have done, in the judgement of `author`.
    author : str
        Who judges.
    at_s : float, optional
        Another moment, in seconds from the start of the file, instead of an incident.
    channels : sequence of str, optional
        One role a channel; needed where nothing else says whose channel is which.
    bounds : mapping of str to float or None
        `max_time_to_yield_s` and `max_talk_over_s`, in seconds.
    folder : path
        Where the contract's folder ``<id>.contract`` is made.
    pre_s, post_s : float
        Context before and after the moment, in seconds.
    key : bytes, optional
        Secret to sign with.

    Returns
    -------
    PinnedIncident

    Raises
    ------
    UsageError
        When there is no such incident, it is of another kind, or the file has other bytes than the address says.
    NotScorable
        When no verdict can rest on the file, or the moment or its clip gives none. Nothing is written.
    ImportFailed, MissingExtra, ExportFailed
        When the file cannot be read, or the folder not be made.
    """
    from workbench.timing.contracts import members
    from workbench.timing.contracts.judging import event_of
    from workbench.timing.contracts.placing import placed

    _possible(author, {"at_s": at_s, **bounds, "pre_s": pre_s, "post_s": post_s}, where=target.path)
    score, measure = ScoreConfig(), MeasureConfig()
    examined, found = measured(target.path, channels=channels, scanning=score, config=measure)
    _require(examined, target)
    incident = None if at_s is not None else _chosen(examined, target.number)
    onset_s = at_s if incident is None else incident["onset_s"]
    event = event_of(found, expect=expect, onset_s=onset_s, bounds=bounds, measure=measure, score=score)
    if event["status"] not in ("PASS", "FAIL"):
        raise NotScorable(
            f"the moment gives no verdict: {event['status']}, {event['reason']}",
            where=target.path,
            hint=REASONS.get(event["reason"]) or examined.next_step or "choose another moment",
        )
    sides = sides_of(examined)
    context = {"pre_s": pre_s, "post_s": post_s}
    made = clip_of(event, sides, examined, author=author, measure=measure, score=score, **context)
    place = Path(folder) / f"{made.contract.contract_id}{members.SUFFIX}"
    with placed(place, members.sealed(made.files, key=key)):
        return PinnedIncident(folder=place, contract=made.contract, incident=incident, event=event)


def sides_of(examined: Examined) -> dict[str, Side]:
    """Return where the caller and the agent of a file are heard.

    Parameters
    ----------
    examined : Examined
        A file with one channel for each.

    Returns
    -------
    dict of str to Side
    """
    from workbench.timing.contracts.clip import Side

    sidecar = recognised(Path(examined.path))[1]
    return {
        role: Side(
            path=examined.path,
            channel_ix=examined.roles.index(role),
            encoding=sidecar.encoding,
            sample_rate_hz=sidecar.sample_rate_hz,
        )
        for role in ("caller", "agent")
    }


def clip_of(
    event: Mapping[str, Any],
    sides: Mapping[str, Side],
    examined: Examined,
    *,
    author: str,
    measure: MeasureConfig,
    score: ScoreConfig,
    pre_s: float = PRE_S,
    post_s: float = POST_S,
) -> Made:
    """Make the files of a contract of a moment of a file, and write none.

    Parameters
    ----------
    event : mapping
        Its scored event, with a verdict.
    sides : mapping of str to Side
        From :func:`sides_of`.
    examined : Examined
        The file.
    author : str
        Who judges.
    measure, score : MeasureConfig, ScoreConfig
        What it was measured and scored with.
    pre_s, post_s : float
        Context before and after the moment, in seconds.

    Returns
    -------
    Made

    Raises
    ------
    NotScorable
        When the clip gives no verdict, or another one than the file.
    """
    from workbench.archive.labelling import AUTHORITY
    from workbench.archive.runs import workbench_version
    from workbench.timing.contracts.clipped import clipped

    return clipped(
        event,
        caller=sides["caller"],
        agent=sides["agent"],
        author=author,
        authority=AUTHORITY,
        source_sha256=[examined.sha256],
        pre_s=pre_s,
        post_s=post_s,
        score=score,
        measure=measure,
        engine=workbench_version(),
        where=examined.path,
    )


def _possible(author: str, seconds: Mapping[str, float | None], *, where: str) -> None:
    if not author.strip():
        raise UsageError("nobody is named who judges", where=where, hint="name somebody with --author")
    for name, value in seconds.items():
        if value is not None and not (0 <= value <= MOST_S and (value > 0 or name != "post_s")):
            raise UsageError(
                f"{name} is {decimals(value)}",
                where=where,
                hint="give seconds from 0 up to a day, and context after it",
            )


def _require(examined: Examined, target: Target) -> None:
    """Refuse other bytes than the address says, and a file that no verdict can rest on."""
    if target.address is not None and examined.name != target.address:
        raise UsageError(
            f"this file is {examined.name}, and not {target.address}: it has other bytes",
            where=target.path,
            hint="name the file that `workbench autopsy` was given, or look at this one anew",
        )
    eligible, reason, next_step = examined.verdict
    if examined.mode != TWO_CHANNELS:
        reason, next_step = examined.reason or "mono", examined.next_step or examined.health["next_step"]
    elif eligible:
        for role in ("caller", "agent"):
            if (count := examined.roles.count(role)) != 1:
                raise NotScorable(
                    f"the {role} is on {plural(count, 'channel')}, and a clip has one for each party",
                    where=target.path,
                    hint=f"bring a file with one {role} channel",
                )
        return
    raise NotScorable(
        f"no verdict can rest on it: {plain_reason(reason)} ({reason})", where=target.path, hint=next_step
    )


def _chosen(examined: Examined, number: int | None) -> dict[str, Any]:
    """The incident of a number, else the first critical one of those that can be pinned."""
    if number is None:
        worst = [one for one in listed(examined.incidents) if one["severity"] == CRITICAL and one["incident"] in PINNED]
        if not worst:
            raise UsageError(
                "it has no critical barge-in or talk-over",
                where=examined.path,
                hint="workbench autopsy lists its incidents: name one as FILE#N, or a moment with --at SECONDS",
            )
        return worst[0]
    found = [one for one in examined.incidents if one["number"] == number]
    if not found:
        raise UsageError(
            f"it has no incident {number}",
            where=examined.path,
            hint=f"it has {plural(len(examined.incidents), 'incident')}: workbench autopsy lists them",
        )
    if found[0]["incident"] not in PINNED:
        raise UsageError(
            f"incident {number} is {found[0]['incident'].replace('_', '-')}: nobody had to yield or to hold",
            where=examined.path,
            hint="a barge-in or a talk-over can be pinned; a silence is a matter for a check, see docs/assertions.md",
        )
    return found[0]
