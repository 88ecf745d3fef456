"""Two groups of scored moments of an archive, by version, arm or scoring config, and what their recordings share."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.archive.call_slices import SLICES, call_slices
from workbench.archive.measured_with import of_recordings, one_ruler
from workbench.errors import UsageError
from workbench.timing.contracts.battery import MIN_FAILING, Battery, compare_groups
from workbench.timing.contracts.freshness import SAME_PCM, Envelope, Freshness, freshness
from workbench.timing.contracts.pairing import Case
from workbench.timing.contracts.rulers import Rulers, compare_rulers
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    import polars as pl

    from workbench.archive.lake import Reader

GROUPS = ("agent_version", "agent_id", "agent_config_sha256", "arm", "experiment_id")
BY = (*GROUPS, *SLICES, "config_id")
"""What calls can be grouped by; slices of the sound have the groups true and false, and a call whose sound is not
described is in neither. `config_id` compares two rulers over the same calls, not two agents."""

Group = dict[str, Any]


def scored_groups(reader: Reader, by: str, *, names: tuple[str, str], config_id: str | None = None) -> list[list[Case]]:
    """Return the standing, scored moments of two groups.

    Parameters
    ----------
    reader : Reader
        The archive.
    by : str
        One of :data:`BY`.
    names : tuple of str
        The value of `by` in each group.
    config_id : str, optional
        Scoring config; the published method's where it was used, else the only one there is.

    Returns
    -------
    list of list of Case
        A moment is named by its scenario, repeat, expectation and rank among those of its call; without a scenario
        it has no partner. By `config_id` it is named by call and label.

    Raises
    ------
    UsageError
        When a group is empty, or several configs were used and none is named.
    """
    if by not in BY:
        raise UsageError(f"calls cannot be grouped by {by!r}", where="--by", hint=f"one of {', '.join(BY)}")
    calls = _calls(reader)
    rows = _standing(reader).to_dicts() if by == "config_id" else chosen_events(reader, config_id)[0]
    groups: list[list[Case]] = []
    compared: list[dict[str, Any]] = []
    for name in names:
        mine = [row for row in rows if (row if by == "config_id" else calls[row["call_id"]])[by] == name]
        if not mine:
            raise UsageError(
                f"no labelled moment of {by} {name!r} was scored",
                where=f"--by {by}",
                hint=_hint(by),
            )
        groups.append(_cases(mine, calls, by))
        compared += mine
    if by != "config_id":
        one_ruler(compared)
    return groups


def _hint(by: str) -> str:
    view = "call_slices" if by in SLICES else "scored_events" if by == "config_id" else "calls"
    described = "workbench acoustics describes the sound; " if by in SLICES else ""
    return (
        f"{described}workbench label CALL --at SECONDS --expect yield labels a moment, and workbench score scores; "
        f'workbench sql "select distinct {by} from {view}" lists the groups'
    )


def _calls(reader: Reader) -> dict[str, Group]:
    """Facts of each call by its id; slices of its sound as the words true and false."""
    slices, words = call_slices(reader), {True: "true", False: "false", None: None}
    rows = reader.frame("from calls").to_dicts()
    return {row["call_id"]: row | {name: words[slices[row["call_id"]][name]] for name in SLICES} for row in rows}


def chosen_events(reader: Reader, config_id: str | None) -> tuple[list[dict[str, Any]], str]:
    """Return the scored events of labels that stand, one a moment, under one scoring config, and its id.

    Parameters
    ----------
    reader : Reader
        The archive.
    config_id : str, optional
        The config; the published method's where it was used, else the only one there is.

    Raises
    ------
    UsageError
        When several were used and none is named, or the named one was not.
    """
    events = _standing(reader)
    chosen = _config(set(events["config_id"]), config_id)
    return events.filter(events["config_id"] == chosen).to_dicts(), chosen


def _standing(reader: Reader) -> pl.DataFrame:
    """Scored events, one a moment, with the verdict that the view gives: none where labels disagree by now."""
    verdicts = reader.frame("select call_id, label_id, config_id, status, reason from timing_events")
    events = reader.frame("from scored_events order by call_id, onset_s, label_id").drop("status", "reason")
    return events.join(verdicts, on=["call_id", "label_id", "config_id"], maintain_order="left")


def compare_archive(
    reader: Reader,
    by: str,
    *,
    names: tuple[str, str],
    config_id: str | None = None,
    min_n: int = MIN_FAILING,
    deployed: bool = False,
) -> Battery:
    """Compare two groups of an archive; as :func:`workbench.timing.contracts.battery.compare_groups`.

    Parameters
    ----------
    reader : Reader
        The archive.
    by, names, config_id
        As :func:`scored_groups`.
    min_n, deployed
        As :func:`workbench.timing.contracts.battery.compare_groups`.

    Raises
    ------
    UsageError
        As :func:`scored_groups`.
    """
    before, after = scored_groups(reader, by, names=names, config_id=config_id)
    sounds = Sounds(reader)
    return compare_groups(
        before,
        after,
        fresh=lambda one, two: sounds.freshness(one["call_id"], two["call_id"]),
        min_n=min_n,
        deployed=deployed,
    )


def compare_configs(reader: Reader, *, names: tuple[str, str]) -> Rulers:
    """Compare two scoring configs over an archive's moments.

    Parameters
    ----------
    reader : Reader
        The archive.
    names : tuple of str
        Ids of the configs.

    Raises
    ------
    UsageError
        As :func:`scored_groups`.
    """
    return compare_rulers(*scored_groups(reader, "config_id", names=names))


def _config(there: set[str], wanted: str | None) -> str:
    published = ScoreConfig().config_id
    if wanted is None and (published in there or not there):
        return published
    if wanted is None and len(there) == 1:
        return next(iter(there))
    if wanted is None or wanted not in there:
        raise UsageError(
            "several scoring configs were used" if wanted is None else f"nothing was scored with config {wanted!r}",
            where="--config",
            hint=f"name one of {', '.join(sorted(there)) or '(none)'}",
        )
    return wanted


def _cases(rows: list[dict[str, Any]], calls: dict[str, Group], by: str) -> list[Case]:
    ranks: dict[tuple[str, str | None], int] = defaultdict(int)
    cases = []
    for row in rows:
        call = calls[row["call_id"]]
        nth = ranks[row["call_id"], row["expect"]]
        ranks[row["call_id"], row["expect"]] += 1
        if by == "config_id":
            key = f"{row['call_id']} {row['label_id']}"
        elif call["scenario_id"] is None:
            cases.append(Case(key=None, event=row))
            continue
        else:
            trial = "" if call["trial"] is None else f" trial {call['trial']}"
            key = f"{call['scenario_id']}{trial} {row['expect']} {nth + 1}"
        cases.append(Case(key=key, event=row))
    return cases


class Sounds:
    """Digests and envelopes of calls, read when they are asked for.

    Parameters
    ----------
    reader : Reader
        The archive.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._measured_with = of_recordings(reader)
        names = "call_id, caller_recording_id as caller, agent_recording_id as agent"
        self._sides = {row["call_id"]: row for row in reader.frame(f"from timing_inputs select {names}").to_dicts()}
        names = "call_id, recording_id, pcm_sha256, sample_rate_hz, offset_s"
        found = reader.frame(f"from recordings select {names}").to_dicts()
        self._recordings = {(row["call_id"], row["recording_id"]): row for row in found}
        self._envelopes: dict[str, Envelope] = {}

    def freshness(self, one: str, two: str, *, any_speed: bool = True) -> Freshness:
        """Return what the recordings of two calls are to each other; `unknown` for a call without measured audio."""
        if one not in self._sides or two not in self._sides:
            return Freshness(state="unknown")
        first, second = self.pcm(one), self.pcm(two)
        if first == second:
            return Freshness(state=SAME_PCM, correlation=1.0)
        levels = self._envelope(one), self._envelope(two)
        return freshness(*levels, first_pcm=first, second_pcm=second, any_speed=any_speed)

    def pcm(self, call_id: str) -> str | None:
        """Return the digests of a call's samples as one text; None where it has no measured audio of both parties."""
        sides = self._sides.get(call_id)
        if sides is None:
            return None
        digests = [self._recordings[call_id, sides[role]]["pcm_sha256"] for role in ("caller", "agent")]
        return None if None in digests else " ".join(digests)

    def _envelope(self, call_id: str) -> Envelope:
        if call_id not in self._envelopes:
            tracks = [self._track(call_id, role) for role in ("caller", "agent")]
            count = max(len(levels) for levels, _ in tracks)
            padded = [np.pad(levels, (0, count - len(levels)), constant_values=-120.0) for levels, _ in tracks]
            self._envelopes[call_id] = Envelope(dbfs=np.stack(padded), hop_s=tracks[0][1])
        return self._envelopes[call_id]

    def _track(self, call_id: str, role: str) -> tuple[Any, float]:
        """Levels of a party from the start of the call's earliest recording, and their distance."""
        sides = self._sides[call_id]
        recording = self._recordings[call_id, sides[role]]
        base_s = min(self._recordings[call_id, sides[name]]["offset_s"] for name in ("caller", "agent"))
        hop_s = self._measured_with[sides[role]].hop_s(recording["sample_rate_hz"])
        query = f"from frames select {role}_dbfs as level where recording_id = $id order by frame_ix"
        levels = self._reader.frame(query, {"id": sides[role]})["level"].fill_null(-120.0).to_numpy()
        shift = round((recording["offset_s"] - base_s) / hop_s)
        return np.concatenate([np.full(shift, -120.0), levels]), hop_s
