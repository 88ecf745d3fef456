"""What unpacking refuses: each attack alone, and nothing is left of any of them."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.errors import UsageError
from workbench.timing.contracts.document import Tampered
from workbench.timing.contracts.members import MANIFEST
from workbench.timing.contracts.packing import packed, unpacked

Change = Callable[[zipfile.ZipFile], None]


def written(path: Path, files: dict[str, bytes], change: Change | None = None, *, without: str = "") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            if name != without:
                archive.writestr(name, content)
        if change:
            change(archive)
    return path


def refused(path: Path, match: str, *options: str) -> None:
    """Unpacking says why, ends with 2, and leaves no file and no folder."""
    out = path.parent / "out"
    with pytest.raises((UsageError, Tampered), match=match):
        unpacked(path, max_bytes=int(options[1]) if options else 512 << 20)
    with pytest.raises(SystemExit) as ended:
        main(["unpack", str(path), str(out / "deep"), *options])
    assert ended.value.code == 2
    assert [item.name for item in path.parent.iterdir()] == [path.name]


def member(name: str, *, content: bytes = b"x", mode: int = stat.S_IFREG | 0o644) -> Change:
    def add(archive: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo("name")
        info.filename = name
        info.external_attr = mode << 16
        archive.writestr(info, content)

    return add


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("../evil", "leads out"),
        ("audio/../../evil", "leads out"),
        ("/etc/evil", "absolute"),
        ("..\\evil", "another system"),
        ("C:/evil", "another system"),
        ("C:evil", "another system"),
        ("\\\\host\\share", "another system"),
        ("notes.txt", "not declared"),
        ("./contract.json", "not declared"),
        ("audio//event.wav", "not declared"),
        ("audio/", "is no file"),
    ],
)
def test_a_member_that_does_not_belong(tmp_path: Path, files: dict[str, bytes], name: str, match: str) -> None:
    refused(written(tmp_path / "a.zip", files, member(name)), match)


def test_a_name_that_is_cut_at_a_null(tmp_path: Path, files: dict[str, bytes]) -> None:
    path = written(tmp_path / "a.zip", files, member("trust.jsonZevil"), without="trust.json")
    path.write_bytes(path.read_bytes().replace(b"trust.jsonZevil", b"trust.json\0evil"))
    refused(path, "another system")


def test_a_symbolic_link(tmp_path: Path, files: dict[str, bytes]) -> None:
    link = member("trust.json", content=b"/etc/passwd", mode=stat.S_IFLNK | 0o777)
    refused(written(tmp_path / "a.zip", files, link, without="trust.json"), "symbolic link")


def test_a_device(tmp_path: Path, files: dict[str, bytes]) -> None:
    device = member("trust.json", mode=stat.S_IFCHR | 0o666)
    refused(written(tmp_path / "a.zip", files, device, without="trust.json"), "is no file")


def test_an_encrypted_member(tmp_path: Path, files: dict[str, bytes]) -> None:
    path = written(tmp_path / "a.zip", files)
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 8] |= 1
    path.write_bytes(content)
    refused(path, "encrypted")


@pytest.mark.parametrize("name", ["trust.json", "TRUST.JSON"])
def test_a_member_twice(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    path = tmp_path / "a.zip"
    if name == "trust.json":
        with pytest.warns(UserWarning, match="Duplicate"):
            written(path, files, lambda archive: archive.writestr(name, b"{}"))
        refused(path, "twice")
    else:
        refused(written(path, files, member(name)), "not declared")


def test_too_many_members(tmp_path: Path, files: dict[str, bytes]) -> None:
    def many(archive: zipfile.ZipFile) -> None:
        for ix in range(20):
            archive.writestr(f"n{ix}", b"")

    refused(written(tmp_path / "a.zip", files, many), "members")


def test_a_bomb(tmp_path: Path, files: dict[str, bytes]) -> None:
    def zeros(archive: zipfile.ZipFile) -> None:
        archive.writestr("trust.json", bytes(5_000_000), zipfile.ZIP_DEFLATED)

    refused(written(tmp_path / "a.zip", files, zeros, without="trust.json"), "grows")


def test_a_compressor_that_is_not_read(tmp_path: Path, files: dict[str, bytes]) -> None:
    def other(archive: zipfile.ZipFile) -> None:
        archive.writestr("trust.json", b"{}" * 99, zipfile.ZIP_LZMA)

    refused(written(tmp_path / "a.zip", files, other, without="trust.json"), "not read")


def test_more_bytes_than_allowed(tmp_path: Path, files: dict[str, bytes]) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(packed(files))
    refused(path, "more than 1,000 bytes", "--max-bytes", "1000")


def test_more_bytes_out_of_it_than_its_size(tmp_path: Path, files: dict[str, bytes]) -> None:
    def loud(archive: zipfile.ZipFile) -> None:
        archive.writestr("trust.json", bytes(range(256)) * 400, zipfile.ZIP_DEFLATED, 1)

    path = written(tmp_path / "a.zip", {MANIFEST: files[MANIFEST]}, loud)
    assert path.stat().st_size < 50_000
    refused(path, "more than 50,000 bytes", "--max-bytes", "50000")


def test_a_size_that_lies_is_found_while_reading(tmp_path: Path, files: dict[str, bytes]) -> None:
    """The directory promises 10 bytes of a member that holds 90: what comes out does not fit its checksum."""

    def loud(archive: zipfile.ZipFile) -> None:
        archive.writestr("trust.json", bytes(range(90)), zipfile.ZIP_DEFLATED)

    path = written(tmp_path / "a.zip", files, loud, without="trust.json")
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    path.write_bytes(content)
    refused(path, "damaged")


@pytest.mark.parametrize("name", ["contract.json", "audio/event.wav", "frames.parquet", "trust.json"])
def test_a_changed_byte_in_any_file(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    content = bytearray(files[name])
    content[len(content) // 2] ^= 1
    refused(written(tmp_path / "a.zip", {**files, name: bytes(content)}), "another SHA-256")


@pytest.mark.parametrize("name", ["contract.json", "audio/event.wav", "frames.parquet", "trust.json"])
def test_a_missing_file(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    refused(written(tmp_path / "a.zip", files, without=name), "is missing")


@pytest.mark.parametrize(("before", "after"), [(b"", b"\0\0\0\0"), (b"#!/bin/", b""), (b"", b"MZ" * 9)])
def test_bytes_before_or_after_an_archive(tmp_path: Path, files: dict[str, bytes], before: bytes, after: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(before + packed(files) + after)
    refused(path, "other bytes than")


def test_the_same_files_packed_otherwise(tmp_path: Path, files: dict[str, bytes]) -> None:
    """Dated today, compressed, in another order, or with a comment: no `workbench pack` made it."""
    refused(written(tmp_path / "a.zip", files), "other bytes than")

    def noted(archive: zipfile.ZipFile) -> None:
        archive.comment = b"hello"

    refused(written(tmp_path / "a.zip", files, noted), "other bytes than")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items(), reverse=True):
            archive.writestr(name, content)
    refused(tmp_path / "a.zip", "other bytes than")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive at all", b"\0" * 4096])
def test_no_archive(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    refused(path, "damaged")


def test_every_cut_of_an_archive_is_refused(tmp_path: Path, files: dict[str, bytes]) -> None:
    whole = packed(files)
    path = tmp_path / "a.zip"
    for share in (0.1, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: round(len(whole) * share)])
        with pytest.raises((UsageError, Tampered)):
            unpacked(path)


def test_no_manifest_and_a_manifest_that_is_none(tmp_path: Path, files: dict[str, bytes]) -> None:
    refused(written(tmp_path / "a.zip", files, without=MANIFEST), "there is no MANIFEST")
    refused(written(tmp_path / "a.zip", {**files, MANIFEST: b"[" * 50_000}), "cannot be read")
