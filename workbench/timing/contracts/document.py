"""What a contract says: a label, the policy it is judged under, what was measured, and digests of the evidence."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from workbench import guarded
from workbench.audio.config import MeasureConfig
from workbench.decimals import decimals
from workbench.errors import UsageError, WorkbenchError
from workbench.timing.contracts.levels import Level
from workbench.timing.score_config import ScoreConfig

FORMAT = f"{guarded.CONTRACT}1"
LONGEST_S = 86_400.0
"""No time in a contract is longer than a day."""


class Tampered(WorkbenchError):
    """A contract is not what it was when it was made: a digest does not fit."""


class Label(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What its author said the agent should do; `onset_s` counts from the start of the clip."""

    expect: Literal["yield", "hold"]
    onset_s: float
    author: str | None
    authority: str | None


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds in seconds and every number of scoring and measuring; the channels are caller and agent.

    `channel_map_confirmed`: whether the whole call left no doubt which channel is whose, so that a clip in which
    the caller speaks most is not suspected of a swap.
    """

    max_time_to_yield_s: float | None
    max_talk_over_s: float | None
    channel_map_confirmed: bool
    score: dict[str, Any]
    measure: dict[str, Any]

    def configs(self) -> tuple[ScoreConfig, MeasureConfig]:
        """Return both configs.

        Raises
        ------
        UsageError
            When they hold a setting this version does not know, or a value that cannot be.
        """
        bounds = {name: getattr(self, name) for name in ("max_time_to_yield_s", "max_talk_over_s")}
        for name, value in (*bounds.items(), *self.score.items(), *self.measure.items()):
            if isinstance(value, int | float) and not -LONGEST_S <= value <= LONGEST_S:
                raise UsageError(f"the policy says {name} is {value}", hint="pin the moment again")
        return _config(self.score, ScoreConfig), _config(self.measure, MeasureConfig)


class Digests(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """SHA-256 of the recordings the clip was cut from, of the clip's bytes, and of its samples."""

    source_sha256: list[str]
    clip_sha256: str
    clip_pcm_sha256: str


class Contract(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The document `contract.json`."""

    format: str
    contract_id: str
    label: Label
    policy: Policy
    measurement: dict[str, Any]
    digests: Digests
    engine: dict[str, str]
    evidence_level: Level

    def encode(self) -> bytes:
        """Return the document as JSON: sorted keys, the same bytes for the same contract."""
        return msgspec.json.format(msgspec.json.encode(self, order="sorted"), indent=2) + b"\n"


def policy(
    score: ScoreConfig,
    measure: MeasureConfig,
    *,
    max_time_to_yield_s: float | None,
    max_talk_over_s: float | None,
    channel_map_confirmed: bool,
) -> Policy:
    """Return a policy with all settings written out.

    Parameters
    ----------
    score, measure : ScoreConfig, MeasureConfig
        How the moment is scored and measured.
    max_time_to_yield_s, max_talk_over_s : float, optional
        Bounds in seconds.
    channel_map_confirmed : bool
        As in :class:`Policy`.

    Returns
    -------
    Policy
    """
    return Policy(
        max_time_to_yield_s=max_time_to_yield_s,
        max_talk_over_s=max_talk_over_s,
        channel_map_confirmed=channel_map_confirmed,
        score=msgspec.structs.asdict(score),
        measure=msgspec.structs.asdict(measure),
    )


def contract_id(label: Label, policy: Policy, clip_pcm_sha256: str) -> str:
    """Return the name of a contract, from its content.

    Parameters
    ----------
    label : Label
        What was said.
    policy : Policy
        What it is judged under.
    clip_pcm_sha256 : str
        The samples.

    Returns
    -------
    str
        ``ct-`` and 12 hex digits. It names no call and no customer.
    """
    content = msgspec.json.encode([label, policy, clip_pcm_sha256], order="sorted")
    return f"ct-{hashlib.sha256(content).hexdigest()[:12]}"


def decode(content: bytes, *, where: str) -> Contract:
    """Return the contract of a `contract.json`.

    Parameters
    ----------
    content : bytes
        The file.
    where : str
        Its path, for errors.

    Returns
    -------
    Contract

    Raises
    ------
    UsageError
        When it is no contract, or of a version this one does not read.
    Tampered
        When its name does not follow from its label, policy and clip.
    """
    try:
        found = msgspec.json.decode(content, type=dict[str, Any])
        if found.get("format") != FORMAT:
            raise UsageError(
                f"the format is {found.get('format')!r}, this version reads {FORMAT!r}",
                where=where,
                hint="install the version of callbench that wrote it",
            )
        contract = msgspec.json.decode(content, type=Contract)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"this is no contract ({error})", where=where, hint="pin the moment again") from error
    if not 0 <= contract.label.onset_s <= LONGEST_S:
        raise UsageError(f"the onset is {decimals(contract.label.onset_s)} s", where=where, hint="pin the moment again")
    expected = contract_id(contract.label, contract.policy, contract.digests.clip_pcm_sha256)
    if contract.contract_id != expected:
        raise Tampered(
            f"the name {contract.contract_id!r} does not follow from label, policy and clip, which give {expected}",
            where=where,
            hint="somebody changed it: get it again from whoever made it, or pin the moment again",
        )
    return contract


def _config(given: dict[str, Any], kind: Any) -> Any:
    unknown = sorted(set(given) - set(kind.__struct_fields__))
    if unknown:
        raise UsageError(
            f"the policy has settings this version does not know: {', '.join(unknown)}",
            hint="install the version of callbench that wrote it",
        )
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"the policy cannot be read ({error})", hint="pin the moment again") from error
