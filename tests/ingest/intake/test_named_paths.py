"""A path that a document names and the system does not take costs that recording, never the rest of the file."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench import ingest
from workbench.assets import folder
from workbench.errors import ImportFailed
from workbench.ingest.intake.references import is_there, resolve
from workbench.schema.call import Call, Refusal

LONG = "call about the refund " * 13 + ".wav"
"""Over 255 bytes, the longest name that Linux, macOS and Windows take."""

INLINED = "data:audio/wav;base64," + "UklGRiQA" * 4_000
TURN = {"role": "caller", "text": "hello", "start_s": 0.5, "end_s": 1.25}
BANK = folder("data/calls") / "harper-valley-bank"
BATTERY = folder("data/calls") / "vapi-defaults"
VCON = folder("data/calls") / "vcon-synthetic"
TAU2 = Path(__file__).parents[2] / "data" / "ingest" / "tau2" / "text-results.json"


def read(path: Path) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path]))
    return [one for one in found if isinstance(one, Call)], [one for one in found if isinstance(one, Refusal)]


def calls(tmp_path: Path, name: str) -> list[dict[str, Any]]:
    (tmp_path / "loop").symlink_to("loop")
    good = [{"id": f"c{ix}", "turns": [TURN]} for ix in range(3)]
    good[1]["audio"] = [{"path": name, "channels": ["mixed"]}]
    return good


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (LONG, "bad_audio_path"),
        (f"{LONG}/a.wav", "bad_audio_path"),
        ("é" + LONG, "bad_audio_path"),
        ("loop/a.wav", "bad_audio_path"),
        ("calls.json/a.wav", "audio_missing"),
        ("a\0b.wav", "audio_missing"),
        (INLINED, "audio_inlined"),
        (INLINED.replace("data:", "Data:", 1), "audio_inlined"),
    ],
)
def test_a_path_no_system_takes_costs_one_recording(tmp_path: Path, suffix: str, name: str, rule: str) -> None:
    (tmp_path / "calls.json").write_text("{}")
    file = tmp_path / "in" / f"calls.{suffix}"
    file.parent.mkdir()
    rows = calls(file.parent, name)
    file.write_text(json.dumps(rows) if suffix == "json" else "\n".join(json.dumps(row) for row in rows))
    found, refusals = read(file)
    assert [call.id for call in found] == ["c0", "c1", "c2"]
    (refusal,) = refusals
    assert (refusal.rule, refusal.scope, refusal.call_id) == (rule, "row", "c1")
    assert refusal.location == f"{'item' if suffix == 'json' else 'line'} 2, audio[0]"
    assert refusal.hint
    assert len(refusal.message) < 300
    assert "UklGRiQAUklGRiQAUklGRiQA" not in refusal.message


@pytest.mark.parametrize(("name", "rule"), [(LONG, "bad_audio_path"), (INLINED, "audio_inlined")])
def test_a_dialog_of_a_vcon(tmp_path: Path, name: str, rule: str) -> None:
    document = json.loads(next(iter(sorted(VCON.glob("*.json")))).read_bytes())
    for dialog in document["dialog"]:
        dialog["filename"] = name
        dialog["url"] = INLINED
    (tmp_path / "one.json").write_text(json.dumps(document))
    (call,), refusals = read(tmp_path / "one.json")
    assert rule in [one.rule for one in refusals]
    assert all(len(one.message) < 300 and one.scope == "note" for one in refusals)
    assert call.turns
    assert "UklGRiQA" not in str(call.tags)


def test_a_scenario_of_a_battery(tmp_path: Path) -> None:
    shutil.copytree(BATTERY, tmp_path / "battery")
    first, *others = sorted((tmp_path / "battery" / "scenarios").glob("*.json"))
    first.write_text(json.dumps({**json.loads(first.read_bytes()), "audio": LONG}))
    found, refusals = read(tmp_path / "battery")
    assert len(found) == len(others)
    (refusal,) = [one for one in refusals if one.scope == "call"]
    assert (refusal.rule, refusal.source_uri) == ("audio_missing", str(first))


@pytest.mark.parametrize("name", ["s" * 300, "a**b", "/etc", "a\0b"])
def test_a_simulation_whose_id_is_no_name_of_a_folder(tmp_path: Path, name: str) -> None:
    document = json.loads(TAU2.read_bytes())
    simulations = document.pop("simulations")
    (tmp_path / "artifacts" / "task_0").mkdir(parents=True)
    (tmp_path / "simulations").mkdir()
    (tmp_path / "results.json").write_text(json.dumps(document))
    for ix in range(2):
        own = {**simulations[0], "id": name if ix == 0 else "good"}
        (tmp_path / "simulations" / f"{ix}.json").write_text(json.dumps(own))
    assert "good" in [call.id for call in read(tmp_path)[0]]


def test_names_made_from_a_long_name_are_not_there(tmp_path: Path) -> None:
    stem = "a" * 249
    shutil.copytree(BANK, tmp_path / "bank")
    sid = min((tmp_path / "bank" / "transcript").glob("*.json")).stem
    for part in ("transcript", "metadata"):
        (tmp_path / "bank" / part / f"{sid}.json").rename(tmp_path / "bank" / part / f"{stem}.json")
    found, _ = read(tmp_path / "bank")
    assert len(found) == len(list((tmp_path / "bank" / "transcript").glob("*.json")))
    wav = tmp_path / f"{'b' * 251}.wav"
    shutil.copy(next((BATTERY / "audio").glob("*.wav")), wav)
    assert [call.id for call in read(wav)[0]] == ["b" * 251]


def test_a_folder_that_may_not_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path, **_: Any) -> os.stat_result:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "stat", denied)
    with pytest.raises(ImportFailed, match=r"cannot be looked up \(Permission denied\)"):
        resolve(tmp_path, "locked/a.wav")
    assert not is_there(tmp_path / "a.wav")
