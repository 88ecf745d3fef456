"""Incidents: what the scan found in one recording, the most severe first, each with a plain sentence.

An incident is timing and claims no intent: energy cannot tell "mhm" from "stop".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.analysis.incidents_aside import DEAD_AIR_S, FAINT, aside_of, listed
from workbench.timing.moments import CAVEAT, CRITICAL, GAP, OVERLAP, SILENCE, START, STOP, WARNING

SEVERITIES = (CRITICAL, WARNING, CAVEAT)
KINDS = ("barge_in", "talk_over", "dead_air", "latency_spike", "echo_suspected")
ADDRESS_DIGITS = 12


def address(sha256: str) -> str:
    """Return the name of the findings of a recording, the same wherever its bytes lie.

    Parameters
    ----------
    sha256 : str
        Digest of the file's own bytes, not of what they decode to.

    Returns
    -------
    str
        `apx-` and the first 12 hex digits.

    Examples
    --------
    >>> address("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    'apx-e3b0c44298fc'
    """
    return f"apx-{sha256[:ADDRESS_DIGITS]}"


def spoken(kind: str) -> str:
    """Return the name of a kind of incident as people and price lists write it.

    Parameters
    ----------
    kind : str
        One of `KINDS`.

    Returns
    -------
    str
        "dead-air" for "dead_air".
    """
    return kind.replace("_", "-")


def incidents(
    moments: Sequence[Mapping[str, Any]],
    *,
    name: str,
    duration_s: float,
    search_s: float,
    starts: Sequence[float] = (),
    spoken_from: Sequence[float] | None = None,
    dead_air_s: float = DEAD_AIR_S,
) -> list[dict[str, Any]]:
    """Number the moments of one recording as incidents.

    Parameters
    ----------
    moments : sequence of mapping
        Rows of the table `moments`; empty gives an empty list.
    name : str
        Address of the recording, see :func:`address`.
    duration_s : float
        Its length in seconds.
    search_s : float
        How long after an onset the scan looked for a yield, in seconds.
    starts : sequence of float
        When any run of speech of either party begins, in seconds: a silence ends there.
    spoken_from : sequence of float, optional
        Those of `starts` that are not faint; all by default.
    dead_air_s : float
        From which silence on it is dead air, in seconds.

    Returns
    -------
    list of dict
        Critical ones, warnings, caveats; in each the longest first, then the earliest; after them, in the same order,
        what stands apart: `aside` names why (a key of `ASIDE`), and is None for all others. `address` is
        ``NAME#N``, counted from 1; `onset_s` and `end_s` span what happened; `magnitude_s` says how long both
        spoke, nobody spoke, or the activity lasted; `scanned_s` is the magnitude of the moment, which for a silence
        counts until the agent speaks, and `without_faint_s` how long that silence is where faint sound is no speech,
        as views of turn-taking and checks read it (None for what is no such silence); `sentence` is for people.
    """
    begins, heard = sorted(starts), sorted(starts if spoken_from is None else spoken_from)
    ordered: list[dict[str, Any]] = []
    for moment in moments:
        row = {**moment, "length_s": _length(moment, begins), "without_faint_s": None}
        if moment["kind"] in (GAP, STOP):
            row["without_faint_s"] = max(row["length_s"], _until(heard, moment["onset_s"], duration_s=duration_s))
        ordered.append(row | {"aside": aside_of(row, dead_air_s=dead_air_s)})
    ordered.sort(
        key=lambda m: (
            m["aside"] is not None,
            SEVERITIES.index(m["severity"]),
            -m["length_s"],
            m["onset_s"],
            m["kind"],
        )
    )
    found = []
    for number, moment in enumerate(ordered, start=1):
        span_s = moment["length_s"]
        if moment["kind"] == OVERLAP:  # what overlaps may have pauses in it: the span is that of the search
            span_s = search_s if moment["agent_quiet_s"] is None else max(span_s, moment["agent_quiet_s"])
        found.append(
            {
                "address": f"{name}#{number}",
                "number": number,
                "incident": moment["incident"],
                "severity": moment["severity"],
                "onset_s": moment["onset_s"],
                "end_s": round(min(duration_s, moment["onset_s"] + span_s), 6),
                "magnitude_s": moment["length_s"],
                "sentence": sentence(moment, duration_s=duration_s, search_s=search_s) + _longer(moment),
                "kind": moment["kind"],
                "scanned_s": moment["magnitude_s"],
                "without_faint_s": moment["without_faint_s"],
                "aside": moment["aside"],
                "yield_after_s": moment["yield_after_s"],
                "agent_quiet_s": moment["agent_quiet_s"],
                "coherence": moment["coherence"],
                "confidence": moment["confidence"],
            }
        )
    return found


def _until(starts: Sequence[float], onset_s: float, *, duration_s: float) -> float:
    """How long from a moment until anybody begins to speak, or to the end."""
    after = bisect_left(starts, onset_s - 1e-6)
    return float(round((starts[after] if after < len(starts) else duration_s) - onset_s, 6))


def _length(moment: Mapping[str, Any], starts: Sequence[float]) -> float:
    """How long it lasted: for the silence after a caller or an agent, until anybody speaks."""
    length_s = float(moment["magnitude_s"])
    if moment["kind"] in (GAP, STOP):
        after = bisect_left(starts, moment["onset_s"] - 1e-6)
        if after < len(starts) and (nobody_s := starts[after] - moment["onset_s"]) < length_s - 1e-6:
            return float(round(nobody_s, 6))
    return length_s


def sentence(moment: Mapping[str, Any], *, duration_s: float, search_s: float) -> str:
    """Say what a moment is.

    Parameters
    ----------
    moment : mapping
        A row of the table `moments`, with `length_s`, how long it lasted.
    duration_s : float
        Length of the recording in seconds: a silence that reaches its end is told as such.
    search_s : float
        How long after an onset the scan looked for a yield, in seconds.

    Returns
    -------
    str
        One sentence, timing only.
    """
    kind, length = moment["kind"], f"{moment['length_s']:.2f} s"
    to_the_end = moment["onset_s"] + moment["length_s"] >= duration_s - 0.05
    broken = moment["length_s"] < moment["magnitude_s"]
    if kind == OVERLAP:
        after = moment["agent_quiet_s"]
        then = (
            f"the agent was not quiet within {search_s:.1f} s"
            if after is None
            else f"the agent was quiet after {after:.2f} s"
        )
        return f"The caller began while the agent was speaking; {_both(moment)}, and {then}."
    if kind == START:
        return f"The agent began while the caller was speaking; {_both(moment)}."
    if kind == GAP:
        if broken:
            later = f"the agent's next words came {moment['magnitude_s']:.2f} s after that pause began"
            return f"The caller paused for {length} and went on; {later}."
        if to_the_end:
            return f"The caller stopped and no answer came in the {length} to the end of the recording."
        return f"The caller stopped and the agent's answer came {length} later."
    if kind == STOP:
        if broken:
            return f"The agent stopped with no caller speaking near; nobody spoke for {length}."
        until = "to the end of the recording" if to_the_end else "before it spoke again"
        return f"The agent stopped with no caller speaking near, and nobody spoke for {length} {until}."
    if kind == SILENCE:
        until = "to the end of the recording" if to_the_end else "before sound came back"
        return f"Nobody spoke for {length} {until}."
    return (
        f"For {length} the caller's channel follows the agent's sound (coherence {moment['coherence']:.2f}): "
        "it may be an echo and no caller."
    )


def _longer(moment: Mapping[str, Any]) -> str:
    """What to add where only faint sound ends a silence: the checks go on counting."""
    without = moment["without_faint_s"]
    if without is None or moment["aside"] == FAINT or without <= moment["length_s"] + 0.005:
        return ""
    return f" With faint sound left out nobody spoke for {without:.2f} s."


def _both(moment: Mapping[str, Any]) -> str:
    """How long both spoke; who has just stopped counts as speaking for as long as the hangover."""
    if moment["magnitude_s"] < 0.005:
        return "one had just stopped, so that they were not heard at once"
    return f"both spoke for {moment['magnitude_s']:.2f} s"


def counts(found: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Count incidents by severity, without those that stand apart.

    Parameters
    ----------
    found : sequence of mapping
        Incidents with `severity`.

    Returns
    -------
    dict of str to int
        Every severity, those without an incident as 0.
    """
    return {name: sum(one["severity"] == name for one in listed(found)) for name in SEVERITIES}
