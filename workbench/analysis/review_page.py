"""What a reviewing page remembers and says: answers to take back, moments put off, the last word on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.analysis.review import ASKED, Judgement
from workbench.text.visible import visible


@dataclass(frozen=True)
class Page:
    """The state of a page; each step gives the next one.

    `given` are the judgements that undo takes back, the last one first to go; `put_off` the keys of moments that
    come last; `said` the answer to the last step, `refused` whether it was a refusal.
    """

    given: tuple[Judgement, ...] = ()
    put_off: frozenset[tuple[str, str, int]] = frozenset()
    said: str = ""
    refused: bool = False

    def told(self, said: str) -> Page:
        """Return the page with something done that needs no undoing."""
        return replace(self, said=visible(said), refused=False)

    def refuse(self, problem: str | None) -> Page:
        """Return the page with the reason why nothing was done."""
        return replace(self, said=problem or "", refused=True)

    def answered(self, moment: Mapping[str, Any], expect: str, given: Judgement) -> Page:
        """Return the page with an answer that can be taken back."""
        return replace(self, given=(*self.given, given), said=outcome(moment, expect, given), refused=False)

    def later(self, moment: Mapping[str, Any]) -> Page:
        """Return the page with a moment put off."""
        key = (moment["call_id"], moment["recording_id"], moment["moment_ix"])
        return replace(self, put_off=self.put_off | {key}, said=f"Put off: {place(moment)}.", refused=False)

    def taken_back(self, gone: Judgement) -> Page:
        """Return the page without an answer, whoever gave it."""
        kept = tuple(g for g in self.given if (g.call_id, g.label_id) != (gone.call_id, gone.label_id))
        return replace(self, given=kept, said=f"Taken back: label {gone.label_id}.", refused=False)


def place(moment: Mapping[str, Any]) -> str:
    """Return a moment as a reader finds it again.

    Parameters
    ----------
    moment : mapping
        `call_id` and `onset_s`.

    Returns
    -------
    str
        Safe to show.
    """
    return f"{visible(moment['call_id'])} at {moment['onset_s']:.2f} s"


def outcome(moment: Mapping[str, Any], expect: str, given: Judgement) -> str:
    """Return an answer and what the score makes of it.

    Parameters
    ----------
    moment : mapping
        The moment.
    expect : str
        yield or hold.
    given : Judgement
        The label and its event.

    Returns
    -------
    str
        A sentence or two.
    """
    head = f"{place(moment)}: {expect}."
    if given.event is None:
        return f"{head} Not scored yet."
    why = f" ({given.event['reason']})" if given.event["reason"] else ""
    did = f" The agent {stop(moment)}." if moment["kind"] == ASKED else ""
    return f"{head} Scored {given.event['status']}{why}.{did}"


def stop(moment: Mapping[str, Any]) -> str:
    """Return when the agent stopped, counted as scores count it, or how far it was looked for.

    Parameters
    ----------
    moment : mapping
        `agent_quiet_s`, and where that is None `judgeable` and `reason`.

    Returns
    -------
    str
        "stopped after 1.01 s".
    """
    if moment["agent_quiet_s"] is not None:
        return f"stopped after {moment['agent_quiet_s']:.2f} s"
    if moment["reason"] == "recording_ended":
        return "did not stop before the recording ended, which is before the search for a stop does"
    return "did not stop within the search" if moment["judgeable"] else "was not seen to stop"


def facts(moment: Mapping[str, Any], *, measured: bool) -> list[tuple[str, str]]:
    """Return what is known of a moment.

    Parameters
    ----------
    moment : mapping
        A row of :func:`workbench.analysis.review.queue`.
    measured : bool
        Whether to tell what the agent did, and how severe that is taken to be, of a moment that is to be judged. It
        steers who has not judged yet.

    Returns
    -------
    list of tuple of str
        Label and value; not yet escaped for HTML.
    """
    asked = moment["kind"] == ASKED
    length = "not measured" if moment["magnitude_s"] is None else f"{moment['magnitude_s']:.2f} s"
    agent = [("the agent", stop(moment))] if asked else []
    return [
        ("call", visible(moment["call_id"])),
        ("at", f"{moment['onset_s']:.2f} s"),
        ("what", moment["kind"].replace("_", " ")),
        *([("how long", length), *agent, ("severity", moment["severity"])] if measured or not asked else []),
        ("place in the queue", f"{moment['place']:,}" + (", put off" if moment["put_off"] else "")),
    ]
