"""Every reason for no verdict says what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile

from workbench.errors import UsageError
from workbench.report.pages import timing as timing_page
from workbench.timing.contracts.judging import judge
from workbench.timing.events import REASONS
from workbench.timing.health import NEXT_STEPS
from workbench.timing.next_steps import meaning, next_step

OF_THE_AGENT = {"did_not_yield", "slow_to_yield", "talked_over", "false_yield", "stopped_without_caller"}
OF_THE_AGENT |= {"did_not_go_on"}  # no verdict, and nothing of recording or label to mend


@pytest.mark.parametrize("reason", sorted(REASONS.keys() | NEXT_STEPS.keys()))
def test_each_reason_has_a_meaning_and_those_of_the_recording_or_label_a_step(reason: str) -> None:
    assert meaning(reason)
    assert (next_step(reason) is None) == (reason in OF_THE_AGENT)
    assert next_step(reason) is None or next_step(reason) in meaning(reason)


def test_no_reason_and_an_unknown_one() -> None:
    assert (next_step(None), meaning(None)) == (None, "")
    assert (next_step("x"), meaning("x")) == (None, "x")


def test_a_mono_file_where_two_parties_are_asked_for_is_told_what_fits_it(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "mono.wav", np.zeros(8000, np.int16), 8000, subtype="PCM_16")
    with pytest.raises(UsageError, match="do not fit a file with 1 channel") as refused:
        judge(tmp_path / "mono.wav", expect="yield", onset_s=0.5)
    assert refused.value.hint == NEXT_STEPS["mono"]
    soundfile.write(tmp_path / "two.wav", np.zeros((8000, 2), np.int16), 8000, subtype="PCM_16")
    with pytest.raises(UsageError) as refused:
        judge(tmp_path / "two.wav", expect="yield", onset_s=0.5, roles=("caller", "none"))
    assert "--channels caller,agent" in str(refused.value.hint)


def test_the_report_says_for_each_reason_of_input_health_what_would_mend_it() -> None:
    row = {"status": "NOT_SCORABLE", "call_id": "c"}
    events = pl.DataFrame([row | {"reason": "leakage"}, row | {"reason": "no_audio"}])
    told = {row["reason"]: row["meaning"] for row in timing_page._unusable(events, {})}
    assert told["leakage"] == NEXT_STEPS["leakage"]
    assert told["no_audio"] == REASONS["no_audio"]


def test_what_the_input_health_of_a_call_says_goes_before_what_is_said_of_the_reason_alone() -> None:
    assert next_step("possible_swap", "exchange the names") == meaning("possible_swap", "exchange the names")
    assert next_step("possible_swap", "exchange the names") == "exchange the names"
    assert meaning("no_audio", "exchange the names") == REASONS["no_audio"]
    events = pl.DataFrame([{"status": "NOT_SCORABLE", "reason": "possible_swap", "call_id": name} for name in "ab"])
    found = timing_page._unusable(events, {("b", "possible_swap"): "exchange the names"})
    assert [(row["calls"], row["meaning"]) for row in found] == [
        (["a"], NEXT_STEPS["possible_swap"]),
        (["b"], "exchange the names"),
    ]
