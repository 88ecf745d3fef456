"""The report on an archive: what it says, what it keeps out, and that it is always the same."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
from statsmodels.stats.proportion import proportion_confint

from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.archive.layout import Layout
from workbench.assertions import load_pack
from workbench.errors import UsageError
from workbench.report.html import archive_report, report, reports
from workbench.report.sound import Sounds
from workbench.schema.call import Audio, Call, Refusal, Turn

SCRIPT = "</script><script>alert(1)</script>"
PICTURE = "<img src=https://outside.example/p.png onerror=alert(1)>"
BIDI = "pay \u202e001\u202c now\x07\x1b[31m"
LONG = "a" * 5000
RATE_HZ = 8000


def tones(path: Path, *, length_s: float = 12.0) -> Path:
    """Caller (left) 440 Hz from 1 to 3 s, agent (right) 880 Hz from 7 to 9 s: an answer after 4 s."""
    times = np.arange(round(length_s * RATE_HZ)) / RATE_HZ
    both = np.zeros((len(times), 2))
    both[:, 0] = np.where((times >= 1) & (times < 3), 0.5 * np.sin(2 * np.pi * 440 * times), 0)
    both[:, 1] = np.where((times >= 7) & (times < 9), 0.5 * np.sin(2 * np.pi * 880 * times), 0)
    sf.write(path, both, RATE_HZ, subtype="PCM_16")
    return path


def call(name: str, **settings: object) -> Call:
    digest = hashlib.sha256(name.encode()).hexdigest()
    source = {"source_format": "made", "source_uri": "made/calls.json", "source_sha256": digest}
    return Call(id=name, origin="synthetic", **source, **settings)


def hostile(sound: Path) -> Call:
    return call(
        f"hostile {SCRIPT}",
        agent_id=PICTURE,
        agent_version=BIDI,
        turn_clock="reported",
        duration_s=12.0,
        turns=[
            Turn(
                role="caller",
                text=f"fifty {SCRIPT} {PICTURE}",
                heard=f"fifteen {SCRIPT} {PICTURE}",
                truth=f"fifty {SCRIPT} {PICTURE}",
                start_s=1.0,
                end_s=3.0,
            ),
            Turn(role="agent", text=f"{BIDI} {LONG}", start_s=7.0, end_s=9.0),
        ],
        audio=[Audio(path=str(sound), channels=["caller", "agent"])],
    )


def build(place: Path, items: list[Call | Refusal], *, check: bool = True) -> Path:
    with Archive.create(place) as archive:
        archive.add(items)
        archive.measure(workers=1)
        if check:
            assert_pack(archive.layout, load_pack("caller-experience"), label="made")
    return place


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("html")
    refusal = Refusal(
        source_uri=f"{folder}/calls of mine/x.json",
        location="line 3",
        rule="made",
        message=f"cannot read '{folder}/calls of mine/x.json'",
        hint="give one",
    )
    silent = call(
        "no-audio",
        turn_clock="reported",
        duration_s=9.0,
        turns=[
            Turn(role="caller", text="hello", start_s=0.0, end_s=1.0),
            Turn(role="agent", text="yes", start_s=5.0, end_s=6.0),
        ],
    )
    timeless = call("no-clock", turns=[Turn(role="caller", text="for two", heard="for ten", truth="for two")])
    return build(folder / "my calls", [hostile(tones(folder / "two.wav")), silent, timeless, refusal])


@pytest.fixture(scope="module")
def html(place: Path) -> str:
    with Archive(place) as archive:
        return archive_report(archive)


class Seen(HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and its text by element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "rect", "line", "circle", "path"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    @property
    def shown(self) -> str:
        return " ".join(t for tag, ts in self.texts.items() if tag not in {"script", "style"} for t in ts)


def test_it_names_its_archive_its_snapshot_and_no_machine(html: str, place: Path) -> None:
    seen = Seen(html)
    with Archive(place) as archive:
        snapshot = archive.snapshot
    assert seen.texts["title"][0] == f"my calls: calls at snapshot {snapshot}"
    assert f"Snapshot {snapshot}, workbench" in seen.shown
    assert str(place.parent) not in html
    assert "cannot read 'x.json'" in seen.shown
    assert not re.search(r"\b(assert|import|measure)-2\d{7}T", html), "a run id holds the time of the run"


def test_the_same_archive_gives_the_same_bytes_wherever_it_lies(
    html: str, place: Path, tmp_path: Path
) -> None:
    moved = tmp_path / place.name
    shutil.copytree(place, moved)
    with Archive(moved) as archive:
        assert archive_report(archive) == html
        snapshot = archive.snapshot
        archive.add([call("later", turns=[])])
        assert archive_report(archive) != html
    with Archive(moved, as_of=snapshot) as before:
        assert archive_report(before) == html


def test_a_write_in_the_middle_does_not_mix_two_snapshots(
    html: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.report.pages import archive as page

    moved = tmp_path / place.name
    shutil.copytree(place, moved)
    with Archive(moved) as archive:
        kept = page.choose

        def write_then_choose(*args: object, **named: object) -> object:
            if archive.snapshot == int(re.findall(r"at snapshot (\d+)", html)[0]):
                with Archive(moved) as other:
                    other.add([call("in the middle", turns=[])])
            return kept(*args, **named)

        monkeypatch.setattr(page, "choose", write_then_choose)
        assert archive_report(archive) == html


def test_the_policy_allows_the_one_style_and_the_one_script_by_their_hashes(html: str) -> None:
    seen = Seen(html)
    (policy,) = [m["content"] for m in seen.tags("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["media-src"] == rules["img-src"] == "data:"
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"


def test_nothing_points_outside_and_nothing_runs_from_an_attribute(html: str) -> None:
    seen = Seen(html)
    allowed = re.compile(r"^(#|data:audio/)")
    for tag, attributes in seen.elements:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name != "style", tag
            if name in {"src", "href", "xlink:href", "action", "srcset", "poster"}:
                assert allowed.match(value or ""), (tag, name, (value or "")[:60])


def test_a_hostile_transcript_stays_text(html: str) -> None:
    seen = Seen(html)
    assert len(seen.tags("script")) == 1
    assert not seen.tags("img")
    assert seen.shown.count("<script>alert(1)</script>") >= 3
    assert "<img src=h" in seen.shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", html)
    assert "⟨U+202E⟩001⟨U+202C⟩" in seen.shown
    assert "a" * 5000 not in html, "a text of any length is cut"
    assert "characters more)" in seen.shown


def test_a_rate_stands_with_its_counts_and_the_interval_that_statsmodels_gives(
    html: str, place: Path
) -> None:
    with Archive(place) as archive:
        rows = archive.reader.rows(
            "select pass_count, trial_count from assertion_pass_rate where trial_count > 0"
        )[1]
    assert rows
    shown = Seen(html).shown
    for passed, trials in rows:
        low, high = proportion_confint(passed, trials, method="wilson")
        words = f"{passed}/{trials} ({100 * passed / trials:.0f} %, {100 * low:.0f}-{100 * high:.0f})"
        assert words in shown
    assert "inconclusive" in shown
    assert "not scorable" in shown


def test_the_slow_answer_is_a_moment_with_lanes_words_and_sound(html: str) -> None:
    (figure,) = re.findall(r'<figure class="moment" id="moment-1" .*?</figure>', html, re.DOTALL)
    seen = Seen(figure)
    (attributes,) = seen.tags("figure")
    start, length = float(attributes["data-start"] or ""), float(attributes["data-seconds"] or "")
    (audio,) = seen.tags("audio")
    assert "controls" in audio
    data = base64.b64decode((audio["src"] or "").split(",", 1)[1])
    samples, rate = sf.read(io.BytesIO(data))
    assert rate == RATE_HZ
    assert samples.shape[1] == 2
    assert len(samples) / rate == pytest.approx(length, abs=0.05)

    def level(channel: int, begin: float, end: float) -> float:
        part = samples[round((begin - start) * rate) : round((end - start) * rate), channel]
        return float(np.sqrt(np.mean(part**2)))

    caller, agent = (1.2, 2.8), (7.2, min(8.8, start + length - 0.2))
    assert level(0, *caller) > 0.3, "the caller on the left, when she speaks"
    assert level(1, *agent) > 0.3, "the agent on the right"
    assert level(1, *caller) < 0.02
    assert level(0, *agent) < 0.02
    lanes = [found for tag, found in seen.elements if tag == "g" and "lane" in (found.get("class") or "")]
    assert [found["class"] for found in lanes] == ["lane caller", "lane agent"]
    assert len(seen.tags("path")) == 2


def test_calls_without_audio_or_clock_say_so(html: str) -> None:
    figures = re.findall(r'<figure class="moment".*?</figure>', html, re.DOTALL)
    by_call = {name: next(f for f in figures if name in f) for name in ("no-audio", "no-clock")}
    assert "The call has no audio: the lanes are drawn from the turn clock." in by_call["no-audio"]
    assert "<audio" not in by_call["no-audio"]
    assert 'class="run"' in by_call["no-audio"]
    assert "No time is known for this finding" in by_call["no-clock"]
    assert "<svg" not in by_call["no-clock"]
    assert '<mark class="lost">two</mark>' in by_call["no-clock"]
    assert '<mark class="new">ten</mark>' in by_call["no-clock"]


@pytest.mark.parametrize("harm", ["missing", "changed"])
def test_audio_that_is_gone_or_changed_is_said_and_never_silence(
    place: Path, tmp_path: Path, harm: str
) -> None:
    moved = tmp_path / "copy"
    shutil.copytree(place, moved)
    (media,) = (moved / "media").rglob("*.wav")
    if harm == "missing":
        media.unlink()
    else:
        media.write_bytes(media.read_bytes()[:-4] + b"\1\2\3\4")
    with Archive(moved) as archive:
        text = archive_report(archive)
    said = {"missing": "the audio file is missing", "changed": "its bytes differ"}[harm]
    assert f"no sound: {'the audio file is' if harm == 'missing' else ''}" in text
    assert said in text
    assert "<audio" not in text
    assert '<g class="lane caller">' in text
    assert str(tmp_path) not in text


def test_sound_stops_at_its_budget_and_says_so(place: Path) -> None:
    names = "from recordings order by recording_id"
    with Archive(place) as archive:
        columns, rows = archive.reader.rows(names)
    row = dict(zip(columns, rows[0], strict=True))
    sounds = Sounds(Layout(place), left=10)
    assert sounds.of({"caller": row, "agent": row}, 0.0, 4.0).address is None
    assert sounds.silent_count == 1
    sounds.left = 1_000_000
    assert sounds.of({"caller": row, "agent": row}, 0.0, 4.0).address is not None
    assert sounds.left < 1_000_000


def test_two_recordings_of_one_call_are_heard_together(tmp_path: Path) -> None:
    times = {rate: np.arange(12 * rate) / rate for rate in (8000, 16000)}
    caller = np.where(times[8000] < 3, 0.5 * np.sin(2 * np.pi * 440 * times[8000]), 0)
    agent = np.where(
        (times[16000] >= 7) & (times[16000] < 9), 0.5 * np.sin(2 * np.pi * 880 * times[16000]), 0
    )
    sf.write(tmp_path / "caller.wav", caller, 8000)
    sf.write(tmp_path / "agent.wav", agent, 16000)
    pair = [
        Audio(path=str(tmp_path / "caller.wav"), channels=["caller"], boundary="client_capture"),
        Audio(path=str(tmp_path / "agent.wav"), channels=["agent"], boundary="agent_output"),
    ]
    place = build(tmp_path / "archive", [call("pair", audio=pair)], check=False)
    with Archive(place) as archive:
        columns, rows = archive.reader.rows("from recordings")
        html = archive_report(archive)
    sides = {row["channel_roles"][0]: row for row in (dict(zip(columns, r, strict=True)) for r in rows)}
    sound = Sounds(Layout(place)).of(sides, 1.0, 9.0)
    assert sound.note == "left: caller, right: agent, from two recordings"
    samples, rate = sf.read(io.BytesIO(base64.b64decode(str(sound.address).split(",", 1)[1])))
    assert rate == 16000
    assert np.abs(samples[: 15 * 1600, 0]).max() > 0.4
    assert np.abs(samples[: 15 * 1600, 1]).max() < 0.02
    assert np.abs(samples[-15 * 1600 :, 1]).max() > 0.4
    assert "from two recordings" in html


def test_a_call_of_ten_thousand_turns_stays_small(tmp_path: Path) -> None:
    turns = [
        Turn(
            role=("caller", "agent")[ix % 2],
            text=f"word {ix}",
            truth="word" if ix == 4000 else None,
            start_s=ix * 0.001,
            end_s=ix * 0.001 + 0.5,
        )
        for ix in range(10_000)
    ]
    place = build(tmp_path / "archive", [call("many", turn_clock="reported", duration_s=12.0, turns=turns)])
    with Archive(place) as archive:
        html = archive_report(archive)
    assert html.count('<li class="caller') + html.count('<li class="agent') == 24
    assert '<mark class="new">4000</mark>' in html, "the turn that was misheard is among those shown"
    assert "more turns in this stretch" in html
    assert len(html) < 400_000


def test_an_archive_that_was_not_checked_says_how_and_shows_the_slowest_answers(
    place: Path, tmp_path: Path
) -> None:
    made = build(tmp_path / "archive", [hostile(tones(tmp_path / "two.wav"))], check=False)
    with Archive(made) as archive:
        html = archive_report(archive)
    assert "No checks were run on this archive yet." in html
    assert "workbench assert --pack caller-experience" in html
    assert re.search(r"slowest answer began [34]\.\d\d s after the caller ended", html)
    assert "not judged" in html


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


def test_headings_go_down_one_step_at_a_time_and_drawings_have_names(html: str) -> None:
    seen = Seen(html)
    levels = [int(tag[1]) for tag, _ in seen.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for drawing in seen.tags("svg"):
        named = drawing.get("aria-hidden") == "true" or drawing.get("aria-label")
        assert named or "viewbox" in drawing, drawing
    identities = [found["id"] for _, found in seen.elements if "id" in found]
    assert len(identities) == len(set(identities))
    for link in seen.tags("a"):
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
