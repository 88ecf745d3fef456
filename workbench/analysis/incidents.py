"""Incidents: what the scan found in one recording, the most severe first, each with a plain sentence.

An incident is timing and claims no intent: energy cannot tell "mhm" from "stop".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from workbench.analysis.incidents_aside import REST, aside_of, cut_short, listed
from workbench.analysis.incidents_hidden import severity_of, within_another
from workbench.analysis.incidents_quiet_from import hangovers
from workbench.timing.moments import CAVEAT, CRITICAL, GAP, OVERLAP, SILENCE, START, STOP, WARNING
from workbench.timing.score_config import ScoreConfig

SEVERITIES = (CRITICAL, WARNING, CAVEAT)
KINDS = ("barge_in", "talk_over", "dead_air", "latency_spike", "echo_suspected")
ONE_CHANNEL_KINDS = ("dead_air", "latency_spike")
"""What one channel with both parties can show; the others need a channel each."""

ADDRESS_DIGITS = 12
Otherwise = TypeVar("Otherwise", float, None)
_OF_SILENCES = ("without_faint_s", "until_sound_s", "agent_after_s")


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
    segments: Sequence[Mapping[str, Any]] = (),
    config: ScoreConfig | None = None,
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
    segments : sequence of mapping
        Its runs of speech on the same clock: `role`, `start_s`, `end_s`, `voiced_end_s`, `faint`. A silence begins
        where the last loud frame before it ends, and ends where the caller or the agent begins, faint runs left out;
        without runs it is as long as the scan says.
    config : ScoreConfig, optional
        What it was scanned with.

    Returns
    -------
    list of dict
        Critical ones, warnings, caveats; in each the longest first, then the earliest; after them, in the same order,
        what stands apart: `aside` names why (a key of `ASIDE`), and is None for all others. `address` is
        ``NAME#N``, counted from 1; `onset_s` and `end_s` span what happened; `magnitude_s` says how long both
        spoke, nobody spoke, or the activity lasted; `scanned_onset_s` and `scanned_s` are onset and magnitude of the
        moment, which for a silence count from the end of the hangover until the agent makes a sound (None: the scan has
        no such moment). A silence after a caller or an agent
        lasts, and is as severe as it is, with faint sound left out, as views of turn-taking and checks read it:
        `without_faint_s`; `until_sound_s` is how long it was until any sound, and `agent_after_s` until the agent
        spoke (None: it did not). All three are None for another kind; what rests on faint sound keeps its own length.
        `sentence` is for people.
    """
    config = config or ScoreConfig()
    parties = [row for row in segments if row["role"] in ("caller", "agent")]
    firm = [row for row in parties if not row["faint"]]
    begins, heard, answers = (
        sorted(row["start_s"] for row in rows)
        for rows in (parties, firm, [row for row in firm if row["role"] == "agent"])
    )
    hangover_of = hangovers(segments)
    rows = []
    for moment in moments:
        row = {**moment, "length_s": float(moment["magnitude_s"])} | dict.fromkeys(_OF_SILENCES)
        if moment["kind"] in (GAP, STOP):
            onset_s = moment["onset_s"]
            row["until_sound_s"] = row["length_s"] = min(row["length_s"], _until(begins, onset_s, row["length_s"]))
            row["without_faint_s"] = row["length_s"]
            row["agent_after_s"] = moment["magnitude_s"]
            if parties:
                to_end_s = round(duration_s - onset_s, 6)
                row["without_faint_s"] = max(row["length_s"], _until(heard, onset_s, to_end_s))
                row["agent_after_s"] = _until(answers, onset_s, None)
            if not moment.get("faint"):
                row["length_s"] = row["without_faint_s"]
                row |= severity_of(row, config=config)
        rows.append(row)
    rest = within_another(rows)
    ordered = [
        _from_its_start(row, hangover_of(row))
        | {"aside": REST if ix in rest else aside_of(row, duration_s=duration_s, config=config)}
        for ix, row in enumerate(rows)
    ]
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
            span_s = config.max_search_s if moment["agent_quiet_s"] is None else max(span_s, moment["agent_quiet_s"])
        found.append(
            {
                "address": f"{name}#{number}",
                "number": number,
                "incident": moment["incident"],
                "severity": moment["severity"],
                "onset_s": moment["onset_s"],
                "end_s": round(min(duration_s, moment["onset_s"] + span_s), 6),
                "magnitude_s": moment["length_s"],
                "sentence": sentence(moment, duration_s=duration_s, search_s=config.max_search_s),
                "kind": moment["kind"],
                "scanned_onset_s": moment["scanned_onset_s"],
                "scanned_s": moment["scanned_s"],
                **{name: moment[name] for name in _OF_SILENCES},
                "aside": moment["aside"],
                "yield_after_s": moment["yield_after_s"],
                "agent_quiet_s": moment["agent_quiet_s"],
                "coherence": moment["coherence"],
                "confidence": moment["confidence"],
            }
        )
    return found


