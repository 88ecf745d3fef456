"""Why no moment of one group of an archive has a partner in the other: how many there are, and what would pair them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.archive.call_slices import SLICES
from workbench.archive.comparing import scored_groups
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.archive.lake import Reader

_WITHOUT = (
    "moments are paired by the scenario_id of their calls: give each call one, the same for what is the same test "
    '(in a native file or in the sidecar of a recording: "scenario": {"scenario_id": "..."}), and import the calls '
    "again with --replace; their labels stay"
)
_OTHER = (
    "moments are paired by the scenario_id of their calls, its trial, what was expected, and their rank in the call; "
    'workbench sql "select {by}, scenario_id, trial, count(*) from calls{join} group by all" shows what each group has'
)


def no_partner(reader: Reader, by: str, *, names: tuple[str, str], config_id: str | None = None) -> UsageError:
    """Return what to say of two groups of which no moment could be paired.

    Parameters
    ----------
    reader, by, names, config_id
        As :func:`workbench.archive.comparing.scored_groups`, which found both groups.

    Returns
    -------
    UsageError
        With the scored moments and calls of each group, and how many of its moments name no scenario.

    Raises
    ------
    UsageError
        As :func:`workbench.archive.comparing.scored_groups`.
    """
    said, lacking = [], 0
    for name, cases in zip(names, scored_groups(reader, by, names=names, config_id=config_id), strict=True):
        calls = {case.event["call_id"] for case in cases}
        nameless = {case.event["call_id"] for case in cases if case.key is None}
        lacking += len(nameless)
        without = f", {len(nameless)} without a scenario_id" if nameless else ""
        said.append(f"{name!r} has {plural(len(cases), 'scored moment')} in {plural(len(calls), 'call')}{without}")
    what = f"no moment is in both groups: {'; '.join(said)}"
    join = " join call_slices using (call_id)" if by in SLICES else ""
    return UsageError(what, where=f"--by {by}", hint=_WITHOUT if lacking else _OTHER.format(by=by, join=join))
