"""No option writes over an archive, a contract, or a file of another kind; every command with a path is named here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from workbench.cli import commands, main
from workbench.report.file_kinds import is_of

At = Callable[..., tuple[int, str, str]]
SOUND = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio"
CLIP = SOUND / "vapi-default-01-hard-interruption.example.wav"

READ = {
    ("assert", "file"),
    ("autopsy", "file"),
    ("autopsy", "cost_config"),
    ("baseline", "tolerances"),
    ("benchmark-timing", "folders"),
    ("compare", "policy"),
    ("import", "paths"),
    ("label", "path"),
    ("pack", "contract"),
    ("prove", "paths"),
    ("robustness", "file"),
    ("scan", "folder"),
    ("sql", "file"),
    ("trust", "file"),
    ("unpack", "file"),
}
"""What is only read; `--archive` of every command but the two that make one is too."""

FILES: dict[tuple[str, str], tuple[str, ...]] = {
    ("autopsy", "target"): ("autopsy", "{clip}", "--channels", "caller,agent", "-o", "{target}"),
    ("benchmark-timing", "target"): ("benchmark-timing", "{folder}/none", "-o", "{target}"),
    ("pack", "target"): ("pack", "{contract}", "-o", "{target}"),
    ("prove", "junit"): ("prove", "{contract}", "--junit", "{target}"),
    ("report", "target"): ("report", "archive", "-o", "{target}", "--archive", "{archive}"),
    ("scan", "target"): ("scan", "{folder}/sound", "-o", "{target}"),
    ("sql", "target"): ("sql", "from calls", "--format", "csv", "-o", "{target}", "--archive", "{archive}"),
}
FOLDERS: dict[tuple[str, str], tuple[str, ...]] = {
    ("demo", "folder"): ("demo", "{target}"),
    ("export", "folder"): ("export", "{target}", "--archive", "{archive}"),
    ("import", "archive_path"): ("import", "{clip}", "--archive", "{target}"),
    ("init", "archive_path"): ("init", "--archive", "{target}"),
    ("pin", "folder"): ("pin", "{clip}#1", "--expect", "yield", "--channels", "caller,agent", "-o", "{target}"),
    ("scan", "store"): ("scan", "{folder}/sound", "--store", "{target}"),
    ("unpack", "folder"): ("unpack", "{packed}", "{target}"),
}


def ran(*words: object) -> None:
    """Run a command that passes."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert ended.value.code == 0


@pytest.fixture(scope="module")
def kept(small_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An archive, a contract and its packed file, a recording, and links to them."""
    folder = tmp_path_factory.mktemp("kept")
    archive = folder / "archive"
    shutil.copytree(small_archive, archive)
    (folder / "sound").mkdir()
    (folder / "none").mkdir()
    shutil.copy(CLIP, folder / "sound" / "call.wav")
    said = ["--at", "2", "--expect", "yield", "--channels", "caller,agent", "-o", str(folder / "contracts"), "-q"]
    ran("pin", CLIP, *said)
    (contract,) = (folder / "contracts").iterdir()
    packed = folder / "packed.zip"
    ran("pack", contract, "-o", packed, "-q")
    (folder / "link").symlink_to(archive)
    (folder / "link.sqlite").symlink_to(archive / "catalog.sqlite")
    return {
        "folder": folder,
        "archive": archive,
        "contract": contract,
        "packed": packed,
        "clip": folder / "sound" / "call.wav",
    }


def contents(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def refused(at: At, words: tuple[str, ...], target: Path, kept: dict[str, Path]) -> str:
    """Run a command at a target; all that is there stays as it was."""
    before = contents(kept["folder"])
    code, out, err = at(*(word.format(target=target, **kept) for word in words))
    assert (code, out) == (2, ""), (target, out, err)
    assert err.startswith(f"workbench: {target}"), err
    assert err.count("Hint: ") == 1
    assert contents(kept["folder"]) == before
    return err


def test_every_path_of_every_command_is_read_or_tried_here() -> None:
    paths = {
        (name, str(parameter.name))
        for name, command in commands().items()
        for parameter in command.params
        if isinstance(parameter.type, click.Path) or "-o" in parameter.opts
    }
    made = {path for path in paths if path[1] != "archive_path"} | {
        ("init", "archive_path"),
        ("import", "archive_path"),
    }
    assert made == READ | FILES.keys() | FOLDERS.keys()


@pytest.mark.parametrize("words", FILES.values(), ids=[" ".join(key) for key in FILES])
def test_a_file_is_never_evidence(words: tuple[str, ...], kept: dict[str, Path], at: At) -> None:
    archive, contract = kept["archive"], kept["contract"]
    parquet = next(archive.joinpath("data").rglob("*.parquet"))
    for target in (
        archive / "catalog.sqlite",
        archive / "archive.json",
        archive / "new.csv",
        parquet,
        parquet.with_name("new"),
        kept["folder"] / "link" / "archive.json",
        kept["folder"] / "link.sqlite",
        contract / "contract.json",
        contract / "audio" / "new",
    ):
        assert "which holds evidence" in refused(at, words, target, kept)
    assert "there is a file of this name that is no " in refused(at, words, kept["clip"], kept)


@pytest.mark.parametrize("words", FOLDERS.values(), ids=[" ".join(key) for key in FOLDERS])
def test_a_folder_is_never_made_in_evidence(words: tuple[str, ...], kept: dict[str, Path], at: At) -> None:
    for target in (
        kept["archive"] / "new",
        kept["archive"] / "data" / "far" / "new",
        kept["folder"] / "link" / "new",
        kept["contract"] / "new",
    ):
        assert "which holds evidence" in refused(at, words, target, kept)


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_file_is_replaced_by_one_of_its_kind(form: str, kept: dict[str, Path], tmp_path: Path, at: At) -> None:
    words = ("sql", "select 1 as a, '2' as b", "--archive", kept["archive"], "-o", tmp_path / "x", "--format")
    (tmp_path / "x").touch()
    for _ in range(2):
        assert at(*words, form) == (0, "", "")
    for other in {"csv", "json", "parquet"} - {form}:
        code, _, err = at(*words, other)
        assert (code, "choose another name" in err) == (2, True)


@pytest.mark.parametrize(
    ("kind", "content", "fits"),
    [
        ("csv", 'a,b\n1,"x\ny"\n', True),
        ("csv", "# a: number\na\n1\n", True),
        ("csv", 'a,b\n"You are an agent.\n# Rules",1\n', True),
        ("csv", "\ufeffa,b\n,\n", True),
        ("csv", "A note, with a comma.\nAnd a line without one.\n", False),
        ("csv", "SQLite format 3\0", False),
        ("csv", "a,b\n" + "ä,ö\n" * 40_000, True),
        ("csv", 'a,b\n"' + "x" * 100_000 + '",1\n', True),
        ("json", " [1]", True),
        ("json", "a\n1\n", False),
        ("xml", "<?xml version='1.0'?><testsuites/>", True),
        ("xml", "<!doctype html><html>", False),
        ("html", "<!doctype html><html>", True),
        ("contract", "PK\x03\x04 of a document", False),
    ],
)
def test_a_kind_is_told_by_how_it_begins(kind: str, content: str, fits: bool, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(content, encoding="utf-8", newline="")
    assert is_of(kind, tmp_path / "x") is fits  # type: ignore[arg-type]


def test_a_packed_contract_is_packed_again(kept: dict[str, Path], tmp_path: Path, at: At) -> None:
    for _ in range(2):
        assert at("pack", kept["contract"], "-o", tmp_path / "one.zip", "-q") == (0, "", "")
