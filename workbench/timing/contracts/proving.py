"""Measures contracts again, each from its own sound under its own policy, and says what that shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.errors import UsageError, WorkbenchError
from workbench.plural import plural
from workbench.timing.contracts import members
from workbench.timing.contracts.document import Contract, Tampered, decode
from workbench.timing.contracts.freshness import SAME_ENVELOPE, SAME_PCM, Envelope, freshness
from workbench.timing.contracts.levels import CLAIMS, Level
from workbench.timing.contracts.making import judged, measurement
from workbench.timing.contracts.packing import unpacked
from workbench.timing.contracts.validity import NOT_OF_THE_CLIP, require_valid, stored_frames

if TYPE_CHECKING:
    from workbench.timing.contracts.judging import Judged

PASS, FAIL, TAMPERED, REFUSED = "PASS", "FAIL", "TAMPERED", "REFUSED"
STATUSES = (PASS, FAIL, TAMPERED, REFUSED)
MOST_COMPARED = 200
"""Contracts whose envelopes are compared with one another; of more only the samples are."""

_SAME = 0.011
"""In dB: levels are stored in hundredths, and the last one may be rounded the other way elsewhere."""

MOST_AT_ANY_SPEED = 60
"""Contracts among which copies at another speed are looked for; each pair takes ten times as long."""


class Proof(msgspec.Struct, kw_only=True):
    """What measuring a contract again gave. `drift`: what was measured otherwise, as (name, stored, now).

    `evidence_level` is None where nothing was measured. `same_contract_as` is the path of the same contract, byte for
    byte the same document, that came before: it is measured and counted once.
    """

    path: str
    status: str
    reason: str | None = None
    contract_id: str | None = None
    expect: str | None = None
    authenticity: str | None = None
    engine_stored: str | None = None
    engine_now: str | None = None
    stored: dict[str, Any] | None = None
    now: dict[str, Any] | None = None
    drift: list[tuple[str, Any, Any]] = msgspec.field(default_factory=list)
    frames_drift: int | None = None
    evidence_level: Level | None = None
    same_audio_as: list[str] = msgspec.field(default_factory=list)
    same_contract_as: str | None = None


def contracts_in(paths: Sequence[Path]) -> list[Path]:
    """Return the contracts that paths name: folders, packed files, or folders of them.

    Parameters
    ----------
    paths : sequence of pathlib.Path

    Returns
    -------
    list of pathlib.Path
        Each once, those of a folder by name.

    Raises
    ------
    UsageError
        When a path is not there, or a folder holds no contract.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_file() or (path / members.DOCUMENT).exists() or path.name.endswith(members.SUFFIX):
            inside = [path]
        else:
            inside = sorted([*path.glob(f"*{members.SUFFIX}"), *path.glob(f"*{members.PACKED}")])
        if not inside or not path.exists():
            raise UsageError(
                "there is no contract" if path.exists() else "there is nothing of that name",
                where=str(path),
                hint="name NAME.contract, NAME.contract.zip, or a folder of them; `workbench pin` makes one",
            )
        found += [item for item in inside if item not in found]
    return found


def prove(
    paths: Sequence[Path], *, engine: str, key: bytes | None = None, require_signature: bool = False
) -> list[Proof]:
    """Measure contracts again.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        Contracts, as :func:`contracts_in` finds them.
    engine : str
        Version of the workbench that measures.
    key : bytes, optional
        Secret with which they should be signed.
    require_signature : bool
        Whether a contract without a valid signature is refused.

    Returns
    -------
    list of Proof
        In order. One that cannot be read keeps its place, with its reason.
    """
    proofs, heard = [], {}
    first: dict[bytes, str] = {}
    for nth, path in enumerate(paths):
        proof = Proof(path=str(path), status=REFUSED, engine_now=engine)
        try:
            files = members.read(path) if path.is_dir() else unpacked(path)
            again = _again(files, proof, key=key, require_signature=require_signature)
            if again is not None and (before := first.get(files[members.DOCUMENT])):
                proof.same_contract_as = before
            elif again is not None:
                first[files[members.DOCUMENT]] = proof.path
                heard[nth] = (again.pcm_sha256, again.envelope)
        except Tampered as error:
            proof.status, proof.reason = TAMPERED, error.what
        except WorkbenchError as error:
            proof.status, proof.reason = REFUSED, error.what
        proofs.append(proof)
    _note_copies(proofs, heard)
    return proofs


