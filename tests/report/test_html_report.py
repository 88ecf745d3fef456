"""The report on an archive: what it says, what it keeps out, and that it is always the same."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf
from statsmodels.stats.proportion import proportion_confint

from workbench.archive.archive import Archive
from workbench.errors import UsageError
from workbench.report.html import archive_report, report, reports
from workbench.schema.call import Audio


def test_it_names_its_archive_its_snapshot_and_no_machine(html: str, place: Path, seen: Any) -> None:
    page = seen(html)
    with Archive(place) as archive:
        snapshot = archive.snapshot
    assert page.texts["title"][0] == f"my calls: calls at snapshot {snapshot}"
    assert f"Snapshot {snapshot}, workbench" in page.shown
    with Archive(place) as archive:
        lengths = [row for (row,) in archive.sql("select duration_s from call_overview").iter_rows() if row is not None]
        count = archive.sql("from calls").height
    calls = f"{count} call{'' if count == 1 else 's'}"
    assert f"<h1>{calls} in <bdi>my calls</bdi></h1>" in html  # a heading that is not everybody's
    assert f"of the {len(lengths)} call{'' if len(lengths) == 1 else 's'} whose length is known" in page.shown
    assert str(place.parent) not in html
    assert "cannot read 'x.json'" in page.shown
    assert not re.search(r"\b(assert|import|measure)-2\d{7}T", html), "a run id holds the time of the run"


def test_the_same_archive_gives_the_same_bytes_wherever_it_lies(
    html: str, place: Path, tmp_path: Path, made: Any
) -> None:
    moved = tmp_path / place.name
    shutil.copytree(place, moved)
    with Archive(moved) as archive:
        assert archive_report(archive) == html
        snapshot = archive.snapshot
        archive.add([made("later", turns=[])])
        assert archive_report(archive) != html
    with Archive(moved, as_of=snapshot) as before:
        assert archive_report(before) == html


def test_a_write_in_the_middle_does_not_mix_two_snapshots(
    html: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Any
) -> None:
    from workbench.report.pages import archive as page

    moved = tmp_path / place.name
    shutil.copytree(place, moved)
    with Archive(moved) as archive:
        kept = page.choose

        def write_then_choose(*args: object, **named: object) -> object:
            if archive.snapshot == int(re.findall(r"at snapshot (\d+)", html)[0]):
                with Archive(moved) as other:
                    other.add([made("in the middle", turns=[])])
            return kept(*args, **named)

        monkeypatch.setattr(page, "choose", write_then_choose)
        assert archive_report(archive) == html


def test_the_policy_allows_the_one_style_and_the_one_script_by_their_hashes(html: str, seen: Any) -> None:
    page = seen(html)
    (policy,) = [m["content"] for m in page.tags("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["media-src"] == rules["img-src"] == "data:"
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"


def test_nothing_points_outside_and_nothing_runs_from_an_attribute(html: str, seen: Any) -> None:
    page = seen(html)
    allowed = re.compile(r"^(#|data:audio/)")
    for tag, attributes in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name != "style", tag
            if name in {"src", "href", "xlink:href", "action", "srcset", "poster"}:
                assert allowed.match(value or ""), (tag, name, (value or "")[:60])


def test_a_hostile_transcript_stays_text(html: str, seen: Any) -> None:
    page = seen(html)
    assert len(page.tags("script")) == 1
    assert not page.tags("img")
    assert page.shown.count("<script>alert(1)</script>") >= 3
    assert "<img src=h" in page.shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", html)
    assert "⟨U+202E⟩001⟨U+202C⟩" in page.shown
    assert "a" * 5000 not in html, "a text of any length is cut"
    assert "characters more)" in page.shown


def test_a_rate_stands_with_its_counts_and_the_interval_that_statsmodels_gives(
    html: str, place: Path, seen: Any
) -> None:
    with Archive(place) as archive:
        rows = archive.reader.rows("select pass_count, trial_count from assertion_pass_rate where trial_count > 0")[1]
    assert rows
    shown = seen(html).shown
    for passed, trials in rows:
        low, high = proportion_confint(passed, trials, method="wilson")
        words = f"{passed}/{trials} ({100 * passed / trials:.0f} %, {100 * low:.0f}-{100 * high:.0f})"
        assert words in shown
    assert "inconclusive" in shown
    assert "not scorable" in shown


def test_an_empty_archive_is_refused_with_a_hint(tmp_path: Path) -> None:
    with (
        Archive.create(tmp_path / "empty") as archive,
        pytest.raises(UsageError, match="no calls") as refused,
    ):
        archive_report(archive)
    assert "workbench import" in (refused.value.hint or "")


def test_no_moments_when_none_are_wanted_and_fewer_than_none_is_refused(place: Path) -> None:
    with Archive(place) as archive:
        html = archive_report(archive, worst=0)
        assert '<figure class="moment"' not in html
        assert 'id="worst"' in html
        with pytest.raises(UsageError, match="-1 moments"):
            archive_report(archive, worst=-1)


def test_every_table_has_a_caption_and_its_sql_runs(html: str, place: Path) -> None:
    tables, captions = html.count("<table"), html.count("<caption>")
    assert tables == captions > 4
    queries = re.findall(r"<pre><code>(.*?)</code></pre>", html, re.DOTALL)
    assert len(queries) == tables
    import html as entities

    with Archive(place) as archive:
        for query in queries:
            assert archive.sql(entities.unescape(query)).width > 1


def test_headings_go_down_one_step_at_a_time_and_drawings_have_names(html: str, seen: Any) -> None:
    page = seen(html)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for drawing in page.tags("svg"):
        named = drawing.get("aria-hidden") == "true" or drawing.get("aria-label")
        assert named or "viewbox" in drawing, drawing
    identities = [found["id"] for _, found in page.elements if "id" in found]
    assert len(identities) == len(set(identities))
    for link in page.tags("a"):
        assert (link["href"] or "")[1:] in identities


def test_reports_are_found_by_listing_the_folder() -> None:
    assert "archive" in reports()
    assert all(report(name).QUESTION.endswith("?") for name in reports())
    with pytest.raises(UsageError, match="no report 'nothing'"):
        report("nothing")


def test_the_colours_of_the_sides_are_those_of_the_charts() -> None:
    from workbench.charts.theme import ROLES
    from workbench.report.render import TEMPLATES

    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    for role in ("caller", "agent", "mixed"):
        assert f"--{role}: {ROLES[role]};" in style


def test_what_was_never_supplied_or_never_judged_is_no_zero(tmp_path: Path, made: Any, built: Any) -> None:
    """One silent mono recording: no source gave turns, and no check of the pack can judge it."""
    sf.write(tmp_path / "mono.wav", np.zeros(80_000, dtype=np.int16), 8000, subtype="PCM_16")
    audio = [Audio(path=str(tmp_path / "mono.wav"), channels=["mixed"])]
    with Archive(built(tmp_path / "mono", [made("mono", audio=audio)])) as archive:
        verdicts = set(archive.sql("select status from call_verdicts")["status"])
        assert not verdicts & {"PASS", "FAIL"}
        page = archive_report(archive)
    shown = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    assert "turns – supplied by no source" in shown
    assert "findings – of 1 call checked, none could be judged" in shown
    assert "high findings" not in shown.partition("What is in here")[0]


def test_calls_that_no_check_could_judge_are_told_beside_the_findings(html: str, seen: Any) -> None:
    """`hostile`, `no-audio` and `no-clock` are judged by some check."""
    assert "of 3 calls judged" in " ".join(seen(html).shown.split())


def test_findings_are_told_of_the_calls_in_which_there_could_be_one(demo_archive: Path) -> None:
    """Of the pack these are high, slow_response past double its bound; the others never give a high finding."""
    high = "'misheard_number', 'no_confirmation', 'policy_limit', 'slow_response'"
    judged = f"status in ('PASS', 'FAIL') and assertion_id in ({high})"
    with Archive(demo_archive) as archive:
        able = archive.sql(f"select count(distinct call_id) from call_verdicts where {judged}").item()
        found = archive.sql("select count(distinct call_id) from findings where severity = 'high'").item()
        page = archive_report(archive)
    shown = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    assert f"in {found} of {able} calls judged by a check that can find one" in shown
    assert 0 < found < able
