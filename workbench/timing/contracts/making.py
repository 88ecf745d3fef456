"""Makes the files of a contract out of a clip and a label: the clip is measured as a recording of its own."""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.audio.stand_in import standing_for
from workbench.errors import NotScorable
from workbench.timing.contracts import members
from workbench.timing.contracts.clip_hints import clip_hint
from workbench.timing.contracts.document import FORMAT, Contract, Digests, Label, Policy, contract_id
from workbench.timing.contracts.judging import Judged, judge
from workbench.timing.contracts.levels import Level
from workbench.timing.contracts.validity import two_channels

if TYPE_CHECKING:
    import polars as pl

NAMED = ("expect", "max_time_to_yield_s", "max_talk_over_s")
"""What of an event stands in the label or the policy already."""


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A contract with its files, but for manifest and signature."""

    contract: Contract
    files: dict[str, bytes]


def make(wav: bytes, label: Label, *, policy: Policy, source_sha256: Sequence[str], engine: str, where: str) -> Made:
    """Measure a clip and make a contract of it.

    Parameters
    ----------
    wav : bytes
        16-bit WAV, caller and agent.
    label : Label
        What the agent should have done, and when.
    policy : Policy
        What it is judged under.
    source_sha256 : sequence of str
        Digests of the recordings the clip comes from.
    engine : str
        Version of the workbench.
    where : str
        The moment, for errors.

    Returns
    -------
    Made

    Raises
    ------
    NotScorable
        When the clip gives no verdict.
    """
    found = judged(wav, label, policy, where=where)
    if not found.scorable:
        raise NotScorable(
            f"the clip gives no verdict: {found.event['status']}, {found.event['reason']}",
            where=where,
            hint=clip_hint(found.event, found.health),
        )
    digests = Digests(
        source_sha256=sorted(set(source_sha256)),
        clip_sha256=hashlib.sha256(wav).hexdigest(),
        clip_pcm_sha256=found.pcm_sha256,
    )
    contract = Contract(
        format=FORMAT,
        contract_id=contract_id(label, policy, found.pcm_sha256),
        label=label,
        policy=policy,
        measurement=measurement(found),
        digests=digests,
        engine={"name": "workbench", "version": engine},
        evidence_level=Level.CREATED,
    )
    trust = msgspec.json.encode({"health": found.health, "channels": found.channels}, order="sorted")
    return Made(
        contract=contract,
        files={
            members.DOCUMENT: contract.encode(),
            members.CLIP: wav,
            members.FRAMES: _parquet(found.frames),
            members.TRUST: msgspec.json.format(trust, indent=2) + b"\n",
        },
    )


def judged(wav: bytes, label: Label, policy: Policy, *, where: str) -> Judged:
    """Measure and score a clip under a policy.

    Parameters
    ----------
    wav : bytes
        The clip.
    label : Label
        The moment.
    policy : Policy
        Bounds and configs.
    where : str
        The moment or contract, for errors.

    Returns
    -------
    Judged

    Raises
    ------
    UsageError
        When the policy cannot be read, or the clip is no 16-bit WAV of two channels.
    ImportFailed
        When the clip is no sound.
    """
    score, measure = policy.configs()
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        path = Path(folder) / "event.wav"
        path.write_bytes(wav)
        with standing_for(where, path):
            two_channels(path)
            return judge(
                path,
                expect=label.expect,
                onset_s=label.onset_s,
                max_time_to_yield_s=policy.max_time_to_yield_s,
                max_talk_over_s=policy.max_talk_over_s,
                score=score,
                measure=measure,
                channel_map_confirmed=policy.channel_map_confirmed,
            )


def measurement(found: Judged) -> dict[str, Any]:
    """Return what a contract keeps of a scored event.

    Parameters
    ----------
    found : Judged
        With its event.

    Returns
    -------
    dict
        Columns of `scored_events` but for ids, expectation and bounds.
    """
    return {name: value for name, value in found.event.items() if name not in NAMED}


def _parquet(frames: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frames.write_parquet(out, compression="zstd", compression_level=3)
    return out.getvalue()
