"""What all commands have in common."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.cli import commands, main


def test_every_command_gives_json() -> None:
    without = {
        name for name, command in commands().items() if "--json" not in {o for p in command.params for o in p.opts}
    }
    assert without == set()


WRITING = (
    "acoustics assert autopsy baseline benchmark-timing compact delete demo export import init label measure pack pin "
    "prove report scan score unpack"
)


@pytest.mark.parametrize("name", WRITING.split())
def test_every_command_that_writes_can_be_quiet(name: str) -> None:
    assert {"-q", "--quiet"} <= {o for p in commands()[name].params for o in p.opts}


VERDICTS = "assert autopsy baseline clocks diff measure prove scan score sweep-timing trust verify"


@pytest.mark.parametrize("name", VERDICTS.split())
def test_every_command_whose_exit_code_says_something_can_be_quiet(name: str) -> None:
    assert {"-q", "--quiet"} <= {o for p in commands()[name].params for o in p.opts}


def test_quiet_commands_say_it_by_their_exit_code(
    failing_archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("verify", "--archive", failing_archive, "-q") == 0
    assert run("diff", "before", "after", "--strict", "--archive", failing_archive, "-q") == 1
    assert run("clocks", "c1", "--archive", failing_archive, "-q") == 2
    silent = tmp_path / "silent.wav"
    sf.write(silent, np.zeros((16000, 2), dtype=np.int16), 8000)
    assert run("trust", silent, "-q") == 2
    assert capsys.readouterr().out == ""


def test_one_that_was_current_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sf.write(tmp_path / "a.wav", np.zeros((16000, 2), dtype=np.int16), 8000)
    assert run("import", tmp_path / "a.wav", "--measure", "-q", "--archive", tmp_path / "archive") == 0
    assert run("measure", "--archive", tmp_path / "archive") == 0
    assert "; 1 was current" in capsys.readouterr().out


def run(*args: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    return int(ended.value.code or 0)


def test_quiet_and_json_of_what_is_seldom_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "archive"
    assert run("init", "--archive", place, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"archive": str(place)}
    assert run("compact", "--archive", place, "-q") == 0
    assert capsys.readouterr().out == ""
    assert run("compact", "--archive", place) == 0
    assert "data files before" in capsys.readouterr().out
    assert run("notebook", "--json") == 0
    assert {"name", "title"} == set(json.loads(capsys.readouterr().out)[0])


@pytest.mark.parametrize(("typed", "meant"), [("imprt", "import"), ("asert", "assert"), ("tabels", "tables")])
def test_a_misspelt_command_is_told_its_name(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(typed) == 2
    assert f"No such command '{typed}'. Did you mean '{meant}'?" in capsys.readouterr().err


def test_nothing_near_is_not_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("xyzzy") == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_a_word_too_many_is_told_how_an_archive_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("init", "my.archive") == 2
    assert "(my.archive)\nHint: the archive is named with --archive DIR\n" in capsys.readouterr().err
    assert run("doctor", "my.archive") == 2
    assert "Hint" not in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(commands()))
def test_a_command_that_lacks_what_it_needs_ends_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing at all, or one option that no command has: the right form is said, by the first example of the help."""
    command = commands()[name]
    needs = any(parameter.required for parameter in command.params)
    assert run(name, *([] if needs else ["--no-such-option"])) == 2
    err = capsys.readouterr().err
    example = re.search(r"Examples?:\n +(workbench .*)", command.help or "")
    assert (example is not None) or not needs, "no example in the help of a command that cannot be run alone"
    if example is not None:
        assert err.endswith(f"\nHint: for example {example[1]}\n")
    assert err.count("Hint") == (example is not None)


def test_a_missing_option_is_told_the_right_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("pack", "a.contract", "b.zip") == 2
    assert capsys.readouterr().err.endswith(
        "Missing option '-o'.\nHint: for example workbench pack contracts/ct-0123456789ab.contract "
        "-o ct-0123456789ab.contract.zip\n"
    )
