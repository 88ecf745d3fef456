"""Every bundled file and folder, and every fixture of an importer, is claimed by one importer: its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.ingest import read
from workbench.ingest.intake.walk import survey
from workbench.schema.call import Call, Refusal

ROOT = Path(__file__).parents[2]
CALLS = ROOT / "data" / "calls"
FIXTURES = ROOT / "tests" / "data" / "ingest"

CLAIMED = [
    (CALLS / "ami-floor-exchange", "hotato_scenario", 3),
    (CALLS / "vapi-defaults", "hotato_scenario", 9),
    (CALLS / "eva-airline", "eva", 1),
    (CALLS / "eva-airline" / "record-1.1.2", "eva", 1),
    (CALLS / "harper-valley-bank", "harper_valley", 8),
    (CALLS / "hotato-traces" / "clean-cancel", "hotato_trace", 1),
    (CALLS / "hotato-traces" / "clean-cancel" / "transcript.json", "hotato_trace_file", 1),
    (CALLS / "hotato-traces" / "clean-cancel" / "voice_trace.jsonl", "hotato_trace_file", 1),
    (CALLS / "punchin" / "dealer-1482.txt", "transcript", 1),
    (CALLS / "tau-bench" / "gpt-4o-airline-first-20.json", "tau_bench", 20),
    (CALLS / "tau2-voice", "tau2", 1),
    (CALLS / "vcon-synthetic" / "05cec3d4-0561-4010-9fb8-23cc7edef146.vcon.json", "vcon", 1),
    (CALLS / "voice-evals" / "demo_calls.jsonl", "voice-evals", 3),
    (CALLS / "voiceeval-fixtures" / "good_call.json", "voiceeval", 1),
    (CALLS / "voiceeval-fixtures" / "misheard_call.json", "voiceeval", 1),
    (CALLS / "voiceeval-fixtures" / "slow_call.json", "voiceeval", 1),
    (FIXTURES / "hotato_envelope" / "battery-result.json", "hotato_envelope", 3),
    (FIXTURES / "punchin" / "call-format-1.json", "punchin", 1),
    (FIXTURES / "tau2" / "text-results.json", "tau2_file", 1),
]


@pytest.mark.parametrize(("path", "format_name", "count"), CLAIMED, ids=lambda value: getattr(value, "name", None))
def test_one_importer_claims_it_and_reads_it(path: Path, format_name: str, count: int) -> None:
    [found] = survey([path]).inputs
    assert found.problem is None
    assert found.importer is not None
    assert format_name == found.importer.FORMAT
    calls = [one for one in read([path]) if isinstance(one, Call)]
    assert len(calls) == count
    assert {call.source_format for call in calls} == {format_name}
    assert all(len(call.source_sha256 or "") == 64 for call in calls)


def test_the_whole_bundle_reads_without_losing_a_call() -> None:
    found = list(read([CALLS]))
    calls = [one for one in found if isinstance(one, Call)]
    assert len(calls) == 53
    assert len({call.id for call in calls}) == 53
    lost = [one for one in found if isinstance(one, Refusal) and one.scope in ("file", "call")]
    assert [Path(one.source_uri).name for one in lost] == ["truncated-header.wav"]
