"""Several labels of one moment: the moment counts once, in SQL, in memory and in comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_calls import measured_archive

from workbench.analysis.robustness_archive import of_archive
from workbench.analysis.timing_counts import four_cells, rates
from workbench.analysis.timing_held import HeldMoments
from workbench.analysis.timing_shown import several_labels
from workbench.archive import labelling
from workbench.archive.archive import Archive
from workbench.archive.comparing import chosen_events
from workbench.schema.call import Call, Label
from workbench.timing.same_moment import groups
from workbench.timing.score_config import ScoreConfig


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Three calls: the caller speaks 2.0 to 4.0 s, the agent 0.5 to 2.5 s; two people label the first of them."""
    return measured_archive(tmp_path, calls=3)


def label(archive: Archive, call_id: str, at_s: float, expect: str, author: str, **more: Any) -> str:
    return labelling.expectation(archive.layout, call_id, onset_s=at_s, expect=expect, author=author, **more)


def test_two_people_who_agree_are_one_moment_and_the_tighter_bound_counts(archive: Archive) -> None:
    """Both are loud for 0.5 s: without a bound a pass, with 0.4 s a failure; it is one moment and not two."""
    label(archive, "c0", 2.0, "yield", "A")
    bound = label(archive, "c0", 2.1, "yield", "B", max_talk_over_s=0.2)
    label(archive, "c1", 2.0, "yield", "A")
    scoring = archive.score()
    assert (len(scoring.events), scoring.counts) == (3, {"FAIL": 1, "PASS": 1})
    rows = archive.sql("from timing_events order by call_id").select("label_id", "status", "label_count", "author")
    assert rows.rows()[0] == (bound, "FAIL", 2, "A, B")
    assert rows.rows()[1][1:] == ("PASS", 1, "A")
    (row, _) = rates(archive.sql("from timing_events")).to_dicts()
    assert (row["pass_count"], row["trial_count"], row["call_count"]) == (1, 2, 2)
    events, _ = chosen_events(archive.reader, None)
    assert [(event["call_id"], event["status"]) for event in events] == [("c0", "FAIL"), ("c1", "PASS")]


def test_two_people_who_contradict_are_one_moment_without_a_verdict(archive: Archive) -> None:
    label(archive, "c0", 2.0, "yield", "A")
    hold = label(archive, "c0", 2.1, "hold", "B")
    label(archive, "c1", 2.0, "yield", "A")
    assert archive.score().counts == {"INCONCLUSIVE": 1, "PASS": 1}
    events = archive.sql("from timing_events order by call_id")
    assert events.select("status", "reason", "expect", "author").row(0) == (
        "INCONCLUSIVE",
        "labels_disagree",
        None,
        "A, B",
    )
    counted = {row["expect"]: row["trial_count"] for row in rates(events).to_dicts()}
    assert counted == {"yield": 1, "hold": 0, "labels disagree": 0}
    assert not events["awaits_yield"][0]
    labelling.retract(archive.layout, "c0", hold, author="B")
    assert archive.score().counts == {"PASS": 2}


def test_a_contradiction_that_came_after_an_older_scoring_config_judged_is_seen(archive: Archive) -> None:
    label(archive, "c0", 2.0, "yield", "A")
    strict = ScoreConfig(max_talk_over_s=0.1)
    archive.score(config=strict)
    label(archive, "c0", 2.0, "hold", "B")
    archive.score()
    rows = archive.sql("select distinct status, reason from timing_events").rows()
    assert rows == [("INCONCLUSIVE", "labels_disagree")]
    compared, _ = chosen_events(archive.reader, strict.config_id)
    assert [(event["status"], event["reason"]) for event in compared] == rows


def test_what_is_held_in_memory_are_the_rows_of_the_view(archive: Archive) -> None:
    label(archive, "c0", 2.0, "yield", "A")
    label(archive, "c0", 2.2, "yield", "B", max_talk_over_s=0.4)
    label(archive, "c0", 2.4, "hold", "B")
    label(archive, "c1", 2.0, "yield", "A")
    label(archive, "c1", 2.0, "hold", "A")
    archive.score()
    held = HeldMoments(archive)
    order = ["call_id", "label_id"]
    stored = archive.sql("from timing_events").sort(order)
    assert held.default.sort(order).equals(stored)
    assert (len(held.labels), held.label_count, len(stored)) == (3, 5, 3)


def test_a_moment_with_several_labels_has_one_curve_and_none_where_they_contradict(archive: Archive) -> None:
    label(archive, "c0", 2.0, "yield", "A")
    label(archive, "c0", 2.0, "yield", "B")
    label(archive, "c1", 2.0, "yield", "A")
    label(archive, "c1", 2.0, "hold", "B")
    curves, _ = of_archive(archive, only=["gain"])
    assert [curve.call_id for curve in curves] == ["c0"]


def test_sql_and_python_find_the_same_moments(archive: Archive) -> None:
    """Labels at random times of two calls, thick enough that chains of them are cut."""
    rng = np.random.default_rng(4)
    times = [None, None, *np.round(rng.uniform(0, 4, 60), 2).tolist()]
    archive.add(
        [
            Call(
                id=name,
                origin="synthetic",
                source_format="made",
                source_uri=name,
                source_sha256=f"{ix + 9:064x}",
                turns=[],
                labels=[Label(kind="expectation", onset_s=time, expect="yield") for time in times[ix:]],
            )
            for ix, name in enumerate(("x", "y"))
        ]
    )
    rows = archive.sql("from label_moments order by call_id, label_id").to_dicts()
    sizes = sorted(len(group) for group in groups(rows))
    found = archive.sql("select call_id, moment_s, count(*) as n from label_moments group by all having n > 1")
    assert sizes == sorted(found["n"])
    assert len(sizes) > 10
    for group in groups(rows):
        assert len({(rows[ix]["call_id"], rows[ix]["moment_s"]) for ix in group}) == 1
        assert sum(rows[ix]["counted"] for ix in group) == 1


def test_labels_that_say_neither_yield_nor_hold_do_not_disagree(archive: Archive) -> None:
    """Two of one moment, in a call without sound: it is not known what was expected, and nobody contradicts anybody."""
    labels = [Label(kind="expectation", onset_s=2.0, author=who) for who in "AB"]
    source: dict[str, Any] = {"source_format": "made", "source_uri": "x", "source_sha256": "f" * 64}
    archive.add([Call(id="unsaid", turns=[], labels=labels, **source)])
    label(archive, "c0", 2.0, "yield", "A")
    label(archive, "c0", 2.0, "hold", "B")
    archive.score()
    events = HeldMoments(archive).default
    assert events.select("call_id", "label_count", "disagree", "expect").rows() == [
        ("c0", 2, True, None),
        ("unsaid", 2, False, None),
    ]
    rows = four_cells(events).rows()
    assert rows == [("yield", 0, 0, 0), ("hold", 0, 0, 0), ("labels disagree", 0, 0, 1), ("not said", 0, 0, 1)]
    assert "2 moments with several labels" in several_labels(events)
    assert "1 of them labelled both yield and hold" in several_labels(events)
