"""JSON that is no call: a schema says so itself, anything else could be a call of an unknown system and is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench import ingest
from workbench.schema.call import Refusal

SCHEMA = b'{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {}}'


def test_a_json_schema_is_passed_over_and_counted_unless_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "call.schema.json").write_bytes(SCHEMA)
    reading = ingest.read([tmp_path])
    assert (list(reading), reading.skipped) == ([], 1)
    (refusal,) = ingest.read([tmp_path / "call.schema.json"])
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "unknown_format"


@pytest.mark.parametrize(
    "data",
    [
        b'{"files": ["a.wav"], "count": 1}',
        b'{"$schema": "https://voice.example/call.schema.json", "said": "hello"}',
        b'{"$schema": 7}',
    ],
)
def test_any_other_json_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(data)
    (refusal,) = ingest.read([tmp_path])
    assert isinstance(refusal, Refusal)
    assert (refusal.rule, refusal.scope) == ("unknown_format", "file")
