"""The timing report: counts, censored times, failed moments with their sound, and nothing that runs or loads."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError
from workbench.report.html import report, reports
from workbench.report.pages import timing
from workbench.report.survival_figure import survival_figure
from workbench.schema.call import Audio, Call, Label, Turn
from workbench.timing.score_config import ScoreConfig

SCRIPT = "</script><script>alert(1)</script><img src=https://outside.example/p.png>"
RATE_HZ = 8000


def tones(path: Path, *, caller: tuple[float, float], agent: tuple[float, float]) -> Audio:
    times = np.arange(10 * RATE_HZ) / RATE_HZ
    noise = np.random.default_rng(0).normal(0, 2e-4, (len(times), 2))
    for ix, (start, end) in enumerate((caller, agent)):
        noise[:, ix] += np.where(
            (times >= start) & (times < end), 0.4 * np.sin(2 * np.pi * (440 + 440 * ix) * times), 0
        )
    sf.write(path, noise, RATE_HZ, subtype="PCM_16")
    return Audio(path=str(path), channels=["caller", "agent"])


def call(name: str, audio: Audio | None, *labels: tuple[float, str], **more: Any) -> Call:
    digest = hashlib.sha256(name.encode()).hexdigest()
    found = [
        Label(kind="expectation", onset_s=at, expect=expect, author=f"A {SCRIPT}", value={"max_time_to_yield_s": 1.0})
        for at, expect in labels
    ]
    source = {"source_format": "made", "source_uri": "made", "source_sha256": digest}
    return Call(id=name, **source, audio=[audio] if audio else None, labels=found, **more)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent that never stopped, one that was slow, one in time, one that stopped for nothing, one without audio."""
    folder = tmp_path_factory.mktemp("timing")
    on = tones(folder / "on.wav", caller=(2, 6), agent=(0.5, 9))
    slow = tones(folder / "slow.wav", caller=(2, 6), agent=(0.5, 3.5))
    soon = tones(folder / "soon.wav", caller=(2, 6), agent=(0.5, 2.4))
    calls = [
        call(f"on {SCRIPT}", on, (2.0, "yield"), agent_version=SCRIPT),
        call("slow", slow, (2.0, "yield")),
        call("soon", soon, (2.0, "yield")),
        call("stopped", soon, (2.0, "hold")),
        call("unheard", None, (1.0, "yield"), turn_clock="none", turns=[Turn(role="caller", text="hello")]),
    ]
    with Archive.create(folder / "archive") as archive:
        archive.add(calls)
        archive.measure(workers=1)
    return folder / "archive"


@pytest.fixture(scope="module")
def html(place: Path) -> str:
    with Archive(place) as archive:
        return report("timing").build(archive, worst=8)


def test_it_is_one_of_the_reports() -> None:
    assert "timing" in reports()


def test_its_heading_says_what_it_is(html: str, place: Path) -> None:
    assert f"<h1>Timing of calls in <bdi>{place.name}</bdi></h1>" in html


def test_it_counts_what_was_judged_and_what_was_not(html: str) -> None:
    shown = " ".join(re.sub(r"<[^>]+>", " ", html.partition("<main")[2]).split())
    assert "labelled moments 5 in 5 calls" in shown
    assert "judged 4 1 passed, 3 failed" in shown
    assert "not judged 1 not scorable or inconclusive" in shown
    assert "yield as labelled 1/3" in shown
    assert "hold as labelled 0/1" in shown
    assert "1 of 3 censored" in shown
    assert "no audio inconclusive 1 the call has no recording that was measured" in shown


def test_failed_moments_are_drawn_and_heard_those_that_spoke_on_first(html: str, seen: type[Any]) -> None:
    page = seen(html)
    titles = re.findall(r"</span> ([a-z ]+) <span class=\"faint\">at 0:02", html)
    assert titles == ["did not yield", "slow to yield", "false yield"]
    assert "still speaking after 3.00 s; it is not known when it stopped" in page.shown
    assert len([audio for audio in page.tags("audio") if str(audio["src"]).startswith("data:audio/mpeg")]) == 3
    assert "did not yield 3.00 s" in page.shown


def test_an_agent_that_stopped_is_not_told_as_still_speaking(tmp_path: Path, seen: type[Any]) -> None:
    """The caller's word lasts from 2.0 to 2.3 s, the agent's sentence to 3.2 s, and then nobody speaks."""
    short = tones(tmp_path / "short.wav", caller=(2, 2.3), agent=(0.5, 3.2))
    with Archive.create(tmp_path / "archive") as archive:
        archive.add([call("short", short, (2.0, "yield"))])
        archive.measure(workers=1)
        page = seen(report("timing").build(archive, worst=8))
    told = re.search(
        r"stopped after (1\.\d\d) s, when the caller had been quiet for (0\.\d\d) s; that is not", page.shown
    )
    assert told is not None
    assert [float(seconds) for seconds in told.groups()] == pytest.approx([1.2, 0.9], abs=0.03)
    assert "still speaking after" not in page.shown
    assert "stopped without caller" in page.shown


