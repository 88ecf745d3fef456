"""What holds for every importer, found by the folder they lie in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench import ingest
from workbench.assets import folder
from workbench.errors import WorkbenchError
from workbench.ingest.intake.discovery import importers
from workbench.ingest.protocol import HEAD_BYTES, Importer, Options
from workbench.schema.call import Call, Refusal

CALLS = folder("data") / "calls"
TESTS = Path(__file__).parent
FORMATS = sorted(importers())
FILE_FORMATS = [name for name in FORMATS if importers()[name].CLAIMS == "file"]
KEYS = (
    *("id", "turns", "role", "speaker", "text", "start_s", "scenario", "audio", "channels", "name"),
    *("ground_truth_transcript", "stage_timings_ms", "interruptions", "tool_calls", "actions"),
)
JUNK = [
    b"",
    b"\x00" * 100,
    b"{",
    b"[",
    b"null",
    b"[1, 2]",
    b'{"id": "c"}',
    b'{"turns": null, "id": null, "scenario": null}',
    b'[{"role": "user"}]',
    b'{"turns": [null]}',
    b"\xff\xfe\x00{",
    b"RIFF",
    b"Agent",
    b"[" * 100_000,
]


def module(importer: Importer) -> str:
    name: str = importer.__name__  # type: ignore[attr-defined]
    return name.rpartition(".")[2]


@pytest.mark.parametrize("name", FORMATS)
def test_it_has_a_line_of_documentation_and_says_what_it_claims(name: str) -> None:
    importer = importers()[name]
    assert name == importer.FORMAT
    assert 20 <= len(importer.ABOUT) <= 160
    assert "\n" not in importer.ABOUT
    assert importer.ABOUT.endswith(".")
    assert importer.CLAIMS in ("file", "folder")


@pytest.mark.parametrize("name", FORMATS)
def test_it_has_a_test_with_an_example_and_a_refusal(name: str) -> None:
    """In the file named after it, or in one that names it."""
    own = module(importers()[name])
    texts = {path.name: path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py")}
    found = [text for file, text in texts.items() if file == f"test_{own}.py" or own in text]
    assert any("refus" in text for text in found), f"write test_{own}.py"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
def test_junk_is_not_claimed_and_when_forced_is_refused(tmp_path: Path, name: str, junk: bytes) -> None:
    importer = importers()[name]
    path = tmp_path / "c.json"
    path.write_bytes(junk)
    target, head = (path, junk[:HEAD_BYTES]) if importer.CLAIMS == "file" else (tmp_path, b"")
    assert importer.sniff(target, head) is False
    for forced in ("c.json", "c.jsonl", "c.txt", "c.wav"):
        (tmp_path / forced).write_bytes(junk)
        found = list(ingest.read([tmp_path / forced], format=name))
        assert all(item.rule and item.message and item.hint for item in found if isinstance(item, Refusal))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(KEYS),
                inner,
                max_size=6,
            )
        ),
        max_leaves=15,
    )
)
@pytest.mark.parametrize("name", FILE_FORMATS)
def test_any_json_is_read_or_refused(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(value))
    for item in ingest.read([path], format=name):
        assert isinstance(item, Call | Refusal)


def test_every_bundled_file_is_claimed_by_one_importer_at_most() -> None:
    files = [path for path in CALLS.rglob("*") if path.is_file()]
    assert len(files) > 50
    for path in files:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        claimed = [one.FORMAT for one in importers().values() if one.CLAIMS == "file" and one.sniff(path, head)]
        assert len(claimed) <= 1, (path, claimed)


def test_the_bundled_calls_are_whole() -> None:
    calls = [item for item in ingest.read([CALLS], Options(id_prefix="p/")) if isinstance(item, Call)]
    assert len(calls) > 20
    for call in calls:
        assert call.id.startswith("p/")
        assert not call.id.startswith("p/p/")
        assert call.source_format in importers()
        assert call.source_uri
        assert len(call.source_sha256 or "") == 64
        for audio in call.audio or ():
            assert Path(audio.path).is_file()
            assert audio.channels
    assert len({call.id for call in calls}) == len(calls)


def test_reading_twice_gives_the_same() -> None:
    assert list(ingest.read([CALLS])) == list(ingest.read([CALLS]))


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_an_unreadable_path_is_an_error_with_a_hint(tmp_path: Path, name: str) -> None:
    importer = importers()[name]
    try:
        found = list(importer.read(tmp_path / "gone.json", Options()))
    except (WorkbenchError, OSError):
        return
    assert all(isinstance(item, Refusal) for item in found)
