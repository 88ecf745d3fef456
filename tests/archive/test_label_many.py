"""Many labels in one transaction: all of them, or none and every bad row named; and only their calls are scored."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from made_calls import measured_archive

from workbench.archive import scoring
from workbench.archive.archive import Archive
from workbench.archive.label_files import read_labels
from workbench.errors import ArchiveFailed, UsageError
from workbench.schema.call import Call, Turn
from workbench.timing.score_config import ScoreConfig


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Two calls of 6 s: the caller speaks 2.0 to 4.0 s, the agent 0.5 to 2.5 s."""
    return measured_archive(tmp_path, calls=2)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_labels_is_one_transaction_and_adds_nothing_twice(archive: Archive, tmp_path: Path) -> None:
    text = "# by hand\ncall_id,onset_s,expect,max_talk_over_s,note,author\n"
    text += 'c0,2.0,yield,0.4,"first, loud",B\nc1,2.00,hold,,,\n\nc0,2.0,yield,0.4,"first, loud",B\n'
    rows = read_labels(written(tmp_path / "labels.csv", text))
    assert [row["line"] for row in rows] == [3, 4, 6]
    before = archive.snapshot
    done = archive.label_many(rows, author="A")
    assert (len(done.labels), done.added_count, len(set(done.labels))) == (3, 2, 2)
    assert archive.snapshot == before + 1
    stored = archive.sql("select call_id, onset_s, expect, value, author, authority from labels order by call_id")
    assert stored.rows() == [
        ("c0", 2.0, "yield", '{"max_talk_over_s":0.4,"note":"first, loud"}', "B", "human"),
        ("c1", 2.0, "hold", None, "A", "human"),
    ]
    assert archive.label_many(rows, author="A").added_count == 0
    assert archive.label("c1", onset_s=2.0, expect="hold", author="A") == done.labels[1][1]


@pytest.mark.parametrize("call_id", [" lead", "trail ", "\tboth\u3000", "plain"])
def test_spaces_of_a_call_id_are_its_own_and_others_are_the_cells(tmp_path: Path, call_id: str) -> None:
    """A call named as another one but for its spaces is another call."""
    turns = [Turn(role="caller", text="Hello.")]
    stated = {"source_format": "made", "source_uri": "x", "source_sha256": "0" * 64, "turns": turns}
    calls = [Call(id=name, **stated) for name in dict.fromkeys((call_id, "plain"))]
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(calls)
        text = f"call_id, onset_s ,expect\n{call_id}, 2.0, yield \n  plain ,3.0,hold\n"
        archive.label_many(read_labels(written(tmp_path / "labels.csv", text)), author="A")
        found = archive.sql("select call_id, onset_s, expect from labels order by onset_s").rows()
    assert found == [(call_id, 2.0, "yield"), ("plain", 3.0, "hold")]


def test_one_bad_line_refuses_all_and_every_bad_line_is_named(archive: Archive, tmp_path: Path) -> None:
    text = "call_id,onset_s,expect\nc0,2.0,yield\nnobody,2.0,yield\nc1,99,yield\n"
    text += "c1,soon,yield\nc1,2.0,stop\nc1,2.0\nc1,,hold\n"
    with pytest.raises(UsageError) as caught:
        archive.label_many(read_labels(written(tmp_path / "labels.csv", text)), author="A")
    said = str(caught.value)
    assert "6 of 7 labels cannot be, so none is added" in said
    for line in (
        "line 3: no call 'nobody'",
        "line 4: the moment 99 s lies outside the call, which lasts 6 s",
        "line 5: onset_s is 'soon' and no number",
        "line 6: expect is 'stop'",
        "line 7: 2 cells",
        "line 8: onset_s is missing",
    ):
        assert line in said
    assert archive.sql("from labels").is_empty()
    row = {"call_id": "c0", "onset_s": 1.0, "expect": "hold"}
    with pytest.raises(UsageError, match="row 2: a label needs an author"):
        archive.label_many([row | {"author": "A"}, row], author=" ")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no column call_id"),
        ("call_id,at,expect\nc0,2,yield\n", "no column onset_s"),
        ("call_id,onset_s,expect,colour\nc0,2,yield,red\n", "'colour' is unknown"),
        ("call_id,onset_s,expect,expect\nc0,2,yield,hold\n", "'expect' is unknown or twice there"),
        ("call_id,onset_s,expect\n", "has no label"),
    ],
)
def test_a_file_that_is_no_list_of_labels_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        read_labels(written(tmp_path / "labels.csv", text))
    with pytest.raises(UsageError, match="cannot be read"):
        read_labels(tmp_path / "gone.csv")


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("# one\n\ncall_id;onset_s;expect\nc0;2,0;yield\n", "separated by semicolons (';')", "with commas"),
        ('\ufeff"call_id";"onset_s";"expect"\n"c0";"2";"yield"\n', "separated by semicolons (';')", "a point (2.5)"),
        ("Call_ID\tonset_s\texpect\nc0\t2\tyield\n", "separated by tabs ('\\t')", "with commas"),
        ("Call_ID,onset_s,expect\nc0,2,yield\n", "line 1 was read as the names: 'Call_ID'", "is written call_id"),
        ("# one\n\ncall_id,onset_s,expect\nc0,2,yield\n", "(line 2 is empty)", "the first line names"),
        ("c0,2.0,yield\n", "no column call_id, onset_s, expect (line 1 was read as the names: 'c0', '2.0'", "call_id,"),
        ("", "(the file is empty)", "the first line names"),
    ],
)
def test_what_was_read_for_the_names_of_columns_is_told(tmp_path: Path, text: str, what: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_labels(written(tmp_path / "labels.csv", text))
    assert what in caught.value.what
    assert hint in (caught.value.hint or "")


def test_a_pipe_of_labels_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "labels.csv")
    waited = threading.Timer(5, lambda: (tmp_path / "labels.csv").write_bytes(b""))
    waited.daemon = True
    waited.start()
    with pytest.raises(UsageError, match="it is a device or a pipe"):
        read_labels(tmp_path / "labels.csv")
    waited.cancel()


