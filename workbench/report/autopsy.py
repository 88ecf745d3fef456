"""The page of one recording: its incidents to see and hear, in one file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.incidents import counts
from workbench.analysis.incidents_aside import aside_counts, aside_name, aside_title, listed
from workbench.analysis.incidents_health import SCOPE, plain_reason, plain_warning, swap_reason
from workbench.plural import plural
from workbench.report.incident_drawing import MOST_CARDS, Drawing
from workbench.report.render import render
from workbench.report.sound import BUDGET_BYTES, Sounds
from workbench.timing.health import CAUTION
from workbench.timing.moments import CAVEAT

if TYPE_CHECKING:
    from workbench.analysis.incidents_of_file import Examined
    from workbench.timing.measuring import Measured

MAPS = {
    "option": "as --channels says",
    "sidecar": "as its sidecar says",
    "name": "as its name says",
    "assumed": "assumed: nobody has said so",
    "format": "one channel for all",
}

CAVEATS = {
    "echo_suspected": ("suspected echo, which may be no caller", "suspected echoes, which may be no caller"),
    "latency_spike": ("pause of the caller, who went on", "pauses of the caller, who went on"),
}
"""One and several, by the incidents that can be a caveat."""


def build(examined: Examined, measurement: Measured, *, policy: str, costs: dict[str, Any] | None = None) -> str:
    """Return the page of an examined file.

    Parameters
    ----------
    examined : Examined
        A file with a `mode`.
    measurement : Measured
        Its measurement, the frames not read yet.
    policy : str
        Hash of what decides an incident.
    costs : dict, optional
        From :func:`workbench.analysis.incident_costs.costs`; drawn only where the user brought prices.

    Returns
    -------
    str
        One HTML file: the whole recording with a flag for each incident, a card for each with lanes and sound.
        The same bytes and settings give the same text.
    """
    from workbench.archive.runs import workbench_version

    drawing = Drawing(examined, measurement)
    sounds = Sounds(Path(examined.path))
    told = listed(examined.incidents)
    cards = [drawing.card(one, sounds) for one in told[:MOST_CARDS]]
    eligible, reason, next_step = examined.verdict
    return render(
        "autopsy.html.j2",
        version=workbench_version(),
        examined=examined,
        counts=counts(examined.incidents),
        caveats=_caveats(told),
        scope=SCOPE.get(examined.mode or ""),
        map_said=MAPS[examined.channel_map],
        overview=drawing.overview(),
        cards=cards,
        others=told[MOST_CARDS:],
        apart=[
            (
                aside_title(name, count),
                [one | {"incident": aside_name(one)} for one in examined.incidents if one["aside"] == name],
            )
            for name, count in aside_counts(examined.incidents).items()
            if count
        ],
        silent_count=sounds.silent_count,
        budget_mb=BUDGET_BYTES / 1e6,
        policy_hash=policy,
        warnings=[plain_warning(name) for name in examined.health["warnings"]],
        caution=plain_reason(examined.health["reason"]) if examined.health["recommendation"] == CAUTION else None,
        verdict_eligible=eligible,
        verdict_reason=plain_reason(reason),
        verdict_next_step=next_step,
        swap=swap_reason(examined),
        costs=costs,
    )


def _caveats(told: Sequence[dict[str, Any]]) -> str:
    """Say what the caveats are, by kind."""
    kinds = [one["incident"] for one in told if one["severity"] == CAVEAT]
    found = [plural(kinds.count(kind), one, many=many) for kind, (one, many) in CAVEATS.items() if kind in kinds]
    return ", ".join(found) or "no suspected echo, no pause of the caller taken for a wait"
