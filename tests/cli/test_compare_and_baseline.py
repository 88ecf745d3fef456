"""`compare` and `baseline` as commands, over an archive with two versions of an agent."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from made_stops import RATE, sound

CLIPS = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio"
SLOW, PROMPT = (CLIPS / f"vapi-default-{name}.example.wav" for name in ("07-correction", "01-hard-interruption"))
PAGE = (Path(__file__).parents[2] / "docs/compare-policy.md").read_text("utf-8")
Run = Callable[..., tuple[int, str, str]]
YIELD = ("--expect", "yield", "--channels", "caller,agent")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Version 1 talks on at three moments and holds at one; 2 yields at all; 3 is 1 at half the level; 4 is right."""
    from workbench.archive.archive import Archive
    from workbench.schema.call import Audio, Call, Label, Scenario

    folder = tmp_path_factory.mktemp("versions")
    expects = {"y1": "yield", "y2": "yield", "y3": "yield", "h1": "hold"}
    stops = {"1": (4.0, 4.1, 4.2, 5.0), "2": (2.4, 2.4, 2.5, 2.3), "4": (2.4, 2.5, 2.4, 5.1)}
    calls = []
    for version in "1234":
        for ix, (name, expect) in enumerate(expects.items()):
            path = folder / f"{version}-{name}.wav"
            if version == "3":
                samples, _ = soundfile.read(folder / f"1-{name}.wav", dtype="int16")
                soundfile.write(path, samples // 2, RATE, subtype="PCM_16")
            else:
                sound(path, stops=stops[version][ix], seed=10 * int(version) + ix)
            source: dict[str, Any] = {"source_format": "made", "source_uri": f"{path.name}.json", "origin": "synthetic"}
            calls.append(
                Call(
                    id=f"{version}-{name}",
                    source_sha256=f"{len(calls):064x}",
                    agent_version=version,
                    scenario=Scenario(scenario_id=name, required_facts=[], forbidden_facts=[]),
                    audio=[Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")],
                    labels=[Label(kind="expectation", onset_s=2.0, expect=expect, value={"max_talk_over_s": 0.55})],
                    **source,
                )
            )
    with Archive.create(folder / "archive") as made:
        made.add(calls)
        made.measure(workers=1)
    return folder / "archive"


@pytest.mark.parametrize(
    "given",
    [
        (SLOW, PROMPT, *YIELD, "--onset", "6.5"),
        (SLOW, PROMPT, *YIELD, "--before-onset", "2", "--after-onset", "60"),
        (SLOW, PROMPT, *YIELD, "--onset", "-1"),
        (SLOW, PROMPT, "--onset", "2", "--expect", "yield", "--channels", "caller"),
        (SLOW, PROMPT, "--onset", "2", "--expect", "yield", "--channels", "mixed,unknown"),
        (SLOW, "nothing.wav", *YIELD, "--onset", "2"),
        (SLOW, PROMPT, "--policy", "x.json"),
        (SLOW, PROMPT, "--onset", "2", "--after-deploy"),
        ("1", "2", "--by", "agent_version", "--onset", "2"),
    ],
)
def test_a_side_that_cannot_be_judged_is_refused(run: Run, given: tuple[Any, ...]) -> None:
    code, out, error = run("compare", *given)
    assert (code, out, error.count("Hint:")) == (2, "", 1)


def versions(run: Run, archive: Path, before: str, after: str, *given: Any) -> tuple[int, dict[str, Any]]:
    code, out, _ = run("compare", before, after, "--by", "agent_version", "--archive", archive, "--json", *given)
    return code, json.loads(out)


def test_groups_are_paired_by_scenario_and_both_axes_told(run: Run, archive: Path) -> None:
    code, told = versions(run, archive, "1", "4")
    assert (code, [pair["result"] for pair in told["pairs"]]) == (0, ["still_pass", "fixed", "fixed", "fixed"])
    assert (told["regression_axis"]["count"], told["regression_axis"]["of"]) == (3, 3)
    assert told["claim"] == "3 of 3 that failed pass now, and 1 of 1 that passed still do"
    assert told["evidence_level"] == "fresh take and opposite risk"
    assert versions(run, archive, "1", "4", "--min-n", "4")[1]["claim"] is None
    assert versions(run, archive, "1", "4", "--after-deploy")[1]["evidence_level"] == "post-deploy rerun"


@pytest.mark.parametrize("language", ["json", "yaml"])
def test_yielding_to_everything_fails_the_documented_policy_and_the_right_change_passes(
    run: Run, archive: Path, tmp_path: Path, language: str
) -> None:
    example, shown = (re.search(rf"(?ms)^```{name}\n(.*?)^```$", PAGE)[1] for name in (language, "text"))
    policy = tmp_path / f"change.{language}"
    policy.write_text(example)
    code, told = versions(run, archive, "1", "2", "--policy", policy)
    assert (code, told["claim"]) == (1, None)
    broken = {rule["name"] for rule in told["policy"] if not rule["holds"]}
    assert (len(told["policy"]), broken) == (8, {"false_yield_count", "max_new_false_yields"})
    given = ("--by", "agent_version", "--archive", archive, "--policy", policy)
    out = run("compare", "1", "2", *given)[1].splitlines()
    assert [line for line in shown.splitlines() if line not in out] == []
    assert versions(run, archive, "1", "4", "--policy", policy)[0] == 0
    assert versions(run, archive, "1", "2", "--strict")[0] == 1
    policy.write_text('{"target": {"improve": {"accuracy": "decrease"}}}')
    code, out, error = run("compare", "1", "4", *given)
    assert (code, out, "accuracy" in error) == (2, "", True)


def test_a_copy_of_the_old_calls_supports_no_claim(run: Run, archive: Path, tmp_path: Path) -> None:
    """At half the level the agent is no longer heard throughout, so verdicts may differ; no word says fixed."""
    _, told = versions(run, archive, "1", "3")
    assert {pair["freshness"]["state"] for pair in told["pairs"]} == {"same_envelope"}
    assert (told["claim"], told["evidence_level"]) == (None, "re-verified same audio")
    assert {name: count for name, count in told["counts"].items() if count} == {"same_recording": 4}
    assert (told["regression_axis"]["of"], told["hold_axis"]["of"], told["p_exact"]) == (0, 0, None)
    assert told["pooled_before"]["talk_over_s"]["events"] == 0
    policy = tmp_path / "change.yaml"
    policy.write_text("target:\n  improve:\n    failed_count: no_worse\nguardrails:\n  max_new_false_yields: 9\n")
    for given in (("--policy", policy), ("--strict",), ("--policy", policy, "--strict")):
        code, told = versions(run, archive, "1", "3", *given)
        assert (code, [rule["holds"] for rule in told["policy"]]) == (2, [None] * (2 if "--policy" in given else 0))
        assert told["gate_withheld"] == "4 of 4 pairs not known to be different recordings (same_envelope)"
    out = run("compare", "1", "3", "--by", "agent_version", "--archive", archive, "--policy", policy)[1]
    assert ("withheld: failed_count no_worse" in out, "holds:" in out, "fixed" in out) == (True, False, False)


@pytest.mark.parametrize("gain", [0.25, 1.0])
def test_a_quieter_copy_of_a_file_is_neither_fixed_nor_regressed(run: Run, tmp_path: Path, gain: float) -> None:
    """The agent's last second lies 20 dB lower: heard in the original, and under the threshold in a quiet copy."""
    rng = np.random.default_rng(3)
    samples = rng.normal(0, 0.3, (8 * RATE, 2))
    for channel, start, end, loud in ((1, 0.5, 2.4, 1500.0), (1, 2.4, 4.2, 60.0), (0, 2.0, 4.0, 1500.0)):
        part = slice(round(start * RATE), round(end * RATE))
        samples[part, channel] = rng.normal(0, 1, part.stop - part.start) * loud
        samples[part, channel] *= np.repeat(10 ** rng.uniform(-0.3, 0.3, 200), 400)[: part.stop - part.start]
    one, two = tmp_path / "a.wav", tmp_path / "b.wav"
    for path, factor in ((one, 1.0), (two, gain)):
        soundfile.write(path, np.rint(samples * factor).astype(np.int16), RATE, subtype="PCM_16")
    given = (*YIELD, "--onset", "2", "--max-talk-over-s", "1")
    verdicts = "FAIL -> FAIL" if gain == 1 else "FAIL -> PASS"
    code, out, _ = run("compare", one, two, *given)
    assert (code, out.splitlines()[0]) == (0, f"same_recording: {verdicts}")
    told = json.loads(run("compare", one, two, *given, "--json")[1])
    assert (told["result"], told["evidence_level"]) == ("same_recording", "re-verified same audio")
    for pair in ((one, two), (two, one)):
        code, out, _ = run("compare", *pair, *given, "--strict")
        assert (code, "withheld, exit 2" in out, "regressed" in out) == (2, True, False)


def test_a_regression_beside_a_copy_exits_1_and_says_no_other_code(run: Run, tmp_path: Path) -> None:
    """Of version 2 one take is a copy, the other talks on: --strict has what it asks for, a policy is withheld."""
    from workbench.archive.archive import Archive
    from workbench.schema.call import Audio, Call, Label, Scenario

    takes = {"1-a": (2.4, 1), "1-b": (2.4, 2), "2-a": (2.4, 1), "2-b": (5.0, 3)}
    calls = []
    for name, (stops, seed) in takes.items():
        path = sound(tmp_path / f"{name}.wav", stops=stops, seed=seed)
        source: dict[str, Any] = {"source_format": "made", "source_uri": f"{name}.json", "origin": "synthetic"}
        calls.append(
            Call(
                id=name,
                source_sha256=name.encode().hex().zfill(64),
                agent_version=name[0],
                scenario=Scenario(scenario_id=name[2], required_facts=[], forbidden_facts=[]),
                audio=[Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")],
                labels=[Label(kind="expectation", onset_s=2.0, expect="yield", value={})],
                **source,
            )
        )
    with Archive.create(tmp_path / "archive") as made:
        made.add(calls)
        made.measure(workers=1)
    given = ("compare", "1", "2", "--by", "agent_version", "--archive", tmp_path / "archive")
    code, out, _ = run(*given, "--strict")
    assert (code, "exit 2" in out) == (1, False)
    assert "withheld: a gate says nothing here, 1 of 2 pairs not known to be different recordings" in out
    assert "exit 1: 1 pair regressed" in out
    policy = tmp_path / "change.yaml"
    policy.write_text("target:\n  improve:\n    failed_count: no_worse\n")
    code, out, _ = run(*given, "--policy", policy)
    assert (code, "withheld, exit 2: a gate says nothing here, 1 of 2 pairs" in out) == (2, True)


def test_a_copy_with_its_channels_exchanged_is_told(run: Run, tmp_path: Path) -> None:
    """Both speak at the moment, so either order has a verdict: as it is the agent stops, exchanged it talks on."""
    rng = np.random.default_rng(8)
    samples = rng.normal(0, 3, (8 * RATE, 2))
    for channel, start, end in ((1, 0.5, 2.4), (0, 1.9, 5.0)):
        part = slice(round(start * RATE), round(end * RATE))
        loudness = np.repeat(10 ** rng.uniform(2.6, 3.6, 200), 400)[: part.stop - part.start]
        samples[part, channel] = rng.normal(0, 1, part.stop - part.start) * loudness
    one, two = tmp_path / "a.wav", tmp_path / "b.wav"
    soundfile.write(one, samples.astype(np.int16), RATE, subtype="PCM_16")
    soundfile.write(two, samples[:, ::-1].astype(np.int16), RATE, subtype="PCM_16")
    given = (*YIELD, "--onset", "2", "--max-time-to-yield-s", "1")
    code, out, _ = run("compare", one, two, *given, "--strict")
    assert (code, out.splitlines()[0], "channels exchanged" in out) == (2, "same_recording: PASS -> FAIL", True)


def test_two_rulers_say_what_became_of_a_verdict_and_answer_no_gate(run: Run, archive: Path, tmp_path: Path) -> None:
    """A yield is looked for during 0.25 s: those of 2 and 4 come later, and the agent is the same."""
    where = ("--archive", archive)
    assert run("score", "--max-search-s", "0.25", "-q", *where)[0] == 0
    query = "select config_id, count(*) n from scored_events group by all order by max(run_id)"
    published, other = (row["config_id"] for row in json.loads(run("sql", query, "--format", "json", *where)[1]))
    code, out, _ = run("compare", published, other, "--by", "config_id", *where, "--json")
    told = json.loads(out)
    assert (code, told["counts"]["became_fail"], len(told["pairs"])) == (0, 6, 16)
    assert set(told["counts"]) == {"became_pass", "became_fail", "still_pass", "still_fail", "not_scorable"}
    assert "nothing of the agent" in told["evidence"]
    code, out, _ = run("compare", published, other, "--by", "config_id", *where)
    assert (code, "two rulers: " in out, "fixed" in out, "regressed" in out) == (0, True, False, False)
    policy = tmp_path / "change.yaml"
    policy.write_text("target:\n  improve:\n    failed_count: no_worse\n")
    for asked in (("--policy", policy), ("--strict",), ("--after-deploy",), ("--min-n", "1"), ("--config", other)):
        code, out, error = run("compare", published, other, "--by", "config_id", *where, *asked)
        assert (code, out, "says nothing about two rulers" in error) == (2, "", True), asked


def test_groups_that_are_not_there(run: Run, archive: Path) -> None:
    for given in (("1", "9", "--by", "agent_version"), ("1", "2", "--by", "mood"), ("a", "b", "--by", "config_id")):
        code, out, error = run("compare", *given, "--archive", archive)
        assert (code, out, error.count("Hint:")) == (2, "", 1), given


def test_a_baseline_is_set_once_and_drift_is_told(run: Run, archive: Path, tmp_path: Path) -> None:
    where = ("--archive", archive)
    code, out, _ = run("baseline", "set", "good", "--agent-version", "4", *where, "--json")
    kept = json.loads(out)["figures"]
    assert (code, kept["time_to_yield_s"]["events"]) == (0, 3)
    assert run("baseline", "set", "good", *where)[:2] == (2, "")
    assert run("baseline", "set", "good", "--agent-version", "4", "--replace", "-q", *where)[:2] == (0, "")
    rows = json.loads(run("sql", "from baselines order by metric", "--format", "json", *where)[1])
    assert [(row["metric"], row["slice"]) for row in rows] == [
        (name, "agent_version=4") for name in ("premature_start_s", "response_gap_s", "talk_over_s", "time_to_yield_s")
    ]
    tolerances = tmp_path / "t.json"
    tolerances.write_text('{"time_to_yield_s": "+10%", "talk_over_s": "+0.05"}')
    check = ("baseline", "check", "good", "--tolerances", tolerances, *where)
    code, out, _ = run(*check, "--agent-version", "4")
    assert (code, "4 of 4 recordings" in out, "says nothing of today's agent" in out) == (0, True, True)
    code, out, _ = run(*check, "--agent-version", "1", "--json")
    told = json.loads(out)
    assert (code, told["drifted"], told["withheld"]) == (1, 2, None)
    assert told["recordings_are"] == {"same_pcm": 0, "same_envelope": 0, "different": 4, "unknown": 0}
    assert told["evidence"].startswith("Another recording of the moment was measured with the same ruler.")
    assert run("baseline", "check", "good", "--tolerances", tolerances, "--agent-version", "9", *where)[0] == 2
    assert run("baseline", "check", "none", "--tolerances", tolerances, *where)[0] == 2
    assert run("baseline", "check", "good", *where)[0] == 2
    tolerances.write_text('{"response_gap_s": "+10%"}')
    code, out, _ = run(*check, "--agent-version", "4")
    assert (code, out.count("(4, 4 censored)"), "up to s" in out) == (0, 2, True)
    tolerances.write_text('{"premature_start_s": "+10%"}')
    code, out, error = run(*check, "--agent-version", "4")
    assert (code, out, "premature_start_s" in error) == (2, "", True)


def test_a_check_on_copies_of_the_baselines_recordings_is_withheld(run: Run, archive: Path, tmp_path: Path) -> None:
    where = ("--archive", archive)
    assert run("baseline", "set", "first", "--agent-version", "1", "-q", *where)[0] == 0
    tolerances = tmp_path / "t.json"
    tolerances.write_text('{"talk_over_s": "+0%"}')
    check = ("baseline", "check", "first", "--tolerances", tolerances, *where)
    code, out, _ = run(*check, "--agent-version", "3")
    assert (code, "4 are copies of them, 0 are other sound" in out, "within" in out) == (2, True, False)
    assert "withheld, exit 2: 4 of 4 recordings copied from the baseline's" in out
    assert "says nothing of today's agent" in out
    code, out, _ = run(*check, "--agent-version", "3", "--json")
    told = json.loads(out)
    assert (code, told["drifted"], [drift["drifted"] for drift in told["drifts"]]) == (2, None, [None])
    code, out, _ = run(*check, "--json")
    told = json.loads(out)
    assert (code, told["recordings_are"]) == (2, {"same_pcm": 4, "same_envelope": 4, "different": 8, "unknown": 0})


def test_a_check_whose_baseline_was_deleted_exits_2_and_claims_nothing(run: Run, archive: Path, tmp_path: Path) -> None:
    moved = tmp_path / "archive"
    shutil.copytree(archive, moved)
    where = ("--archive", moved)
    assert run("baseline", "set", "gone", "--agent-version", "1", "-q", *where)[0] == 0
    for name in ("y1", "y2", "y3", "h1"):
        assert run("delete", f"1-{name}", "--yes", "-q", *where)[0] == 0
    tolerances = tmp_path / "t.json"
    tolerances.write_text('{"talk_over_s": "+0%"}')
    check = ("baseline", "check", "gone", "--tolerances", tolerances, "--agent-version", "4", *where)
    code, out, _ = run(*check)
    assert (code, "within" in out, "DRIFT" in out, "measured again." in out) == (2, False, False, False)
    assert "withheld, exit 2: the baseline's recordings (4) are in the archive no more" in out
    assert "Nothing of the baseline could be measured again" in out
    told = json.loads(run(*check, "--json")[1])
    assert (told["drifted"], told["withheld"] is None, told["evidence"][:7]) == (None, False, "Nothing")


def test_a_check_with_another_ruler_is_refused(run: Run, archive: Path, tmp_path: Path) -> None:
    where = ("--archive", archive)
    assert run("score", "--max-search-s", "2", "-q", *where)[0] == 0
    query = "select distinct config_id from scored_events"
    configs = {row["config_id"] for row in json.loads(run("sql", query, "--format", "json", *where)[1])}
    tolerances = tmp_path / "t.json"
    tolerances.write_text('{"talk_over_s": "+10%"}')
    assert run("baseline", "set", "ruled", "--agent-version", "4", "-q", *where)[0] == 0
    check = ("baseline", "check", "ruled", "--agent-version", "4", "--tolerances", tolerances, *where)
    own = json.loads(run(*check, "--json")[1])["config_id"]
    for config in sorted(configs):
        code, out, error = run(*check, "--config", config, "-q")
        assert (code, out, "another ruler" in error) == ((0, "", False) if config == own else (2, "", True))


def test_without_an_onset_it_says_what_was_taken_and_how_to_name_the_moment(run: Run, tmp_path: Path) -> None:
    """The caller's first speech lies at 2.0 s; in the other file the agent is silent by then."""
    good, quiet = sound(tmp_path / "a.wav", stops=2.4, seed=1), sound(tmp_path / "b.wav", stops=1.2, seed=2)
    code, out, _ = run("compare", good, good, *YIELD)
    assert code == 0
    assert (
        "no --onset: the worst barge-in that autopsy lists, or without one the caller's first speech, was taken" in out
    )
    assert "for the moment, at 1.99 s in the file before and" in out
    assert "no --onset" not in run("compare", good, good, *YIELD, "--onset", "2")[1]
    code, out, err = run("compare", good, quiet, *YIELD)
    assert (code, out) == (2, "")
    assert "no --onset was given, and what was heard of the caller at 1.99 s was taken for it" in err
    assert "Hint: name the moment the caller begins: --onset SECONDS" in err
    err = run("compare", good, quiet, *YIELD, "--onset", "2")[2]
    assert "Hint: check --after-onset" in err


def test_groups_without_labels_say_what_to_do(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "archive"
    assert run("init", "--archive", place)[0] == 0
    code, _, err = run("compare", "1", "2", "--by", "agent_version", "--archive", place)
    assert code == 2
    assert "workbench label CALL --at SECONDS --expect yield labels a moment, and workbench score scores" in err


def test_a_check_without_tolerances_is_told_what_it_needs(run: Run, archive: Path) -> None:
    code, out, err = run("baseline", "check", "spring", "--archive", archive)
    assert (code, out) == (2, "")
    assert "baseline check needs --tolerances" in err
    assert "time_to_yield_s" in err
    assert "Required with check" in run("baseline", "--help")[1]
