"""`pin`, `prove`, `pack`, `unpack` as commands: exit codes, JSON, and what is left behind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def archive(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    shutil.copy(CLIP, folder / "call.wav")
    place = folder / "archive"
    assert run("import", folder / "call.wav", "--channels", "caller,agent", "--measure", "--archive", place)[0] == 0
    return place


@pytest.fixture(scope="module")
def call_id(run: Run, archive: Path) -> str:
    (call,) = json.loads(run("sql", "select call_id from calls", "--format", "json", "--archive", archive)[1])
    return str(call["call_id"])


def test_from_a_moment_to_a_proof_and_through_a_file(run: Run, archive: Path, call_id: str, tmp_path: Path) -> None:
    """The bundled hard interruption yields after 0.20 s: it passes a bound of 1 s and fails one of 0.1 s."""
    good, late = tmp_path / "good", tmp_path / "late"
    said = ("pin", call_id, "--archive", archive, "--at", "2.0", "--expect", "yield", "--author", "A")
    code, out, _ = run(*said, "--max-time-to-yield-s", "1", "-o", good, "--json")
    pinned = json.loads(out)
    assert (code, pinned["contract"]["measurement"]["time_to_yield_s"]) == (0, 0.2)
    code, out, _ = run(*said, "--max-time-to-yield-s", "0.1", "-o", late)
    assert (code, out.startswith("FAIL: yield at 2 s"), "unsigned but internally consistent" in out) == (0, True, True)
    code, out, _ = run("prove", good)
    assert (code, "says nothing of today's agent" in out, "1 PASS, 0 FAIL, 0 TAMPERED, 0 REFUSED" in out) == (
        0,
        True,
        True,
    )
    code, out, _ = run("prove", good, late, "--json", "--junit", tmp_path / "j.xml")
    told = json.loads(out)
    assert (code, told["counts"]) == (1, {"PASS": 1, "FAIL": 1, "TAMPERED": 0, "REFUSED": 0})
    assert "says nothing of today's agent" in told["claim"]
    assert "says nothing of today's agent" in (tmp_path / "j.xml").read_text()
    key = {"CONTRACT_KEY": "secret"}
    packed = tmp_path / "one.contract.zip"
    assert run("pack", pinned["folder"], "-o", packed, "--sign-key-env", "CONTRACT_KEY", env=key)[0] == 0
    code, out, _ = run("unpack", packed, tmp_path / "got", "--json")
    got = json.loads(out)["folder"]
    assert code == 0
    assert run("pack", got, "-o", tmp_path / "again.zip", "-q")[:2] == (0, "")
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()
    code, out, _ = run("prove", got, "--sign-key-env", "CONTRACT_KEY", "--require-signature", env=key)
    assert (code, "authenticated" in out) == (0, True)
    assert run("prove", got, "--sign-key-env", "CONTRACT_KEY", env={"CONTRACT_KEY": "other"})[0] == 1
    assert run("prove", good, "--sign-key-env", "CONTRACT_KEY", "--require-signature", env=key)[0] == 2
    labels = json.loads(run("sql", "select status from scored_events", "--format", "json", "--archive", archive)[1])
    assert sorted(row["status"] for row in labels) == ["FAIL", "PASS"]


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("--at", "2"),
        ("--expect", "yield"),
        ("--label", "nothing"),
        ("--label", "x", "--expect", "hold"),
        ("--label", "x", "--max-talk-over-s", "1"),
        ("--at", "5", "--expect", "yield"),
        ("--at", "500", "--expect", "yield"),
        ("--at", "2", "--expect", "yield", "--pre-s", "-1"),
        ("--at", "2", "--expect", "yield", "--post-s", "0"),
        ("--at", "2", "--expect", "yield", "--sign-key-env", "NO_SUCH_VARIABLE"),
    ],
)
def test_what_cannot_be_pinned_is_refused_with_one_hint(
    run: Run, archive: Path, call_id: str, tmp_path: Path, given: tuple[str, ...]
) -> None:
    code, out, error = run("pin", call_id, "--archive", archive, "-o", tmp_path / "pins", *given)
    assert (code, out, error.count("Hint:")) == (2, "", 1)
    assert not (tmp_path / "pins").exists()


def test_nothing_to_prove_pack_or_unpack(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "text.zip").write_text("no archive")
    for given in (
        ("prove", empty),
        ("prove", tmp_path / "none"),
        ("pack", empty, "-o", tmp_path / "x.zip"),
        ("unpack", tmp_path / "text.zip", tmp_path / "out"),
        ("unpack", tmp_path / "none.zip", tmp_path / "out"),
    ):
        code, out, error = run(*given)
        assert (code, out, error.count("Hint:")) == (2, "", 1), given
    assert run("prove", tmp_path / "text.zip")[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "text.zip"]


@pytest.mark.parametrize(
    ("which", "code"),
    [
        (("pass",), 0),
        (("pass", "refused"), 2),
        (("refused",), 2),
        (("pass", "tampered"), 1),
        (("tampered", "refused"), 1),
        (("fail", "refused", "pass"), 1),
        (("fail", "tampered", "refused", "pass"), 1),
    ],
)
def test_of_several_contracts_a_failure_outranks_a_refusal(
    run: Run, four: dict[str, Path], which: tuple[str, ...], code: int
) -> None:
    for order in (which, which[::-1]):
        found, out, _ = run("prove", *(four[name] for name in order), "--json")
        counts = {name.lower(): count for name, count in json.loads(out)["counts"].items() if count}
        assert (found, counts) == (code, dict.fromkeys(which, 1))


def test_what_was_not_measured_is_not_claimed(run: Run, four: dict[str, Path], tmp_path: Path) -> None:
    junit = tmp_path / "j.xml"
    for name in ("tampered", "refused"):
        _, out, _ = run("prove", four[name], "--junit", junit)
        assert ("Nothing was measured" in out, "measured again" in out) == (True, False)
        assert "Nothing was measured" in junit.read_text()
        told = json.loads(run("prove", four[name], "--json")[1])
        assert (told["claim"][:20], told["contracts"][0]["evidence_level"]) == ("Nothing was measured", None)
    assert "2 of 4 contracts were measured again. No call was made" in run("prove", *four.values())[1]


def test_the_help_tells_which_exit_code_wins(run: Run) -> None:
    said = " ".join(run("prove", "--help")[1].split())
    assert "1 where any is FAIL or TAMPERED, whatever the others are; 2 where any is REFUSED" in said


@pytest.fixture(scope="module")
def four(run: Run, archive: Path, call_id: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One contract of each status."""
    place = tmp_path_factory.mktemp("four")
    made = {}
    for ix, (name, bound) in enumerate({"pass": "1", "fail": "0.1", "tampered": "1.1", "refused": "1.2"}.items()):
        said = ("pin", call_id, "--archive", archive, "--at", "2.0", "--expect", "yield", "--author", f"B{ix}")
        code, out, err = run(*said, "--max-time-to-yield-s", bound, "-o", place / name, "--json")
        assert code == 0, err
        made[name] = Path(json.loads(out)["folder"])
    with (made["tampered"] / "audio/event.wav").open("ab") as file:
        file.write(b"more")
    (made["refused"] / "MANIFEST.sha256.json").write_bytes(b"")
    return made
