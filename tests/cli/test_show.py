"""One call at a glance, and hints that lead back to the same archive."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.archive.layout import Layout
from workbench.assertions import load_pack
from workbench.schema.call import Audio, Call, ToolCall, Turn

if TYPE_CHECKING:
    import pytest

Run = Callable[..., tuple[int, str, str]]


def spoken(archive: Archive) -> None:
    """Two turns without a clock, of which next to nothing can be judged."""
    turns = [Turn(role="caller", text="I would like to book."), Turn(role="agent", text="Of course.")]
    archive.add([Call(id="untimed", source_format="made", source_uri="x", source_sha256="0" * 64, turns=turns)])


def test_a_call_that_was_not_checked_is_not_told_as_one_without_findings(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my calls"
    with Archive.create(path) as archive:
        spoken(archive)
        code, out, _ = run("show", "untimed", "--archive", path)
        assert code == 0
        assert out.splitlines()[0].startswith("untimed: from made, origin unknown")
        (line,) = [line for line in out.splitlines() if line.startswith("not checked yet")]
        assert shlex.split(line)[-2:] == ["--archive", str(path)]
        assert_pack(archive.layout, load_pack("caller-experience"))
    _, out, _ = run("show", "untimed", "--archive", path)
    (line,) = [line for line in out.splitlines() if line.startswith("not judged, evidence is missing: ")]
    assert {"dead_air", "misheard", "slow_response", "talked_over_caller"} <= set(line.partition(": ")[2].split(", "))
    assert "no findings" not in out
    assert "passed" not in out


def test_checks_of_an_earlier_import_are_told_as_older(run: Run, tmp_path: Path) -> None:
    place, where = tmp_path / "calls.txt", ("--archive", tmp_path / "archive")
    place.write_text("caller: I would like to book.\nagent: Of course.\n")
    assert run("import", place, "-q", *where)[0] == 0
    assert run("assert", "--pack", "caller-experience", "-q", *where)[0] == 0
    assert "older than the import" not in run("show", "calls", *where)[1]
    assert json.loads(run("show", "calls", "--json", *where)[1])["checks_older_than_import"] is False
    place.write_text("caller: I would like to cancel.\nagent: Of course.\n")
    assert run("import", place, "--replace", "-q", *where)[0] == 0
    (line,) = [line for line in run("show", "calls", *where)[1].splitlines() if "older than the import" in line]
    assert "workbench assert --archive" in line
    assert "caller-experience" in line
    assert json.loads(run("show", "calls", "--json", *where)[1])["checks_older_than_import"] is True
    page = tmp_path / "report.html"
    assert run("report", "archive", "-o", page, *where)[0] == 0
    assert "Of 1 call these checks are older than the import" in page.read_text(encoding="utf-8")
    assert run("assert", "--pack", "caller-experience", "-q", *where)[0] == 0
    assert "older than the import" not in run("show", "calls", *where)[1]


def test_findings_come_with_what_passed_and_what_did_not(run: Run, failing_archive: Path) -> None:
    _, out, _ = run("show", "c1", "--archive", failing_archive)
    assert "failed: slow" in out.splitlines()


def test_faint_runs_that_the_checks_leave_out_are_counted(run: Run, tmp_path: Path) -> None:
    """Faint is what lies more than 20 dB under the speech of its channel; the same sound gives 14 in `autopsy`."""
    name = "00d676d7058c49bb"
    sound = Path(__file__).parents[2] / "data" / "calls" / "harper-valley-bank" / "audio" / f"{name}.flac"
    audio = [Audio(path=str(sound), channels=["caller", "agent"], channel_map_source="declared")]
    with Archive.create(tmp_path / "a") as archive:
        archive.add([Call(id=name, source_format="made", source_uri="x", source_sha256="0" * 64, audio=audio)])
        archive.measure(workers=1)
        query = "select s.peak_dbfs, speech_dbfs from segments as s join channels using (recording_id, role)"
        peaks = archive.sql(query)
        faint = peaks.filter(pl.col("peak_dbfs") < pl.col("speech_dbfs") - 20).height
    assert 0 < faint < peaks.height
    _, out, _ = run("show", name, "--archive", tmp_path / "a")
    (line,) = [line for line in out.splitlines() if line.startswith("heard: ")]
    assert line == (
        f"heard: {peaks.height} runs of speech, {faint} of them faint (breath, clicks, bleed) and left out by the "
        "checks; 0 incidents of timing, 14 apart"
    )
    found = json.loads(run("show", name, "--json", "--archive", tmp_path / "a")[1])
    assert found["heard"] == {"run_count": peaks.height, "faint_count": faint, "incident_count": 0, "aside_count": 14}


def test_a_diff_says_in_columns_what_broke_and_what_was_fixed_and_not_again_by_letter(
    run: Run, failing_archive: Path
) -> None:
    """One pair, and it broke: exact McNemar p = 2 * (1/2)^1 = 1."""
    _, out, _ = run("diff", "before", "after", "--archive", failing_archive)
    head, _, row = out.splitlines()[1:4]
    assert head.split("  ")[-1] == "pass rate, after - before (95 %, exact p)"
    assert re.search(r"points \(-\d+ to [+-]\d+, p 1\)$", row)
    assert not re.search(r"\b[bc] \d", out)


def test_what_stands_against_the_recording_is_said_before_what_was_heard_in_it(run: Run, tmp_path: Path) -> None:
    """A steady copy of the agent in the caller's channel, -6 dB: leakage, 40 dB over the published limit."""
    rng = np.random.default_rng(0)
    rate = 8000
    agent = np.where((np.arange(8 * rate) // rate) % 2 == 0, rng.normal(0, 0.1, 8 * rate), 0.0)
    caller = 0.5 * agent + np.where((np.arange(8 * rate) // rate) % 4 == 1, rng.normal(0, 0.1, 8 * rate), 0.0)
    sound = tmp_path / "leak.wav"
    sf.write(sound, np.stack([caller, agent], axis=1), rate)
    audio = [Audio(path=str(sound), channels=["caller", "agent"], channel_map_source="declared")]
    with Archive.create(tmp_path / "a") as archive:
        archive.add([Call(id="leak", source_format="made", source_uri="x", source_sha256="0" * 64, audio=audio)])
        archive.measure(workers=1)
        assert_pack(archive.layout, load_pack("caller-experience"))
    _, out, _ = run("show", "leak", "--archive", tmp_path / "a")
    lines = out.splitlines()
    (at,) = [ix for ix, line in enumerate(lines) if line.startswith("input: scan with caution, ")]
    assert "(leakage); no verdict on timing rests on it; next: record the two parties" in lines[at]
    assert lines[at + 1].startswith("heard: ")
    assert "not judged, the input is unusable: dead_air, slow_response, talked_over_caller" in lines
    found = json.loads(run("show", "leak", "--json", "--archive", tmp_path / "a")[1])
    assert [row["reason"] for row in found["input_health"]] == ["leakage"]


def test_a_suspected_swap_that_a_label_settled_is_said_to_be_settled(run: Run, tmp_path: Path) -> None:
    """The caller sounds for 8 s and the agent for 1.5 s, in channels that nobody vouched for."""
    rng = np.random.default_rng(1)
    rate = 8000
    sound = rng.normal(0, 1e-4, (12 * rate, 2))
    for channel, start, end in ((0, 1.0, 9.0), (1, 9.5, 11.0)):
        part = slice(round(start * rate), round(end * rate))
        sound[part, channel] += rng.normal(0, 0.1, part.stop - part.start)
    sf.write(tmp_path / "swap.wav", sound, rate)
    audio = [Audio(path=str(tmp_path / "swap.wav"), channels=["caller", "agent"], channel_map_source="unknown")]
    with Archive.create(tmp_path / "a") as archive:
        archive.add([Call(id="swap", source_format="made", source_uri="x", source_sha256="0" * 64, audio=audio)])
        archive.measure(workers=1)
    where = ("--archive", tmp_path / "a")
    assert (
        "(possible_swap); no verdict on timing rests on it; next: confirm which channel"
        in run("show", "swap", *where)[1]
    )
    assert run("label", "swap", "--channels", "caller,agent", *where)[0] == 0
    (line,) = [line for line in run("show", "swap", *where)[1].splitlines() if line.startswith("input: ")]
    assert line.endswith("the two channels look exchanged (possible_swap); a label confirms the channel map")
    (health,) = json.loads(run("show", "swap", "--json", *where)[1])["input_health"]
    assert (health["verdict_eligible"], health["reason"], health["next_step"]) == (True, "possible_swap", None)


def test_a_hint_names_the_archive_unless_it_is_the_one_taken_anyway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WORKBENCH_ARCHIVE", raising=False)
    assert Layout(tmp_path / "archive").command("workbench history") == "workbench history"
    assert Layout(tmp_path / "my calls").command("workbench history") == "workbench history --archive 'my calls'"
    monkeypatch.setenv("WORKBENCH_ARCHIVE", str(tmp_path / "other"))
    assert Layout(tmp_path / "other").command("workbench history") == "workbench history"
    assert Layout(tmp_path / "archive").command("workbench history") == "workbench history --archive archive"
    assert Layout(Path("/elsewhere")).command("workbench history") == "workbench history --archive /elsewhere"


def test_two_runs_of_one_label_are_told_apart(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a"
    with Archive.create(path) as archive:
        spoken(archive)
        first, second = (assert_pack(archive.layout, load_pack("caller-experience"), label="v1") for _ in range(2))
    _, out, _ = run("diff", first.run_id, "v1", "--archive", path)
    assert f"caution: 2 runs have the label 'v1'; the newest is taken, {second.run_id}" in out


def test_the_view_that_needs_quotes_says_so(run: Run, failing_archive: Path) -> None:
    for query in ("from overlaps", "select * from calls join overlaps using (call_id)"):
        code, _, err = run("sql", query, "--archive", failing_archive)
        assert (code, 'write "overlaps" in quotes' in err) == (2, True)
    assert run("sql", 'from "overlaps"', "--archive", failing_archive)[0] == 0


def test_a_diff_counts_what_passed_of_what_was_judged(run: Run, tmp_path: Path) -> None:
    """Of three calls one has a clock; the two without are shared and not judged."""
    timed = [
        Turn(role="caller", text="Hi.", start_s=0.0, end_s=1.0),
        Turn(role="agent", text="Yes.", start_s=1.2, end_s=2),
    ]
    with Archive.create(tmp_path / "a") as archive:
        source = {"source_format": "made", "source_uri": "x"}
        calls = [Call(id="timed", turn_clock="reported", turns=timed, source_sha256="1" * 64, **source)]
        turns = [Turn(role="caller", text="Hi."), Turn(role="agent", text="Yes.")]
        calls += [Call(id=f"c{ix}", turns=turns, source_sha256=f"{ix + 2}" * 64, **source) for ix in range(2)]
        archive.add(calls)
        for label in ("before", "after"):
            assert_pack(archive.layout, load_pack("caller-experience"), label=label)
    code, out, _ = run("diff", "before", "after", "--archive", tmp_path / "a")
    assert (code, "passed of judged" in out) == (0, True)
    (row,) = [line for line in out.splitlines() if line.startswith("slow_response")]
    assert row.split()[1:8] == ["3", "1", "of", "1", "->", "1", "of"]


def test_a_tool_call_shows_when_it_ran_and_json(run: Run, tmp_path: Path) -> None:
    with Archive.create(tmp_path / "a") as archive:
        tool = ToolCall(name="refund", arguments={"amount": 50}, result=None, turn_ix=0, start_s=68.49, end_s=68.6)
        turns = [Turn(role="caller", text="Hi.", start_s=0.0, end_s=1.0)]
        source = {"source_format": "made", "source_uri": "x", "source_sha256": "0" * 64}
        archive.add([Call(id="c", turn_clock="reported", turns=turns, tool_calls=[tool], **source)])
    (line,) = [line for line in run("show", "c", "--archive", tmp_path / "a")[1].splitlines() if line[:4] == "tool"]
    assert line == 'tool at 68.49 s of turn 0: refund({"amount": 50}) -> null'
