"""Every number of measuring and scoring can be set, is echoed, and what is not judged says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from workbench.analysis.timing_settings import changed, value_text, with_settings
from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError
from workbench.ingest import read
from workbench.timing.next_steps import next_step
from workbench.timing.score_config import ScoreConfig

At = Callable[..., tuple[int, str, str]]
CALLS = Path(__file__).parents[2] / "data" / "calls"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    with Archive.create(tmp_path / "archive") as made:
        made.add(read([CALLS / "vapi-defaults"]))
    return tmp_path / "archive"


def numbers(config: MeasureConfig | ScoreConfig) -> list[str]:
    return [name for name, value in msgspec.structs.asdict(config).items() if not isinstance(value, str)]


@pytest.mark.parametrize("config", [MeasureConfig(), ScoreConfig()], ids=["measure", "score"])
def test_every_number_of_a_config_can_be_set_and_is_told(config: MeasureConfig | ScoreConfig) -> None:
    assert len(numbers(config)) == (8 if isinstance(config, MeasureConfig) else 17)
    for name in numbers(config):
        typed = "true" if name == "echo_gate" else "-7" if name == "abs_gate_db" else "0.5"
        if getattr(config, name) == 0.5:
            typed = "0.25"
        if name in ("frame_ms", "hop_ms"):
            typed = "15"
        found = with_settings(config, [f"{name}={typed}"], given={})
        assert found != config
        assert changed(found) == f"{name} {typed}"
        assert with_settings(found, [f"{name}={typed}"], given={}) == found
    assert changed(config) == "published method"


@pytest.mark.parametrize(
    ("texts", "given", "said"),
    [
        (["mood=1"], {}, "'mood' is no parameter"),
        (["max_search_s"], {}, "max_search_s= is no number"),
        (["max_search_s=long"], {}, "is no number"),
        (["max_search_s=1", "max_search_s=2"], {}, "given twice"),
        (["max_search_s=1"], {"max_search_s": 2.0}, "given twice"),
        (["echo_coherence=3"], {}, "must lie in 0..1"),
        (["max_search_s=none"], {}, "is no number"),
        (["max_search_s=1e-300"], {}, "must lie in 0.01..86400"),
    ],
)
def test_what_cannot_be_set_is_refused(texts: list[str], given: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        with_settings(ScoreConfig(), texts, given=given)
    assert refused.value.hint


def test_a_zero_below_zero_is_zero_and_no_other_config() -> None:
    score, measure = ScoreConfig(max_time_to_yield_s=-0.0, min_gap_s=-0.0), MeasureConfig(rel_db=-0.0, abs_gate_db=-0.0)
    assert score.config_id == ScoreConfig(max_time_to_yield_s=0.0, min_gap_s=0.0).config_id
    assert measure.config_id == MeasureConfig(rel_db=0.0, abs_gate_db=0.0).config_id
    assert (changed(score), changed(measure)) == ("min_gap_s 0, max_time_to_yield_s 0", "rel_db 0, abs_gate_db 0")


@pytest.mark.parametrize("value", [100.0001, 100.0, 0.1 + 0.2, 20.000000000000004, 9999.123456, 1e-7])
def test_two_configs_that_differ_are_told_apart(value: float) -> None:
    """What is printed is typed again and gives the very value."""
    text = value_text(value)
    assert float(text) == value
    if value > 1:
        assert changed(MeasureConfig(frame_ms=value)) == f"frame_ms {text}"
        assert f"{text} ms windows" in MeasureConfig(frame_ms=value).windows


@pytest.mark.parametrize("typed", ["0", "1", "yes", ""])
def test_a_switch_takes_true_or_false(typed: str) -> None:
    with pytest.raises(UsageError, match="echo_gate takes true or false"):
        with_settings(ScoreConfig(), [f"echo_gate={typed}"], given={})


def test_measure_takes_and_echoes_them(at: At, archive: Path) -> None:
    where = ("--archive", archive)
    code, out, _ = at("measure", "--set", "noise_percentile=0.2", "--set", "dyn_margin_db=25", "--rel-db", 12, *where)
    config = MeasureConfig(noise_percentile=0.2, dyn_margin_db=25.0, rel_db=12.0)
    assert code == 0
    assert f"with config {config.config_id} (rel_db 12, noise_percentile 0.2, dyn_margin_db 25); 0 were" in out
    code, out, _ = at("measure", "--set", "hop_ms=5", "--json", *where)
    told = json.loads(out)
    assert (code, told["config"]["hop_ms"], told["measured"]) == (0, 5.0, 9)
    assert "(published method)" in at("measure", *where)[1]
    assert at("measure", "--set", "backend=1", *where)[0] == 2


def test_score_takes_and_echoes_them_and_says_what_to_do(at: At, archive: Path) -> None:
    where = ("--archive", archive)
    code, out, _ = at("score", *where)
    assert code == 2
    assert f"not judged, no_audio (9): {NO_AUDIO}" in out
    assert "published method)" in out
    code, out, _ = at("score", "--json", *where)
    events = json.loads(out)["events"]
    assert {(event["reason"], event["next_step"]) for event in events} == {("no_audio", next_step("no_audio"))}
    assert at("measure", "-q", *where)[0] == 0
    code, out, _ = at("score", "--set", "turn_end_silence_s=0.4", "--set", "snr_gate_db=200", *where)
    assert code == 2
    assert "9 NOT_SCORABLE" in out
    assert "turn_end_silence_s 0.4, snr_gate_db 200; measured with config" in out
    assert "not judged, low_snr (9): the noise is too near to the speech" in out
    code, out, _ = at("score", "--set", "resume_window_s=0", "--json", *where)
    told = json.loads(out)
    assert (code, told["config"]["resume_window_s"]) == (0, 0.0)
    assert told["config_id"] == ScoreConfig(resume_window_s=0.0).config_id
    assert all(event["next_step"] is None for event in told["events"] if event["status"] in ("PASS", "FAIL"))


NO_AUDIO = "the call has no recording that was measured: import its audio and run `workbench measure`"