def test_the_curve_keeps_the_censored(html: str, seen: type[Any]) -> None:
    labels = [attributes.get("aria-label") or "" for attributes in seen(html).tags("svg")]
    assert any(label.startswith("Time to yield: 3 moments, 1 censored, median 1.5") for label in labels)
    figure = survival_figure(
        [
            {"time_s": 0.0, "survival": 1.0, "low": 0.4, "high": 1.0},
            {"time_s": 1.0, "survival": 0.5, "low": 0.1, "high": 0.9},
        ],
        [{"duration_s": 1.0, "observed": True}, {"duration_s": 2.0, "observed": False}],
        at_risk=[{"time_s": 0.0, "at_risk": 2}, {"time_s": 2.0, "at_risk": 1}],
        label="two",
    )
    assert figure.line == "M0 0L0 0L500 0L500 50"
    assert figure.censored == ((100.0, 50.0),)
    assert figure.ticks == ((0.0, "0", 2), (100.0, "2", 1))


def test_no_text_of_a_call_or_label_becomes_markup(html: str, seen: type[Any]) -> None:
    page = seen(html)
    assert len(page.tags("script")) == 1
    assert not page.tags("img")
    assert "outside.example" in page.shown
    assert "alert(1)" not in "".join(page.texts["script"])


def test_the_same_archive_gives_the_same_page_and_its_sql_the_same_rows(place: Path, html: str, tmp_path: Path) -> None:
    with Archive(place) as archive:
        assert report("timing").build(archive, worst=8) == html
        (query,) = set(re.findall(r"from timing_events where config_id = &#39;(\w+)&#39;", html))
        assert query == ScoreConfig().config_id
        rows = archive.sql("from timing_events where config_id = $config", {"config": query})
    assert len(rows) == 5


def test_without_a_label_or_with_a_number_that_cannot_be_it_is_refused(
    tmp_path: Path, place: Path, built: Callable[..., Path]
) -> None:
    with (
        Archive(built(tmp_path / "bare", [], check=False)) as archive,
        pytest.raises(UsageError, match="no moment is labelled"),
    ):
        report("timing").build(archive, worst=8)
    with Archive(place) as archive, pytest.raises(UsageError, match="-1 moments"):
        report("timing").build(archive, worst=-1)
    with Archive(place) as archive:
        assert '<figure class="moment"' not in report("timing").build(archive, worst=0)


def test_a_median_that_is_not_reached_is_said_in_words(tmp_path: Path) -> None:
    """Four agents that speak on: nobody yields in any of eight moments."""
    on = tones(tmp_path / "on.wav", caller=(2, 6), agent=(0.5, 9))
    calls = [call(f"c{ix}", on, (2.0, "yield"), (3.0, "yield")) for ix in range(4)]
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(calls)
        archive.measure(workers=1)
        page = report("timing").build(archive, worst=0)
    shown = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    assert "median time to yield not reached 95 %: –; 8 of 8 censored" in shown
    assert "(inf" not in shown
    assert " inf " not in shown


def test_moments_and_labels_are_counted_apart_and_people_compared(tmp_path: Path) -> None:
    """Two people label two moments of three calls each: once they agree, once they do not."""
    soon = tones(tmp_path / "soon.wav", caller=(2, 6), agent=(0.5, 2.4))
    with Archive.create(tmp_path / "archive") as archive:
        archive.add([call(name, soon) for name in ("a", "b", "c")])
        archive.measure(workers=1)
        said = [("a", "A", "yield"), ("a", "B", "yield"), ("b", "A", "yield"), ("b", "B", "hold"), ("c", "A", "yield")]
        rows = [{"call_id": name, "onset_s": 2.0, "expect": expect} for name, _, expect in said]
        archive.label_many([row | {"author": who} for row, (_, who, _) in zip(rows, said, strict=True)], author="A")
        archive.score()
        page = report("timing").build(archive, worst=0)
    shown = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    assert "labelled moments 3 with 5 labels in 3 calls judged 2 2 passed, 0 failed not judged 1" in shown
    assert (
        "Several labels speak of 2 moments of these; each counts once; 1 of them is labelled both yield and hold"
        in shown
    )
    assert "A B 2 2 1/2 (50 %, 9-91) 1 0 1 0" in shown
    assert "labels disagree inconclusive 1" in shown
    assert "3 labels of A, given as a person's judgement (authority: human) 2 labels of B, given" in unescape(shown)


def test_one_degree_of_freedom_is_one(tmp_path: Path) -> None:
    """Two versions give one; two events in each are enough for a test."""
    soon = tones(tmp_path / "soon.wav", caller=(2, 6), agent=(0.5, 2.4))
    late = tones(tmp_path / "late.wav", caller=(2, 6), agent=(0.5, 3.4))
    with Archive.create(tmp_path / "archive") as archive:
        calls = [
            call(f"{v}{ix}", each, (2.0, "yield"), agent_version=v)
            for v, each in (("1", soon), ("2", late))
            for ix in "ab"
        ]
        archive.add(calls)
        archive.measure(workers=1)
        page = report("timing").build(archive, worst=0)
    assert ", 1 degree of freedom, p = " in page