def test_a_bound_below_zero_by_its_sign_only_is_zero(archive: Archive) -> None:
    below, zero = (
        archive.label("c0", onset_s=value, expect="yield", author="a", max_talk_over_s=value) for value in (-0.0, 0.0)
    )
    assert below == zero


def test_a_line_within_a_quoted_cell_is_no_remark(tmp_path: Path) -> None:
    text = '# a "remark\ncall_id,onset_s,expect,note\n# another\nc0,2.0,yield,"first\n#2 second"\nc1,5.0,yield,x\n'
    assert read_labels(written(tmp_path / "labels.csv", text)) == [
        {"call_id": "c0", "onset_s": "2.0", "expect": "yield", "note": "first\n#2 second", "line": 4},
        {"call_id": "c1", "onset_s": "5.0", "expect": "yield", "note": "x", "line": 6},
    ]


@pytest.mark.parametrize("below", ["", "c1,3,yield,x\n", 'c1,3,yield,"x"\n'])
def test_a_quote_that_is_not_closed_swallows_no_label(tmp_path: Path, below: str) -> None:
    text = 'call_id,onset_s,expect,note\n# one\nc0,3,yield,"open\n' + below
    with pytest.raises(UsageError, match="line 3: a cell cannot be read"):
        read_labels(written(tmp_path / "labels.csv", text))


def test_a_label_scores_its_own_call_under_every_config_and_leaves_the_others(archive: Archive) -> None:
    for call_id in ("c0", "c1"):
        archive.label(call_id, onset_s=2.0, expect="yield", author="A")
    archive.score(config=ScoreConfig(max_talk_over_s=0.1))
    archive.score()
    query = "select config_id, run_id, status from scored_events where call_id = 'c1' order by config_id"
    others = archive.sql(query)
    archive.label("c0", onset_s=2.0, expect="hold", author="B")
    scoring = archive.score_calls(["c0"])
    assert (scoring.config_id, scoring.counts) == (ScoreConfig().config_id, {"INCONCLUSIVE": 1})
    mine = archive.sql("select config_id, status, reason from scored_events where call_id = 'c0'")
    assert mine.height == 4
    assert set(mine["reason"]) == {"labels_disagree"}
    assert archive.sql(query).equals(others)


def test_a_call_whose_last_label_is_taken_back_has_no_event_left(archive: Archive) -> None:
    from workbench.archive.labelling import retract

    label_id = archive.label("c0", onset_s=2.0, expect="yield", author="A")
    archive.score_calls(["c0"])
    retract(archive.layout, "c0", label_id, author="A")
    assert archive.score_calls(["c0"]).run_id is None
    assert archive.sql("from scored_events").is_empty()


def test_a_label_that_comes_in_while_its_call_is_scored_keeps_its_event(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = scoring.Writer

    def opened(*given: Any) -> Any:
        monkeypatch.setattr(scoring, "Writer", writer)
        with Archive(archive.path) as another:
            another.label("c0", onset_s=3.5, expect="hold", author="B")
            another.score_calls(["c0"])
        return writer(*given)

    archive.label("c0", onset_s=2.0, expect="yield", author="A")
    monkeypatch.setattr(scoring, "Writer", opened)
    assert len(archive.score_calls(["c0"]).events) == 2
    assert sorted(archive.sql("from scored_events")["expect"]) == ["hold", "yield"]
    monkeypatch.setattr(scoring, "Writer", opened)
    archive.label("c1", onset_s=2.0, expect="yield", author="A")
    archive.score()
    assert archive.sql("from scored_events").height == archive.sql("from standing_labels").height == 3


def test_labels_without_end_are_kept_and_told(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, given = scoring.Writer, iter(range(100))

    def opened(*layout: Any) -> Any:
        archive.label("c0", onset_s=2.0 + next(given) / 100, expect="hold", author="B")
        return writer(*layout)

    archive.label("c0", onset_s=2.0, expect="yield", author="A")
    monkeypatch.setattr(scoring, "Writer", opened)
    with pytest.raises(ArchiveFailed, match="the labels are kept"):
        archive.score_calls(["c0"])
    assert archive.sql("from scored_events").is_empty()


def test_a_label_is_scored_by_the_configs_there_are_and_brings_no_other_ruler(archive: Archive) -> None:
    strict, strictest = ScoreConfig(max_talk_over_s=0.1), ScoreConfig(max_talk_over_s=0.05)
    for call_id in ("c0", "c1"):
        archive.label(call_id, onset_s=2.0, expect="yield", author="A")
    for config in (strict, strictest, strict):
        archive.score(config=config)
    assert archive.score_calls(["c0"]).config_id == strict.config_id
    assert set(archive.sql("from scored_events")["config_id"]) == {strict.config_id, strictest.config_id}
