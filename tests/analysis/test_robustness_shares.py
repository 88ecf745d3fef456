"""What becomes of many verdicts at each level, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.analysis.robustness import Curve, Step
from workbench.analysis.robustness_shares import by_group, groups_of, shares
from workbench.archive.archive import Archive
from workbench.errors import UsageError
from workbench.schema.call import Call, Turn


def step(level: float, status: str) -> Step:
    return Step(
        level=level,
        did_yield=None,
        time_to_yield_s=None,
        talk_over_s=None,
        response_gap_s=None,
        status=status,
        reason=None,
    )


def curve(call_id: str, original: str, *statuses: str, perturbation: str = "noise", label_id: str = "a") -> Curve:
    return Curve(
        call_id=call_id,
        label_id=label_id,
        onset_s=1.0,
        expect="yield",
        perturbation=perturbation,
        unit="dB",
        recipe="",
        seed=1,
        parent_pcm_sha256="0",
        original=step(0.0, original),
        hardest=10.0 * len(statuses),
        withheld_at=None,
        wrong_at=None,
        yield_changes_at=None,
        returns=0,
        steps=[step(40.0 - 10.0 * ix, status) for ix, status in enumerate(statuses)],
    )


def test_each_level_counts_what_holds_what_is_withheld_and_what_is_another_verdict() -> None:
    """Ten moments, one a call; Wilson's 95 % limits of 6 of 10 are 0.3127 and 0.8318 (Newcombe 1998, method 3)."""
    curves = [curve(f"p{ix}", "PASS", "PASS", "PASS") for ix in range(5)]
    curves += [curve("f", "FAIL", "FAIL", "FAIL"), curve("w1", "PASS", "PASS", "NOT_SCORABLE")]
    curves += [curve("w2", "FAIL", "FAIL", "INCONCLUSIVE"), curve("o1", "PASS", "PASS", "FAIL")]
    curves += [curve("o2", "FAIL", "FAIL", "PASS"), curve("p0", "PASS", "PASS", perturbation="gain")]
    rows = shares(curves).to_dicts()
    keys = [(row["perturbation"], row["level_ix"], row["level"]) for row in rows]
    assert keys == [("noise", 0, 40.0), ("noise", 1, 30.0), ("gain", 0, 40.0)]
    first, second, gain = rows
    assert (first["holds_count"], first["moment_count"], first["holds_share"]) == (10, 10, 1.0)
    assert (second["holds_count"], second["withheld_count"], second["other_count"]) == (6, 2, 2)
    assert second["holds_low"] == pytest.approx(0.3127, abs=5e-5)
    assert second["holds_high"] == pytest.approx(0.8318, abs=5e-5)
    assert (second["interval_unit"], gain["moment_count"]) == ("moment, one a call", 1)


def test_moments_of_one_call_are_no_independent_trials() -> None:
    two = [curve("c1", "PASS", "PASS", label_id=name) for name in "ab"]
    row = shares([*two, curve("c2", "PASS", "FAIL")]).row(0, named=True)
    assert (row["call_count"], row["moment_count"], row["holds_count"]) == (2, 3, 2)
    assert (row["holds_low"], row["interval_unit"]) == (None, "fewer than 3 calls: no interval")
    assert shares([]).is_empty()


def test_calls_that_sound_otherwise_are_counted_apart() -> None:
    groups = {"c1": "noisy caller", "c2": "not described", "c3": "noisy caller"}
    curves = [curve("c1", "PASS", "FAIL"), curve("c2", "PASS", "PASS"), curve("c3", "PASS", "PASS")]
    found = shares(curves, groups=groups)
    assert found.select("group", "moment_count", "holds_count", "other_count").rows() == [
        ("noisy caller", 2, 1, 1),
        ("not described", 1, 1, 0),
    ]
    titles = [named["title"] for _, named in by_group(found)]
    assert titles == [f"Verdicts while the sound gets worse: {name}" for name in ("noisy caller", "not described")]
    assert [(rows.height, named) for rows, named in by_group(shares(curves))] == [(1, {})]
    assert shares([], groups={}).is_empty()


def test_groups_are_said_in_words_and_another_slice_is_refused(tmp_path: Path) -> None:
    source = {"source_format": "made", "source_uri": "c.json", "source_sha256": "0" * 64}
    with Archive.create(tmp_path / "archive") as archive:
        archive.add([Call(id="c", turns=[Turn(role="caller", text="Hello.")], **source)])
        archive.refresh()
        assert groups_of(archive, "caller_noisy") == {"c": "not described"}
        with pytest.raises(UsageError, match="cannot be parted by 'agent_id'"):
            groups_of(archive, "agent_id")
