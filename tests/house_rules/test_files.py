"""One idea a file, named for what it does, and the whole stays small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "stuff"}
LONGEST = 400
LARGEST_REPOSITORY = 60_000_000
LARGEST_BUNDLE = 15_000_000
TEXT = {
    ".py",
    ".sql",
    ".md",
    ".toml",
    ".yaml",
    ".yml",
    ".html",
    ".js",
    ".css",
    ".j2",
    ".json",
    ".lock",
    ".txt",
    "",
}


def test_no_file_is_named_for_nothing(files: list[Path]) -> None:
    vague = [str(f) for f in files if {part.split(".")[0] for part in f.parts if part != f.anchor} & VAGUE]
    assert not [name for name in vague if not name.startswith(("data/", "tests/data/"))]


def test_no_source_file_is_over_400_lines(files: list[Path], root: Path) -> None:
    sources = [f for f in files if f.suffix in {".py", ".sql", ".js", ".css", ".j2"} and "data" not in f.parts]
    lengths = {str(f): (root / f).read_text(encoding="utf-8").count("\n") for f in sources}
    assert lengths
    assert not {name: length for name, length in lengths.items() if length > LONGEST}


def test_test_files_have_names_of_their_own(files: list[Path]) -> None:
    names = [f.name for f in files if f.parts[0] == "tests" and f.name.startswith("test_")]
    assert not sorted({name for name in names if names.count(name) > 1})


def test_every_folder_of_bundled_data_names_its_source_and_licence(root: Path) -> None:
    folders = [path for path in (root / "data" / "calls").iterdir() if path.is_dir()]
    assert len(folders) >= 8
    for folder in folders:
        notice = folder / "NOTICE.md"
        assert notice.is_file(), f"{folder.name} has no NOTICE.md"
        text = notice.read_text(encoding="utf-8")
        assert re.search(r"licen[cs]e|CC BY|MIT|Apache", text, re.IGNORECASE), f"{folder.name}: no licence named"
        assert folder.name in (root / "data" / "README.md").read_text(encoding="utf-8"), folder.name


def test_the_repository_and_the_bundle_stay_small(files: list[Path], root: Path) -> None:
    sizes = {file: (root / file).stat().st_size for file in files}
    assert sum(sizes.values()) < LARGEST_REPOSITORY
    assert 0 < sum(size for file, size in sizes.items() if file.parts[0] == "data") < LARGEST_BUNDLE


# Written in two halves, so that this file does not hold what it looks for.
HOSTS = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "deb" + ".debian.org",
    "hugging" + "face.co",
]
PATHS = r"(?<![\w.$~}])/(?:work|root|home/\w+|Users/\w+|opt|tmp)" + r"(?:/|\b(?=[\s'\"`:]))"
UNFINISHED = r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|NotImplemented" + r"Error|lorem ip" + r"sum)\b"


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a package registry's host", "|".join(re.escape(host) for host in HOSTS)),
        ("a path of one machine", PATHS),
        ("something left for later", UNFINISHED),
    ],
)
def test_no_text_names(files: list[Path], root: Path, what: str, pattern: str) -> None:
    texts = [f for f in files if f.suffix in TEXT and "data" not in f.parts]
    assert texts
    found = [
        f"{file}:{number}: {line.strip()[:120]}"
        for file in texts
        for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert not found, f"{what}:\n" + "\n".join(found)
