"""Which files are read, in which order, and what is said about the others."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench import ingest
from workbench.archive.archive import Archive
from workbench.errors import ImportFailed, UsageError
from workbench.ingest.intake.discovery import importers
from workbench.ingest.intake.walk import survey
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

CALLS = Path(__file__).parents[3] / "data" / "calls"


def native(identifier: str) -> bytes:
    return b'{"format":"workbench.call/1","id":"%s","turns":[]}' % identifier.encode()


def lay(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(native(name))


def ids(*paths: Path, options: Options | None = None) -> list[str]:
    return [item.id for item in ingest.read(paths, options) if isinstance(item, Call)]


def rules(*paths: Path, options: Options | None = None) -> list[tuple[str, str, str]]:
    found = [item for item in ingest.read(paths, options) if isinstance(item, Refusal)]
    return [(Path(item.source_uri).name, item.rule, item.scope) for item in found]


def test_files_come_in_byte_order_of_their_relative_names(tmp_path: Path) -> None:
    names = ["a/b.json", "a.json", "B.json", "a-b.json", "é.json", "z.json", "a/b/c.json"]
    lay(tmp_path, names)
    assert ids(tmp_path) == sorted(names, key=str.encode)
    assert ids(tmp_path) == ["B.json", "a-b.json", "a.json", "a/b.json", "a/b/c.json", "z.json", "é.json"]


@pytest.mark.parametrize(
    "name",
    [
        "two words.json",
        unicodedata.normalize("NFC", "Gespräch é.json"),
        unicodedata.normalize("NFD", "Gespräch é.json"),
        "line\nbreak.json",
        "通話.json",
        'it\'s "quoted".json',
    ],
)
def test_any_name_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(native("c"))
    assert ids(tmp_path) == ["c"]
    assert ids(tmp_path / name) == ["c"]


def test_what_lies_beside_calls_is_skipped_and_counted(tmp_path: Path) -> None:
    lay(tmp_path, ["c.json", ".hidden.json", ".git/x.json", "d/.DS_Store"])
    for name in ("NOTICE.md", "README.txt", "LICENSE-CC-BY-4.0.txt", "run.py", "page.html"):
        (tmp_path / name).write_bytes(b"x")
    reading = ingest.read([tmp_path])
    assert [item.id for item in reading if isinstance(item, Call)] == ["c.json"]
    assert reading.skipped == 8
    assert rules(tmp_path) == []


def test_an_irrelevant_file_that_is_named_is_answered(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"# hello")
    assert rules(tmp_path / "README.md") == [("README.md", "unknown_format", "file")]


def test_a_file_nobody_knows_is_refused_with_the_option_that_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.xyz").write_bytes(b"hello")
    (refusal,) = ingest.read([tmp_path])
    assert isinstance(refusal, Refusal)
    assert (refusal.rule, refusal.scope) == ("unknown_format", "file")
    assert "--format" in refusal.hint
    assert refusal.source_uri == str(tmp_path / "x.xyz")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(b"")
    assert rules(tmp_path) == [("c.json", "empty_file", "file")]


def test_loops_of_links_end_and_a_file_reached_twice_is_read_once(tmp_path: Path) -> None:
    lay(tmp_path, ["a/c.json"])
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self.json").symlink_to(tmp_path / "a" / "self.json")
    (tmp_path / "again").symlink_to(tmp_path / "a")
    (tmp_path / "z.json").symlink_to(tmp_path / "a" / "c.json")
    assert ids(tmp_path) == ["a/c.json"]
    assert rules(tmp_path) == [("self.json", "unreadable", "file")]
    assert ids(tmp_path, tmp_path / "a", tmp_path / "a" / "c.json") == ["a/c.json"]


def test_a_broken_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.json").symlink_to(tmp_path / "gone.json")
    assert rules(tmp_path) == [("c.json", "unreadable", "file")]


def test_usage_errors_come_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        ingest.read([tmp_path / "gone"])
    with pytest.raises(UsageError, match="unknown format 'wav'"):
        ingest.read([tmp_path], format="wav")
    with pytest.raises(UsageError, match="no file"):
        ingest.read([])


def test_a_file_two_importers_claim_is_refused_with_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, ["c.json"])
    monkeypatch.setattr(importers()["voice-evals"], "sniff", lambda path, head: True)
    (refusal,) = ingest.read([tmp_path])
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "ambiguous_format"
    assert "voice-evals, workbench" in refusal.hint
    assert [item.id for item in ingest.read([tmp_path], format="workbench") if isinstance(item, Call)]


def test_a_claimed_folder_is_not_entered_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, ["run/c.json", "d.json"])
    folder_importer = next(one for one in importers().values() if one.CLAIMS == "folder")
    for one in importers().values():
        if one.CLAIMS == "folder":
            monkeypatch.setattr(one, "sniff", lambda path, head: False)
    monkeypatch.setattr(folder_importer, "sniff", lambda path, head: path.name == "run")
    found = survey([tmp_path]).inputs
    assert [(item.relative, item.importer.FORMAT) for item in found if item.importer] == [
        ("d.json", "workbench"),
        ("run", folder_importer.FORMAT),
    ]
    assert found[1].size == len(native("run/c.json"))


def test_progress_names_each_input_and_ends_at_the_total(tmp_path: Path) -> None:
    lay(tmp_path, ["a.json", "b.json"])
    seen: list[tuple[int, int, str]] = []
    list(ingest.read([tmp_path], on_progress=lambda done, total, path: seen.append((done, total, path.name))))
    size = len(native("a.json"))
    assert seen == [(0, 2 * size, "a.json"), (size, 2 * size, "b.json"), (2 * size, 2 * size, "b.json")]


def test_strict_stops_at_the_first_refusal(tmp_path: Path) -> None:
    lay(tmp_path, ["a.json", "c.json"])
    (tmp_path / "b.json").write_bytes(b'{"format":"workbench.call/1","id":7}')
    reading = ingest.read([tmp_path], Options(strict=True))
    assert isinstance(next(reading), Call)
    with pytest.raises(ImportFailed, match=r"b\.json"):
        next(reading)


def test_the_same_id_twice_is_refused_and_the_same_bytes_twice_are_taken_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(native("c"))
    (tmp_path / "b.json").write_bytes(native("c"))
    (tmp_path / "c.json").write_bytes(native("c") + b"\n\n ")
    (tmp_path / "d.json").write_bytes(native("c").replace(b"[]", b"[ ]"))
    assert ids(tmp_path) == ["c"]
    assert rules(tmp_path) == [
        ("b.json", "duplicate_source", "note"),
        ("c.json", "duplicate_source", "note"),
        ("d.json", "duplicate_call_id", "call"),
    ]


def test_an_empty_id_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(native(" "))
    assert rules(tmp_path) == [("a.json", "empty_id", "call")]


def test_what_the_user_states_is_applied_to_every_call(tmp_path: Path) -> None:
    lay(tmp_path, ["c.json"])
    options = Options(
        id_prefix="may/",
        origin="real",
        outcome="booked",
        expected_outcome="cancelled",
        language="da",
        agent_id="desk",
        agent_version="3",
    )
    (call,) = ingest.read([tmp_path], options)
    assert isinstance(call, Call)
    assert (call.id, call.origin, call.outcome, call.expected_outcome) == (
        "may/c.json",
        "real",
        "booked",
        "cancelled",
    )
    assert (call.language, call.agent_id, call.agent_version) == ("da", "desk", "3")


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b'{"id": "c", "turns": [', "invalid_json"),
        (b'{"id": "c", "duration_s": NaN}', "nan_literal"),
        (b'{"colour": 1, "colour": 2}', "repeated_key"),
        (b'{"colour": 1}', "unknown_format"),
    ],
)
def test_broken_json_is_refused_for_what_is_broken(tmp_path: Path, data: bytes, rule: str) -> None:
    (tmp_path / "c.json").write_bytes(data)
    assert rules(tmp_path) == [("c.json", rule, "file")]


@pytest.mark.parametrize(
    "data",
    [
        b'{"resourceSpans": [{"resource": {}, "scopeSpans": []}]}',
        b'{"name": "stt", "trace_id": "d2", "span_id": "b5", "start_time_ns": 1766622063234298000}',
        b'{"name": "stt", "context": {"trace_id": "0xd2", "span_id": "0xb5"}, "start_time": "2025-01-01T00:00:00Z"}',
    ],
    ids=["OTLP document", "span a line", "span of a console exporter"],
)
def test_spans_are_named_as_what_is_not_read_and_no_format_is_asked_for(tmp_path: Path, data: bytes) -> None:
    """The forms of the OTLP specification (JSON encoding) and of two exporters of the OpenTelemetry SDK."""
    (tmp_path / "traces.jsonl").write_bytes(data + b"\n")
    (refusal,) = ingest.read([tmp_path])
    assert isinstance(refusal, Refusal)
    assert (refusal.rule, refusal.message) == (
        "unknown_format",
        "these are OpenTelemetry spans, and spans are not read",
    )
    assert "--format" not in refusal.hint


def test_a_bad_first_line_does_not_cost_the_others(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(b'{"id": NaN}\n' + native("a") + b"\n" + native("b") + b"\n")
    assert ids(tmp_path) == ["a", "b"]
    assert rules(tmp_path) == [("c.jsonl", "nan_literal", "call")]


def test_a_format_that_is_said_is_tried_on_every_file_of_its_kind(tmp_path: Path) -> None:
    (tmp_path / "calls.export").write_bytes(native("a"))
    (tmp_path / "c.wav").write_bytes(b"RIFF")
    reading = ingest.read([tmp_path], format="workbench")
    assert [item.id for item in reading if isinstance(item, Call)] == ["a"]
    assert reading.skipped == 1
    (refusal,) = ingest.read([tmp_path], format="audio")
    assert isinstance(refusal, Refusal)
    assert Path(refusal.source_uri).name == "c.wav"


def test_an_archive_inside_the_folder_is_not_walked(tmp_path: Path) -> None:
    (tmp_path / "call.json").write_bytes((CALLS / "voiceeval-fixtures" / "good_call.json").read_bytes())
    Archive.create(tmp_path / "archive").close()
    found = survey([tmp_path])
    assert [item.relative for item in found.inputs] == ["call.json"]
    assert found.skipped == [tmp_path / "archive"]


def test_subfolders_that_a_folder_importer_does_not_own_are_walked(tmp_path: Path) -> None:
    shutil.copytree(CALLS / "tau2-voice", tmp_path / "run")
    (tmp_path / "run" / "utterances").mkdir()
    shutil.copy(CALLS / "voiceeval-fixtures" / "good_call.json", tmp_path / "run" / "utterances")
    found = survey([tmp_path / "run"])
    claimed = {item.relative: item.importer.FORMAT for item in found.inputs if item.importer}
    assert claimed == {"run": "tau2", "utterances/good_call.json": "voiceeval"}


@pytest.mark.parametrize("name", ["c.json", "c.jsonl"])
@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"[" * 100_000, "too_deep"),
        (b'{"a":' * 100_000, "too_deep"),
        (b'["' + b"[" * 100_000 + b'"]', "unknown_format"),  # brackets in a text do not nest
        (b"[" + b"[]," * 60_000 + b"[]]", "unknown_format"),
        ('{"colour": "grün"}'.encode("utf-16"), "encoding"),
        ('{"colour": "grün"}'.encode("utf-16-be"), "encoding"),
        ('{"colour": "grün"}'.encode("utf-32"), "encoding"),
        ('{"colour": "grün"}'.encode("latin-1"), "encoding"),
        (('{"colour": "' + "ü" * 60_000).encode("latin-1"), "encoding"),
        (('{"colour": "' + "ü" * 60_000 + '"}').encode(), "unknown_format"),  # a letter cut by the end of the head
        (('{"colour":  "' + "ü" * 60_000 + '"}').encode(), "unknown_format"),
    ],
)
def test_what_no_importer_knows_is_refused_for_what_is_wrong(tmp_path: Path, name: str, data: bytes, rule: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert rules(tmp_path) == [(name, rule, "file")]


def test_a_text_in_another_encoding_says_so(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_bytes("grün, ja".encode("latin-1"))
    (refusal,) = ingest.read([tmp_path])
    assert isinstance(refusal, Refusal)
    assert (refusal.rule, "0xfc at 2" in refusal.message) == ("encoding", True)


def test_a_link_that_leads_nowhere_says_so(tmp_path: Path) -> None:
    (tmp_path / "c.json").symlink_to("gone.json")
    (refusal,) = ingest.read([tmp_path])
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "unreadable"
    assert "leads nowhere (to gone.json)" in refusal.hint
