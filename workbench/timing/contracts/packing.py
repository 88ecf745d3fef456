"""A contract as one file, and out of it again. What is unpacked may come from anybody and is trusted in nothing.

Members are stored, sorted and dated alike, so a contract packs to the same bytes on every machine and with every
version of the compressor.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from pathlib import Path

from workbench.errors import UsageError
from workbench.plural import plural
from workbench.timing.contracts import members
from workbench.timing.contracts.document import decode
from workbench.timing.contracts.validity import require_valid

MAX_MEMBERS = 16
MAX_RATIO = 200
"""Most bytes out of one byte of an archive. Speech and tables compress tenfold at best."""

_DATE = (1980, 1, 1, 0, 0, 0)
_PIECE = 1 << 16
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_OTHER_BYTES = (
    "the files are those of a contract, but the archive has other bytes than `workbench pack` makes of them: "
    "something before, between or after them, or another way of packing"
)
_HINT = "do not use the file; ask whoever sent it for one that `workbench pack` made"


def packed(files: dict[str, bytes]) -> bytes:
    """Return the files of a contract as one archive.

    Parameters
    ----------
    files : dict of str to bytes
        With manifest.

    Returns
    -------
    bytes
        The same for the same files.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            member = zipfile.ZipInfo(name, _DATE)
            member.create_system = 3
            member.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(member, content)
    return out.getvalue()


def verified(folder: Path, *, key: bytes | None = None) -> dict[str, bytes]:
    """Return the files of a contract's folder once its digests fit.

    Parameters
    ----------
    folder : pathlib.Path
        The contract.
    key : bytes, optional
        Secret to sign it with anew.

    Returns
    -------
    dict of str to bytes
        With manifest.

    Raises
    ------
    UsageError, ImportFailed
        When the folder is no contract, or as :func:`workbench.timing.contracts.validity.require_valid`.
    Tampered
        When a digest does not fit.
    """
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder), hint="name a folder NAME.contract")
    files = members.read(folder)
    members.checked(files, where=str(folder))
    require_valid(decode(files[members.DOCUMENT], where=str(folder)), files, where=str(folder))
    if key is None:
        return files
    return members.sealed({name: files[name] for name in members.EVIDENCE}, key=key)


def unpacked(path: Path, *, max_bytes: int = members.MAX_BYTES) -> dict[str, bytes]:
    """Return the files of a packed contract, after every check; nothing is written.

    Parameters
    ----------
    path : pathlib.Path
        The archive.
    max_bytes : int
        Most bytes of the archive, and of all its members as they come out.

    Returns
    -------
    dict of str to bytes
        With manifest; each has the digest the manifest says.

    Raises
    ------
    UsageError
        When it is no archive, or holds what a contract cannot hold: names that lead outside, links, encrypted,
        double, undeclared or too many members, too many bytes, or a compression that is none; or when it is not
        byte for byte what :func:`packed` makes of its files, as with bytes before or after it.
    Tampered
        When a digest does not fit.
    """
    where = str(path)
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe would be waited for
            raise UsageError("it is not a plain file", where=where, hint=_HINT)
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise _too_large(max_bytes, where)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _look(archive.infolist(), where=where, max_bytes=max_bytes)
            files = _taken_out(archive, where=where, max_bytes=max_bytes)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError) as error:
        raise UsageError(f"the archive is damaged or is none ({error})", where=where, hint=_HINT) from error
    except OSError as error:
        raise UsageError(
            f"it cannot be read ({error.strerror or error})", where=where, hint="check the path"
        ) from error
    members.checked(files, where=where)
    decode(files[members.DOCUMENT], where=where)
    if packed(files) != content:
        raise UsageError(_OTHER_BYTES, where=where, hint=_HINT)
    return files


def _look(infos: list[zipfile.ZipInfo], *, where: str, max_bytes: int) -> None:
    """Judge an archive by its directory, before a byte of a member is read."""
    if len(infos) > MAX_MEMBERS:
        raise UsageError(f"it has {plural(len(infos), 'member')}; a contract has at most 6", where=where, hint=_HINT)
    seen: set[str] = set()
    for info in infos:
        problem = _problem(info)
        if problem is None and info.filename.casefold() in seen:
            problem = "is there twice"
        if problem is not None:
            raise UsageError(f"the member {info.orig_filename[:80]!r} {problem}", where=where, hint=_HINT)
        seen.add(info.filename.casefold())
    if sum(info.file_size for info in infos) > max_bytes:
        raise _too_large(max_bytes, where)


def _problem(info: zipfile.ZipInfo) -> str | None:
    name, mode = info.orig_filename, info.external_attr >> 16
    parts = name.split("/")
    if name.startswith("/"):
        return "has an absolute path"
    if "\\" in name or ":" in name or "\0" in name:
        return "has a path of another system"
    if ".." in parts:
        return "leads out of the folder"
    if stat.S_ISLNK(mode):
        return "is a symbolic link"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG) or name.endswith("/"):
        return "is no file"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed in a way that is not read"
    if name not in (*members.EVIDENCE, members.MANIFEST, members.SIGNATURE):
        return "is not declared: no contract holds it"
    if info.file_size > MAX_RATIO * max(1, info.compress_size):
        return f"grows {info.file_size / max(1, info.compress_size):.0f}-fold"
    return None


def _taken_out(archive: zipfile.ZipFile, *, where: str, max_bytes: int) -> dict[str, bytes]:
    """Read the members, counting what really comes out, whatever the directory promised."""
    files: dict[str, bytes] = {}
    left = max_bytes
    for info in archive.infolist():
        content = bytearray()
        with archive.open(info) as member:
            while piece := member.read(_PIECE):
                content += piece
                left -= len(piece)
                if left < 0:
                    raise _too_large(max_bytes, where)
        files[info.filename] = bytes(content)
    return files


def _too_large(max_bytes: int, where: str) -> UsageError:
    return UsageError(
        f"it holds more than {plural(max_bytes, 'byte')}",
        where=where,
        hint="raise --max-bytes if you trust whoever sent it",
    )
