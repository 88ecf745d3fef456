"""The gate of `assert` counts findings as they turn out: a medium check that became high by its magnitude too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.archive.archive import Archive
from workbench.schema.call import Call, Turn


@pytest.mark.parametrize(("answer_s", "severity", "code"), [(2.5, "medium", 0), (4.5, "high", 1)])
def test_a_finding_that_became_high_closes_the_gate(
    tmp_path: Path, at: Callable[..., tuple[int, str, str]], answer_s: float, severity: str, code: int
) -> None:
    """slow_response is medium above 1.5 s and high past double that (seed 001): 1.5 s and 3.5 s without an answer."""
    turns = [
        Turn(role="caller", text="When do you close?", start_s=0.0, end_s=1.0),
        Turn(role="agent", text="At five.", start_s=answer_s + 0.1, end_s=answer_s + 1.0),
    ]
    source = {"source_format": "made", "source_uri": "made.json", "source_sha256": "0" * 64, "turn_clock": "reported"}
    with Archive.create(tmp_path / "a") as archive:
        archive.add([Call(id="c1", turns=turns, **source)])
    where = ("--archive", tmp_path / "a")
    assert at("assert", "--pack", "caller-experience", "-q", *where)[0] == 0
    assert at("assert", "--pack", "caller-experience", "--strict", "-q", *where)[0] == code
    query = "select severity from findings where assertion_id = 'slow_response'"
    assert at("sql", query, "--format", "csv", *where)[1].split() == ["severity", severity]
