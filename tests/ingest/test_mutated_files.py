"""A file with values changed or taken out is read or refused; an importer never stops in another way."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from workbench import ingest
from workbench.errors import ImportFailed
from workbench.ingest.protocol import Options
from workbench.schema.call import Refusal

ROOT = Path(__file__).parents[2]
CALLS, FIXTURES = ROOT / "data" / "calls", ROOT / "tests" / "data" / "ingest"
JUNK = (None, -1, 1e300, "", "x", [], {}, True, [1], {"a": 1}, 10**18, "2026-13-01", ["x"], 3.7)
ROUNDS = 8

SOURCES = {
    "eva": CALLS / "eva-airline" / "record-1.1.2",
    "harper_valley": CALLS / "harper-valley-bank",
    "hotato_envelope": FIXTURES / "hotato_envelope" / "battery-result.json",
    "hotato_scenario": CALLS / "ami-floor-exchange",
    "hotato_trace": CALLS / "hotato-traces" / "clean-cancel",
    "hotato_trace_file": CALLS / "hotato-traces" / "clean-cancel" / "voice_trace.jsonl",
    "punchin": FIXTURES / "punchin" / "call-format-1.json",
    "tau2_file": FIXTURES / "tau2" / "text-results.json",
    "tau_bench": CALLS / "tau-bench" / "gpt-4o-airline-first-20.json",
    "transcript": CALLS / "hotato-traces" / "clean-cancel" / "transcript.json",
    "vcon": CALLS / "vcon-synthetic" / "05cec3d4-0561-4010-9fb8-23cc7edef146.vcon.json",
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items)[:20]:
        yield from places(inner, (*path, key))


def mutate(text: str, chance: random.Random) -> str:
    value = json.loads(text)
    *outer, last = chance.choice(list(places(value)) or [("x",)])
    inner = value
    for key in outer:
        inner = inner[key]
    if chance.random() < 0.3:
        del inner[last]
    else:
        inner[last] = chance.choice(JUNK)
    return json.dumps(value)


def mutate_file(path: Path, chance: random.Random) -> None:
    if path.suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").splitlines()
        at = chance.randrange(len(lines))
        lines[at] = mutate(lines[at], chance)
        path.write_text("\n".join(lines), encoding="utf-8")
    else:
        path.write_text(mutate(path.read_text(encoding="utf-8"), chance), encoding="utf-8")


def small_copy(source: Path, target: Path) -> Path:
    """Copy a file, or at most two JSON files of each folder and no sound."""
    if source.is_file():
        return Path(shutil.copy(source, target))
    for folder in [source, *(path for path in source.iterdir() if path.is_dir())]:
        place = target / "copy" / folder.relative_to(source)
        place.mkdir(parents=True)
        for number, file in enumerate(sorted(path for path in folder.iterdir() if path.is_file())):
            if file.suffix in (".json", ".jsonl") and (number < 2 or folder == source):
                shutil.copy(file, place)
            elif file.suffix == ".wav":
                (place / file.name).write_bytes(b"RIFF")
    return target / "copy"


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_changed_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    importer = ingest.importers()[name]
    refused: list[ImportFailed] = []
    read = 0
    for number in range(ROUNDS):
        chance = random.Random(f"{name} {number}")
        folder = tmp_path / str(number)
        folder.mkdir()
        path = small_copy(SOURCES[name], folder)
        files = [path] if path.is_file() else sorted(path.rglob("*.json*"))
        for file in chance.sample(files, max(1, len(files) // 2)):
            mutate_file(file, chance)
        try:
            found = list(importer.read(path, Options()))
        except ImportFailed as error:
            refused.append(error)
            continue
        read += 1
        for one in found:
            assert msgspec.json.decode(msgspec.json.encode(one), type=type(one)) == one
            assert not isinstance(one, Refusal) or (one.message and one.hint and one.rule)
    assert read + len(refused) == ROUNDS
    assert all(error.what and error.hint for error in refused)