def test_moments_of_two_rulers_are_told_and_not_tested_against_each_other(tmp_path: Path) -> None:
    """The sound of version 1 is gone when the rest is measured with another threshold; `compare` refuses as well."""
    with Archive.create(tmp_path / "archive") as archive:
        for version, end in (("1", 2.4), ("2", 3.4)):
            sound = tones(tmp_path / f"{version}.wav", caller=(2, 6), agent=(0.5, end))
            calls = [call(f"{version}{ix}", sound, (2.0, "yield"), agent_version=version) for ix in "ab"]
            archive.add(calls, storage="reference")
        archive.measure(workers=1)
        (tmp_path / "1.wav").unlink()
        assert archive.measure(workers=1, config=MeasureConfig(rel_db=20.0)).measured == 2
        page = unescape(report("timing").build(archive, worst=0))
    summary = page.partition('<section id="summary"')[2].partition("</section>")[0]
    before, after = (f"{config.config_id} (2 moments)" for config in (MeasureConfig(), MeasureConfig(rel_db=20.0)))
    assert "These moments were measured with 2 configs, which are different rulers: " in summary
    assert before in summary
    assert after in summary
    assert "degree of freedom" not in page


def test_a_recording_that_no_timing_is_read_from_is_no_ruler(tmp_path: Path) -> None:
    """Each call has a mixed recording besides, whose sound is gone when the two channels are measured anew."""
    mixed = tmp_path / "mixed.wav"
    sf.write(mixed, np.random.default_rng(1).normal(0, 0.1, 10 * RATE_HZ), RATE_HZ, subtype="PCM_16")
    with Archive.create(tmp_path / "archive") as archive:
        for version, end in (("1", 2.4), ("2", 3.4)):
            sound = tones(tmp_path / f"{version}.wav", caller=(2, 6), agent=(0.5, end))
            calls = [call(f"{version}{ix}", sound, (2.0, "yield"), agent_version=version) for ix in "ab"]
            for each in calls:
                each.audio = [sound, Audio(path=str(mixed), channels=["mixed"])]
            archive.add(calls, storage="reference")
        archive.measure(workers=1)
        mixed.unlink()
        assert archive.measure(workers=1, config=MeasureConfig(rel_db=20.0)).measured == 4
        page = unescape(report("timing").build(archive, worst=0))
    assert "different rulers" not in page
    assert ", 1 degree of freedom, p = " in page


def test_a_censored_moment_of_another_ruler_is_not_tested_either(tmp_path: Path) -> None:
    """Of version 1 the recording ends within the search: no verdict, and a time to yield that counts as censored."""
    with Archive.create(tmp_path / "archive") as archive:
        for version, times in (("1", (9.3, 9.99)), ("2", (2.0, 2.4))):
            sound = tones(tmp_path / f"{version}.wav", caller=(times[0], 9.99), agent=(0.5, times[1]))
            calls = [call(f"{version}{ix}", sound, (times[0], "yield"), agent_version=version) for ix in "ab"]
            archive.add(calls, storage="reference")
        archive.measure(workers=1)
        assert ", 1 degree of freedom, p = " in report("timing").build(archive, worst=0)
        (tmp_path / "1.wav").unlink()
        assert archive.measure(workers=1, config=MeasureConfig(rel_db=20.0)).measured == 2
        page = unescape(report("timing").build(archive, worst=0))
    assert "These moments were measured with 2 configs" in page
    assert "degree of freedom" not in page


def test_rows_that_a_table_has_no_room_for_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three people make three pairs, two agents two rows of gaps; one row a table is shown."""
    monkeypatch.setattr(timing, "MOST_ROWS", 1)
    soon = tones(tmp_path / "soon.wav", caller=(2, 4), agent=(5, 9))
    with Archive.create(tmp_path / "archive") as archive:
        archive.add([call(name, soon, agent_id=name) for name in ("a", "b")])
        archive.measure(workers=1)
        rows = [{"call_id": "a", "onset_s": 2.0, "expect": "yield", "author": who} for who in "ABC"]
        archive.label_many(rows, author="A")
        page = report("timing").build(archive, worst=0)
    shown = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())
    assert "2 more pairs in the view label_agreement ." in shown
    assert "1 more row in the view response_gap_by_agent ." in shown


def test_who_stopped_for_nobody_is_not_told_to_have_held(tmp_path: Path) -> None:
    """The agent stops at 3.5 s, the caller was quiet from 2.5 s on: no yield, and the agent did not hold either."""
    left = tones(tmp_path / "left.wav", caller=(2, 2.5), agent=(0.5, 3.5))
    with Archive.create(tmp_path / "archive") as archive:
        archive.add([call("c", left, (2.0, "yield"))])
        archive.measure(workers=1)
        assert archive.sql("select reason from scored_events").item() == "stopped_without_caller"
        page = report("timing").build(archive, worst=0)
    headings = re.findall(r"<th[^>]*>([^<]*)</th>", page.partition("Labelled moments by what")[2])[:4]
    assert headings == ["labelled", "yielded", "no yield", "not judged"]
