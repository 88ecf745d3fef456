"""The config that the recordings of an archive were measured with, as the runs that measured them kept it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.archive.lake import Reader
    from workbench.audio.config import MeasureConfig


def measured_with(reader: Reader, *, among: Collection[str] | None = None) -> MeasureConfig:
    """Return the measuring config of an archive; a frame's time and the length of a hop follow from it.

    Parameters
    ----------
    reader : Reader
        Of the archive.
    among : collection of str, optional
        Ids of configs that count; those of `input_health` by default.

    Returns
    -------
    MeasureConfig
        The one that was used last; the published method where nothing was measured. What a recording was measured
        with says :func:`of_recordings`.
    """
    from workbench.audio.config import MeasureConfig

    return next(iter(configs_of(reader, among=among).values()), MeasureConfig())


def configs_of(reader: Reader, *, among: Collection[str] | None = None) -> dict[str, MeasureConfig]:
    """Return the measuring configs of an archive.

    There are several where a recording could not be measured anew with the one that was used last, and keeps what was
    heard before.

    Parameters
    ----------
    reader, among
        As for :func:`measured_with`.

    Returns
    -------
    dict of str to MeasureConfig
        By their ids, the one that was used last first.
    """
    from workbench.audio.config import MeasureConfig

    if among is None:
        among = {config_id for (config_id,) in reader.rows("select distinct config_id from input_health")[1]}
    found: dict[str, MeasureConfig] = {}
    for (text,) in reader.rows("select config from runs where kind = 'measure' order by started_at desc")[1]:
        config = msgspec.convert(json.loads(text)["measure"], MeasureConfig)
        if config.config_id in among:
            found.setdefault(config.config_id, config)
    return found


def of_recordings(reader: Reader) -> dict[str, MeasureConfig]:
    """Return what each recording of an archive was measured with: its frames lie in time as that says.

    Parameters
    ----------
    reader : Reader
        Of the archive.

    Returns
    -------
    dict of str to MeasureConfig
        By recording; without those that were not measured. The published method where no run says what was used.
    """
    from workbench.audio.config import MeasureConfig

    known = configs_of(reader)
    rows = reader.rows("select recording_id, config_id from input_health")[1]
    return {recording_id: known.get(config_id, MeasureConfig()) for recording_id, config_id in rows}


def one_ruler(events: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the measuring config that events with a verdict rest on; None where there is none.

    Parameters
    ----------
    events : sequence of mapping
        Rows of `scored_events`.

    Raises
    ------
    UsageError
        When they rest on several: figures of two rulers say nothing of each other.
    """
    found = sorted({event["measure_config_id"] for event in events if event["status"] in ("PASS", "FAIL")})
    if len(found) > 1:
        raise UsageError(
            f"the moments were measured with {len(found)} configs ({', '.join(found)}), which are different rulers",
            where="scored_events.measure_config_id",
            hint="workbench measure measures all calls with one, and workbench score scores them anew",
        )
    return found[0] if found else None
