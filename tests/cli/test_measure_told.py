"""What a measuring pass could not measure or took away is told alike by `measure` and by `import --measure`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import soundfile
from click.testing import CliRunner, Result

from workbench.assets import folder
from workbench.cli import root

TRACKS = Path(__file__).parents[1] / "data" / "harper-valley-tracks"
SID = "ff0296d00e5e4184"


def run(*words: str | Path, archive: Path) -> Result:
    return CliRunner().invoke(root, [*map(str, words), "--archive", str(archive)])


def not_measured(found: Result) -> list[str]:
    return [line for line in found.stderr.splitlines() if line.startswith("not measured: ")]


@pytest.fixture
def opposite(tmp_path: Path) -> Path:
    """One file of two channels twice, whose sidecars say the opposite of them."""
    made = tmp_path / "calls"
    made.mkdir()
    for name, channels in {"one": ["caller", "agent"], "two": ["agent", "caller"]}.items():
        shutil.copy(folder("data") / "calls" / "two-clocks" / "call.flac", made / f"{name}.flac")
        (made / f"{name}.json").write_text(json.dumps({"channels": channels}), encoding="utf-8")
    return made


def test_an_import_says_what_measure_says(opposite: Path, tmp_path: Path) -> None:
    place = tmp_path / "archive"
    at_once = run("import", opposite, "--measure", archive=place)
    later = run("measure", archive=place)
    quiet = run("import", opposite, "--measure", "--quiet", archive=place)
    (line,) = not_measured(at_once)
    assert not_measured(later) == not_measured(quiet) == [line]
    assert at_once.exit_code == later.exit_code == quiet.exit_code == 0
    assert quiet.stdout == ""
    assert line.startswith("not measured: call 'two' (")
    assert "belongs to the call 'one' (" in line
    assert "where its channels are caller, agent and not agent, caller; delete one of the two calls" in line
    told = json.loads(run("import", opposite, "--measure", "--json", archive=place).stdout)
    assert [f"not measured: {problem}" for problem in told["problems"]] == [line]


def test_where_nothing_could_be_measured_an_import_ends_as_measure_does(opposite: Path, tmp_path: Path) -> None:
    place = tmp_path / "archive"
    (opposite / "two.flac").unlink()
    (opposite / "two.json").unlink()
    assert run("import", opposite, archive=place).exit_code == 0
    (sound,) = (place / "media").rglob("*.flac")
    sound.unlink()
    later = run("measure", archive=place)
    at_once = run("import", opposite, "--measure", archive=place)
    assert (at_once.exit_code, not_measured(at_once)) == (later.exit_code, not_measured(later))
    assert later.exit_code == 2
    assert not_measured(later)[0].startswith("not measured: call 'one': ")


def test_the_call_of_a_pair_that_suffers_is_named_and_the_advice_helps(tmp_path: Path) -> None:
    place, alone, both = tmp_path / "archive", tmp_path / "one", tmp_path / "both"
    for made, sides in {alone: ["caller"], both: ["caller", "agent"]}.items():
        made.mkdir()
        for side in sides:
            shutil.copy(TRACKS / f"{SID}.{side}.wav", made)
    run("import", alone, "--measure", archive=place)
    found = run("import", both, "--measure", archive=place)
    (line,) = not_measured(found)
    assert line.startswith(f"not measured: call '{SID}' (")
    assert f"belongs to the call '{SID}.caller' (" in line
    assert "where its channels are mixed and not caller" in line
    assert run("delete", f"{SID}.caller", "--yes", archive=place).exit_code == 0
    assert not_measured(run("measure", archive=place)) == []
    roles = run(
        "sql", "--json", f"select distinct role from channels where call_id = '{SID}' order by role", archive=place
    )
    assert [row["role"] for row in json.loads(roles.stdout)] == ["agent", "caller"]


def test_a_backend_that_is_no_longer_heard_is_named(tmp_path: Path) -> None:
    place, sounds = tmp_path / "archive", tmp_path / "calls"
    sounds.mkdir()
    sound, rate = soundfile.read(folder("data") / "calls" / "two-clocks" / "call.flac", dtype="int16")
    soundfile.write(sounds / "one.wav", sound[: 4 * rate], rate)
    run("import", sounds, "--channels", "caller,agent", archive=place)
    assert "no longer heard" not in run("measure", "--backend", "refined", archive=place).stdout
    lost = run("measure", "--backend", "silero", archive=place).stdout
    assert (
        "refined is no longer heard in 1 recording: all rows of a recording come from one pass; "
        "measure with --backend silero --backend refined to have it too" in lost
    )
    both = run("measure", "--backend", "silero", "--backend", "refined", archive=place).stdout
    assert "measured 1 recording" in both
    assert "no longer heard" not in both
    anew = json.loads(run("measure", "--rel-db", "14", "--json", archive=place).stdout)
    assert anew["no_longer_heard"] == {"refined": 1, "silero": 1}
    assert "no longer heard" not in run("measure", "--rel-db", "14", archive=place).stdout