def counted_once(proofs: Sequence[Proof]) -> list[Proof]:
    """Return the proofs that count: each contract once, however often it was named or copied.

    Parameters
    ----------
    proofs : sequence of Proof

    Returns
    -------
    list of Proof
        In their order, without those that name another one as the same contract.
    """
    return [proof for proof in proofs if proof.same_contract_as is None]


def claim_of(proofs: Sequence[Proof]) -> str:
    """Return the only sentence that may be said of proofs: how many were measured again, and what that shows.

    Parameters
    ----------
    proofs : sequence of Proof

    Returns
    -------
    str
        A contract that was tampered with, or refused before its clip was measured, does not count as measured.
    """
    measured = sum(proof.evidence_level is not None for proof in proofs)
    if not measured:
        return "Nothing was measured: it says nothing of any call, and nothing of today's agent."
    were = "was" if measured == 1 else "were"
    return (
        f"{measured:,} of {plural(len(proofs), 'contract')} {were} measured again. "
        f"{CLAIMS[Level.REVERIFIED].says_nothing_of}"
    )


def _again(files: Mapping[str, bytes], proof: Proof, *, key: bytes | None, require_signature: bool) -> Judged | None:
    members.checked(files, where=proof.path)
    contract = decode(files[members.DOCUMENT], where=proof.path)
    _identify(proof, contract)
    proof.authenticity = members.authenticity(files, key=key)
    if proof.authenticity == members.MISMATCH:
        raise Tampered(members.MISMATCH, where=proof.path)
    if require_signature and proof.authenticity != members.AUTHENTICATED:
        proof.reason = f"a valid signature is required, and it is {proof.authenticity}"
        return None
    require_valid(contract, files, where=proof.path)
    found = judged(files[members.CLIP], contract.label, contract.policy, where=proof.path)
    proof.frames_drift = _frames_drift(files[members.FRAMES], found, engines=(proof.engine_stored, proof.engine_now))
    proof.now, proof.evidence_level = measurement(found), Level.REVERIFIED
    names = sorted(proof.now.keys() | contract.measurement.keys())
    both = [(name, contract.measurement.get(name), proof.now.get(name)) for name in names]
    proof.drift = [(name, stored, now) for name, stored, now in both if stored != now]
    proof.status = found.event["status"] if found.scorable else REFUSED
    proof.reason = found.event["reason"]
    return found


def _identify(proof: Proof, contract: Contract) -> None:
    proof.contract_id, proof.expect = contract.contract_id, contract.label.expect
    proof.stored, proof.engine_stored = contract.measurement, contract.engine.get("version")


def _frames_drift(parquet: bytes, found: Judged, *, engines: tuple[str | None, str | None]) -> int:
    """How many frames have another flag than those that were stored, which another version may hear.

    A level is arithmetic on the clip's samples in every version, and one version gives the same flags.
    """
    import polars as pl

    now = found.frames
    stored = stored_frames(parquet, rows=now.height, names=now.columns)
    off = pl.DataFrame(
        {
            name: (stored[name] - now[name]).abs() > _SAME if name.endswith("_dbfs") else stored[name] != now[name]
            for name in now.columns
        }
    )
    drifted: int = off.select(pl.any_horizontal(pl.all()).sum()).item()
    levels: int = off.select(pl.any_horizontal("time_s", "caller_dbfs", "agent_dbfs").sum()).item()
    wrong = drifted if engines[0] == engines[1] else levels
    if wrong:
        told = f"{wrong:,} of {plural(now.height, 'frame')} in {members.FRAMES} {'is' if wrong == 1 else 'are'} not"
        raise Tampered(f"{told} what the clip gives", hint=NOT_OF_THE_CLIP)
    return drifted


def _note_copies(proofs: list[Proof], heard: Mapping[int, tuple[str, Envelope]]) -> None:
    """Tell of contracts that rest on one recording: they are one piece of evidence."""
    far, any_speed = len(heard) > MOST_COMPARED, len(heard) <= MOST_AT_ANY_SPEED
    for (one, (pcm_1, levels_1)), (two, (pcm_2, levels_2)) in combinations(heard.items(), 2):
        if far:
            state = SAME_PCM if pcm_1 == pcm_2 else ""
        else:
            state = freshness(levels_1, levels_2, first_pcm=pcm_1, second_pcm=pcm_2, any_speed=any_speed).state
        if state in (SAME_PCM, SAME_ENVELOPE):
            for mine, other in ((one, two), (two, one)):
                proofs[mine].same_audio_as.append(f"{proofs[other].contract_id} ({state})")