def _from_its_start(row: Mapping[str, Any], hangover_s: float) -> dict[str, Any]:
    """The row with a silence counted from the last loud frame before it; what the scan says of it stays beside."""
    scanned_s = row.get("scanned_s", row["magnitude_s"])
    told = {**row, "scanned_s": scanned_s, "scanned_onset_s": None if scanned_s is None else row["onset_s"]}
    told["onset_s"] = round(row["onset_s"] - hangover_s, 6)
    for name in ("length_s", *_OF_SILENCES):
        if row[name] is not None:
            told[name] = round(row[name] + hangover_s, 6)
    return told


def _until(starts: Sequence[float], onset_s: float, otherwise: Otherwise) -> float | Otherwise:
    """How long from a moment until a run begins, 0 where one begins with it; `otherwise` where none does."""
    after = bisect_left(starts, onset_s - 1e-6)
    return round(starts[after] - onset_s, 6) if after < len(starts) else otherwise


def sentence(moment: Mapping[str, Any], *, duration_s: float, search_s: float) -> str:
    """Say what a moment is.

    Parameters
    ----------
    moment : mapping
        A row of the table `moments`, with `length_s`, how long it lasted; of a silence `until_sound_s` and
        `agent_after_s` as well, where they were looked at.
    duration_s : float
        Length of the recording in seconds: a silence that reaches its end is told as such, and so is a search for a
        stop of the agent that the end cut short.
    search_s : float
        How long after an onset the scan looked for a stop, in seconds.

    Returns
    -------
    str
        One sentence, timing only.
    """
    kind, length = moment["kind"], f"{moment['length_s']:.2f} s"
    to_the_end = moment["onset_s"] + moment["length_s"] >= duration_s - 0.05
    answer_s = moment.get("agent_after_s", moment["magnitude_s"])
    broken = answer_s is None or moment["length_s"] < answer_s - 1e-6
    if kind == OVERLAP:
        after = moment["agent_quiet_s"]
        then = f"the agent was not quiet within {search_s:.1f} s"
        if after is not None:
            then = f"the agent was quiet after {after:.2f} s"
        elif cut_short(moment, duration_s=duration_s, search_s=search_s):
            left_s = duration_s - moment["onset_s"]
            then = f"the recording ends {left_s:.2f} s after the onset, before it shows whether the agent stops"
        return f"The caller began while the agent was speaking; {_both(moment)}, and {then}."
    if kind == START:
        return f"The agent began while the caller was speaking; {_both(moment)}."
    if kind == GAP:
        if to_the_end:
            said = f"The caller stopped and no answer came in the {length} to the end of the recording."
        elif broken:
            later = "no words of the agent came after it"
            if answer_s is not None:
                later = f"the agent's next words came {answer_s:.2f} s after that pause began"
            said = f"The caller paused for {length} and went on; {later}."
        else:
            said = f"The caller stopped and the agent's answer came {length} later."
        return said + _faint_before(moment)
    if kind == STOP:
        if broken and not to_the_end:
            said = f"The agent stopped with no caller speaking near; nobody spoke for {length}."
        else:
            until = "to the end of the recording" if to_the_end else "before it spoke again"
            said = f"The agent stopped with no caller speaking near, and nobody spoke for {length} {until}."
        return said + _faint_before(moment)
    if kind == SILENCE:
        until = "to the end of the recording" if to_the_end else "before sound came back"
        return f"Nobody spoke for {length} {until}."
    return (
        f"For {length} the caller's channel follows the agent's sound (coherence {moment['coherence']:.2f}): "
        "it may be an echo and no caller."
    )


def _faint_before(moment: Mapping[str, Any]) -> str:
    """What to add where faint sound lies in a silence."""
    sound_s = moment.get("until_sound_s")
    if sound_s is None or moment["length_s"] <= sound_s + 0.005:
        return ""
    return f" Faint sound (breath, a click, bleed) came {sound_s:.2f} s into it and is no speech."


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
