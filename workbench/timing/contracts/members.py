"""The files of a contract: which there are, their digests, and the optional signature over them."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from workbench import guarded
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.timing.contracts.document import Tampered

DOCUMENT, CLIP, FRAMES, TRUST = guarded.DOCUMENT, "audio/event.wav", "frames.parquet", "trust.json"
EVIDENCE = (DOCUMENT, CLIP, FRAMES, TRUST)
MANIFEST, SIGNATURE = "MANIFEST.sha256.json", "SIGNATURE.json"
SUFFIX, PACKED = guarded.SUFFIX, f"{guarded.SUFFIX}.zip"
MAX_BYTES = 512 << 20
"""Most bytes of a contract, packed or not, where nobody says otherwise."""

_SHOWN = 5

AUTHENTICATED, UNSIGNED = "authenticated", "unsigned but internally consistent"
MISMATCH, UNCHECKED = "signature does not match", "signed, and no key was given to check it"
ALGORITHM = "HMAC-SHA256"


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """SHA-256 by name of every file but itself and the signature."""

    files: dict[str, str]


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A keyed digest of the manifest's bytes."""

    algorithm: str
    signature: str


def sealed(files: Mapping[str, bytes], *, key: bytes | None = None) -> dict[str, bytes]:
    """Return files with their manifest, and with a signature where there is a key.

    Parameters
    ----------
    files : mapping of str to bytes
        The evidence, by name.
    key : bytes, optional
        Secret of the signer.

    Returns
    -------
    dict of str to bytes
        In the order of the names.
    """
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    manifest = _json(Manifest(files=digests))
    whole = {**files, MANIFEST: manifest}
    if key is not None:
        whole[SIGNATURE] = _json(Signature(algorithm=ALGORITHM, signature=_signed(manifest, key)))
    return dict(sorted(whole.items()))


def checked(files: Mapping[str, bytes], *, where: str) -> None:
    """Refuse files that are not exactly what their manifest says.

    Parameters
    ----------
    files : mapping of str to bytes
        All of them, with manifest.
    where : str
        Their place, for errors.

    Raises
    ------
    UsageError
        When there is no manifest, or it cannot be read.
    Tampered
        When a file is missing, is not declared, or has another digest.
    """
    if MANIFEST not in files:
        raise UsageError(f"there is no {MANIFEST}", where=where, hint="name a contract that `workbench pin` made")
    try:
        declared = msgspec.json.decode(files[MANIFEST], type=Manifest).files
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{MANIFEST} cannot be read ({error})", where=where, hint="get the contract again") from error
    there = set(files) - {MANIFEST, SIGNATURE}
    problems = [f"{name} is missing" for name in sorted((set(declared) | set(EVIDENCE)) - there)]
    problems += [f"{name} is not declared" for name in sorted(there - set(declared))]
    problems += [f"{name} is not part of a contract" for name in sorted(set(declared) - set(EVIDENCE))]
    problems += [
        f"{name} has another SHA-256"
        for name in sorted(there & set(declared))
        if hashlib.sha256(files[name]).hexdigest() != declared[name]
    ]
    if problems:
        hint = "somebody changed it: get it again from whoever made it, or pin the moment again"
        raise Tampered("; ".join(problems), where=where, hint=hint)


def authenticity(files: Mapping[str, bytes], *, key: bytes | None) -> str:
    """Return what the signature of a contract says.

    Parameters
    ----------
    files : mapping of str to bytes
        With manifest.
    key : bytes, optional
        The secret it should be signed with.

    Returns
    -------
    str
        One of the four sentences of this module. Without a signature integrity is all that can be shown: whoever
        changes the policy can write a new manifest.
    """
    if SIGNATURE not in files:
        return UNSIGNED
    if key is None:
        return UNCHECKED
    try:
        found = msgspec.json.decode(files[SIGNATURE], type=Signature)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return MISMATCH
    genuine = found.algorithm == ALGORITHM and hmac.compare_digest(
        found.signature.encode(), _signed(files[MANIFEST], key).encode()
    )
    return AUTHENTICATED if genuine else MISMATCH


def key_from(name: str | None) -> bytes | None:
    """Return the secret that an environment variable holds.

    Parameters
    ----------
    name : str, optional
        Name of the variable; None for no key.

    Returns
    -------
    bytes or None

    Raises
    ------
    UsageError
        When the variable is not set, or empty.
    """
    if name is None:
        return None
    value = os.environ.get(name, "")
    if not value:
        raise UsageError(
            f"the environment variable {name} is not set or empty",
            where="--sign-key-env",
            hint="name the variable that holds the key; the key itself is never an option",
        )
    return value.encode()


def read(folder: Path, *, max_bytes: int = MAX_BYTES) -> dict[str, bytes]:
    """Return the files of a contract's folder that can belong to one.

    Parameters
    ----------
    folder : pathlib.Path
        The folder.
    max_bytes : int
        Most bytes in all.

    Returns
    -------
    dict of str to bytes
        By name.

    Raises
    ------
    UsageError
        When a file is a link or no file, cannot be read, or all are larger than allowed.
    Tampered
        When anything else lies in the folder of a contract, which is not read: whoever gets it would take it for a
        part of the evidence.
    """
    found: dict[str, bytes] = {}
    left = max_bytes
    for name in (*EVIDENCE, MANIFEST, SIGNATURE):
        path = folder / name
        if any(part.is_symlink() for part in (path, path.parent) if part != folder):
            raise UsageError(f"{name} is a link", where=str(folder), hint="copy the contract with its files")
        if not path.exists():
            continue
        if not path.is_file():  # a pipe would be waited for
            raise UsageError(f"{name} is not a plain file", where=str(folder), hint="get the contract again")
        try:
            with path.open("rb") as file:
                content = file.read(left + 1)
        except OSError as error:
            raise UsageError(f"{name} cannot be read ({error.strerror})", where=str(folder)) from error
        left -= len(content)
        if left < 0:
            raise UsageError(
                f"the files are larger than {plural(max_bytes, 'byte')}", where=str(folder), hint="pin a shorter clip"
            )
        found[name] = content
    alien = _undeclared(folder) if MANIFEST in found else []
    if alien:
        shown = "; ".join(f"{name} is not declared" for name in alien[:_SHOWN])
        more = f"; and {len(alien) - _SHOWN:,} more" if len(alien) > _SHOWN else ""
        hint = "take out of the folder what `workbench pin` did not lay there"
        raise Tampered(shown + more, where=str(folder), hint=hint)
    return found


def _undeclared(folder: Path) -> list[str]:
    """Names of a folder that no contract has; what lies in a folder of such a name is not listed."""
    known = {*EVIDENCE, MANIFEST, SIGNATURE}
    inside = Path(CLIP).parent.name
    places = [(folder, ""), (folder / inside, f"{inside}/")]
    try:
        names = [before + entry.name for place, before in places if place.is_dir() for entry in place.iterdir()]
    except OSError as error:
        raise UsageError(f"the folder cannot be listed ({error.strerror})", where=str(folder)) from error
    alien = sorted(name for name in names if name not in known and name != inside)
    return [name.encode("utf-8", "backslashreplace").decode() for name in alien]


def _signed(manifest: bytes, key: bytes) -> str:
    return hmac.new(key, manifest, hashlib.sha256).hexdigest()


def _json(value: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2) + b"\n"
