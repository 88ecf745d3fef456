"""The two files of a call in an archive: measured together, held against each other, and told as one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import polars as pl
import pytest
import soundfile

from tests.timing.made_voices import AGENT, CALLER, delayed, voice, write
from workbench.analysis.incidents_of_pair import examine_pair
from workbench.archive import labelling
from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.archive.pairs import others, units
from workbench.assertions import load_pack
from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError
from workbench.schema.call import Audio, Call

if TYPE_CHECKING:
    import numpy as np

LEAKING = AGENT + 10 ** (-4 / 20) * delayed(CALLER, 0.12)
HEALTH = "select reason, verdict_eligible, leakage_db is not null as leaks, other_recording_id from input_health "


def call(name: str, *audio: tuple[Path, str], source: str = "name") -> Call:
    files = [Audio(path=str(path), channels=[role], channel_map_source=source) for path, role in audio]  # type: ignore[arg-type, list-item]
    return Call(
        id=name, source_format="made", source_uri=f"{name}.json", source_sha256=f"{len(name):064x}", audio=files
    )


def both(folder: Path, caller: np.ndarray = CALLER, agent: np.ndarray = AGENT) -> tuple[tuple[Path, str], ...]:
    folder.mkdir(exist_ok=True)
    write(folder, caller, agent)
    return (folder / "caller.wav", "caller"), (folder / "agent.wav", "agent")


def filled(folder: Path, *calls: Call) -> Archive:
    archive = Archive.create(folder / "archive")
    archive.add(calls)
    archive.measure(workers=1)
    archive.refresh()
    return archive


def test_leakage_between_two_files_withholds_the_verdict(tmp_path: Path) -> None:
    archive = filled(
        tmp_path, call("leaks", *both(tmp_path / "l", agent=LEAKING)), call("clean", *both(tmp_path / "c"))
    )
    archive.label("leaks", onset_s=2.0, expect="yield", author="A")
    archive.label("clean", onset_s=2.0, expect="yield", author="A")
    found = {event["call_id"]: event["reason"] or event["status"] for event in archive.score().events}
    assert (found["leaks"], found["clean"]) == ("leakage", "PASS")
    health = archive.sql(HEALTH + "where call_id = 'leaks'").rows()
    assert [row[:3] for row in health] == [("leakage", False, True)] * 2
    assert {row[3] for row in health} == set(
        archive.sql("select recording_id from recordings where call_id = 'leaks'")[:, 0]
    )


def test_moments_and_incidents_are_those_of_a_scan_of_the_two_files(tmp_path: Path) -> None:
    caller = voice([(2.0, 4.0), (12.0, 14.0), (19.0, 20.5)], length_s=24, seed=5)
    agent = voice([(0.5, 3.2), (6.5, 9.0), (11.2, 13.0), (15.2, 16.0), (19.4, 21.0)], length_s=26, seed=6)
    files = both(tmp_path / "c", caller, agent)
    archive = filled(tmp_path, call("clean", *files))
    scanned = examine_pair(files[0][0], files[1][0])
    names = ["incident", "severity", "aside", "onset_s", "end_s", "magnitude_s"]
    told = archive.sql(f"select {', '.join(names)} from incidents order by rank").rows(named=True)
    assert len(told) > 3
    for row, wanted in zip(told, scanned.incidents, strict=True):
        assert [row[name] for name in ("incident", "severity", "aside")] == [
            wanted[name] for name in ("incident", "severity", "aside")
        ]
        assert [row[name] for name in names[3:]] == pytest.approx([wanted[name] for name in names[3:]], abs=2e-6)
    queue = archive.sql("select judgeable, reason from review_queue order by rank")
    assert queue["judgeable"][0] is True
    free = archive.sql("select trial_count, not_scorable_count from critical_free_calls").row(0)
    assert free == (1, 0)


@pytest.mark.parametrize(("late_s", "rate"), [(0.005, 16000), (0.0213, 16000), (0.0, 11025), (1.903, 22050)])
def test_silences_begin_where_the_run_before_ends_on_whatever_grid_that_lies(
    tmp_path: Path, late_s: float, rate: int
) -> None:
    """The hangover is 0.15 s of the method, in whole hops of a file: 110 samples at 11,025 Hz, 220 at 22,050 Hz."""
    write(
        tmp_path,
        voice([(4.0, 5.0), (12.0, 12.8)], length_s=18, seed=1),
        voice([(0.5, 2.6), (8.7, 9.8)], length_s=18, seed=2, rate=rate),
        rates=(16000, rate),
    )
    files = [
        Audio(path=str(tmp_path / f"{role}.wav"), channels=[role], channel_map_source="declared", offset_s=offset_s)  # type: ignore[list-item]
        for role, offset_s in (("caller", 0.0), ("agent", late_s))
    ]
    made = Call(id="late", source_format="made", source_uri="late.json", source_sha256="1" * 64, audio=files)
    archive = filled(tmp_path, made)
    silences = archive.sql("select kind, hangover_s, quiet_from_s from scanned_silences")
    assert silences.height >= 2
    assert silences["hangover_s"].to_list() == pytest.approx([0.15] * silences.height, abs=0.006)
    ends = archive.sql("select voiced_end_s from segments")["voiced_end_s"]
    assert all((ends - quiet_s).abs().min() < 2e-6 for quiet_s in silences["quiet_from_s"])


def test_exchanged_files_are_settled_by_a_label(tmp_path: Path) -> None:
    files = both(
        tmp_path / "s", voice([(0.5, 7.0)], length_s=12, seed=3), voice([(5.5, 7.0), (7.5, 9.0)], length_s=12, seed=4)
    )
    archive = filled(tmp_path, call("swapped", *files))
    archive.label("swapped", onset_s=5.7, expect="yield", author="A")
    assert archive.sql("select channel_roles from suspected_swaps").rows() == [(["caller", "agent"],)]
    assert [event["reason"] for event in archive.score().events] == ["possible_swap"]
    for roles in (("agent", "caller"), ("caller",)):
        with pytest.raises(UsageError, match="the archive has caller,agent for this call"):
            labelling.channel_map(archive.layout, "swapped", roles, author="A")
    labelling.channel_map(archive.layout, "swapped", ("caller", "agent"), author="A")
    archive.refresh()
    assert archive.sql("from suspected_swaps").is_empty()
    assert [event["status"] for event in archive.score().events] == ["PASS"]
    assert archive.sql("select verdict_eligible from timing_inputs").item() is True


def test_a_settled_swap_is_settled_for_views_and_checks_and_not_for_other_files(tmp_path: Path) -> None:
    files = both(
        tmp_path / "s", voice([(0.5, 7.0)], length_s=12, seed=3), voice([(5.5, 7.0), (9.5, 11.0)], length_s=12, seed=4)
    )
    archive = filled(tmp_path, call("swapped", *files))
    labelling.channel_map(archive.layout, "swapped", ("caller", "agent"), author="A")
    archive.refresh()
    assert archive.sql("select status, clock from call_clocks").rows() == [("SCORED", "audio")]
    assert archive.sql("from turn_gaps").height == 1
    results = assert_pack(archive.layout, load_pack("caller-experience")).results
    checks = dict(results.select("assertion_id", "status").rows())
    assert (checks["slow_response"], checks["talked_over_caller"]) == ("FAIL", "FAIL")
    again = both(tmp_path / "s", voice([(0.5, 7.0)], length_s=12, seed=7), voice([(7.5, 9.0)], length_s=12, seed=8))
    archive.add([msgspec.structs.replace(call("swapped", *again), source_sha256="e" * 64)], replace=True)
    archive.measure(workers=1)
    archive.refresh()
    assert archive.sql("select verdict_eligible, reason from timing_inputs").rows() == [(False, "possible_swap")]
    assert archive.sql("from suspected_swaps").height == 1


def test_one_party_alone_gives_no_finding_of_silence(tmp_path: Path) -> None:
    (caller, _) = both(tmp_path / "s", voice([(0.5, 2.0), (14.0, 16.0)], length_s=20, seed=3))
    archive = filled(tmp_path, call("alone", caller))
    results = assert_pack(archive.layout, load_pack("caller-experience")).results
    timed = results.filter(pl.col("assertion_id").is_in(["dead_air", "slow_response", "talked_over_caller"]))
    assert set(timed["status"]) == {"NOT_SCORABLE"}


def test_checks_of_audio_that_is_not_measured_say_so(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "archive")
    archive.add([call("unheard", *both(tmp_path / "s"))])
    results = assert_pack(archive.layout, load_pack("caller-experience")).results
    timed = results.filter(pl.col("assertion_id").is_in(["dead_air", "slow_response", "talked_over_caller"]))
    assert set(timed["status"]) == {"INCONCLUSIVE"}
    assert all("workbench measure" in text for text in timed["message"])


def test_a_declared_map_needs_no_label(tmp_path: Path) -> None:
    files = both(tmp_path / "s", voice([(0.5, 7.0)], length_s=12, seed=3), voice([(7.5, 9.0)], length_s=12, seed=4))
    archive = filled(tmp_path, call("declared", *files, source="declared"))
    assert archive.sql("select reason, verdict_eligible from input_health").rows() == [("possible_swap", True)] * 2


def test_the_same_bytes_for_both_parties_are_one_mixed_recording(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", CALLER, 16000)
    (tmp_path / "b.wav").write_bytes((tmp_path / "a.wav").read_bytes())
    archive = Archive.create(tmp_path / "archive")
    report = archive.add([call("same", (tmp_path / "a.wav", "caller"), (tmp_path / "b.wav", "agent"))])
    assert [(refusal.rule, Path(refusal.location).name, refusal.scope) for refusal in report.refusals] == [
        ("same_recording", "b.wav", "row")
    ]
    archive.measure(workers=1)
    archive.refresh()
    assert archive.sql("select channel_roles from recordings").item().to_list() == ["mixed"]
    assert archive.sql("select reason from input_health").item() == "mono"
    assert archive.sql("select evidence_tier from calls").item() == 3


def test_one_file_named_twice_for_one_party_is_kept_without_a_word(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", CALLER, 16000)
    archive = Archive.create(tmp_path / "archive")
    report = archive.add([call("twice", (tmp_path / "a.wav", "caller"), (tmp_path / "a.wav", "caller"))])
    assert (report.refusal_count, archive.sql("select count(*) from recordings").item()) == (0, 1)


def test_a_file_that_comes_back_is_measured_with_the_other_one(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "archive")
    archive.add([call("leaks", *both(tmp_path / "l", agent=LEAKING))])
    media = archive.sql("select uri from recordings where list_contains(channel_roles, 'agent')").item()
    path = archive.path / media
    path.rename(tmp_path / "aside.wav")
    first = archive.measure(workers=1)
    assert (first.measured, len(first.problems)) == (1, 1)
    again = archive.measure(workers=1)
    assert (again.measured, again.current, len(again.problems)) == (1, 0, 1)
    archive.refresh()
    assert archive.sql(HEALTH).rows() == [("no_agent_channel", False, False, None)]
    assert "workbench measure" in archive.sql("select next_step from input_health").item()
    assert archive.sql("from timing_inputs").is_empty()
    (tmp_path / "aside.wav").rename(path)
    assert archive.measure(workers=1).measured == 2
    archive.refresh()
    assert [row[:3] for row in archive.sql(HEALTH).rows()] == [("leakage", False, True)] * 2
    assert archive.measure(workers=1).current == 2


def test_one_file_in_two_calls_is_judged_with_each_others(tmp_path: Path) -> None:
    (caller, leaking), (_, clean) = both(tmp_path / "l", agent=LEAKING), both(tmp_path / "c")
    archive = filled(tmp_path, call("first", caller, leaking), call("second", caller, clean))
    found = archive.sql(HEALTH + "order by call_id").rows()
    assert [row[0] for row in found] == ["leakage", "leakage", None, None]
    report = archive.measure(workers=2, config=MeasureConfig(rel_db=14.0))
    assert (report.measured, report.current) == (4, 0)


def test_of_several_files_of_a_party_the_one_nearest_to_both_is_taken() -> None:
    def row(recording_id: str, roles: list[str], boundary: str) -> dict[str, object]:
        return {"call_id": "c", "recording_id": recording_id, "channel_roles": roles, "boundary": boundary}

    rows = [
        row("a", ["caller"], "asr_input"),
        row("z", ["caller"], "client_capture"),
        row("m", ["agent"], "agent_output"),
        row("n", ["agent"], "agent_output"),
        row("b", ["caller", "agent"], "combined"),
        row("u", ["mixed"], "uploaded"),
    ]
    assert others(rows) == {("c", "z"): "m", ("c", "m"): "z"}
    assert others(rows[:2]) == others(rows[4:]) == {}


def test_pairs_that_share_a_file_are_one_unit() -> None:
    pairs = {
        ("1", "hub"): "a",
        ("1", "a"): "hub",
        ("2", "hub"): "b",
        ("2", "b"): "hub",
        ("3", "x"): "y",
        ("3", "y"): "x",
    }
    found = units(pairs)
    assert len({found[name] for name in ("hub", "a", "b")}) == 1
    assert found["x"] == found["y"] != found["hub"]
