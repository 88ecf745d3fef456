"""One sound file at a glance: health, incidents, a page, and one clear refusal for what cannot be read."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.incidents_aside import aside_name

RATE = 8000
Run = Callable[..., tuple[int, str, str]]


def voice(*parts: tuple[float, float], seconds: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * RATE)) / RATE
    talking = sum(((t >= start) & (t < end)).astype(float) for start, end in parts)
    return rng.normal(0, 0.08, len(t)) * talking + rng.normal(0, 1e-4, len(t))


CALLER = voice((3.0, 5.0), (9.0, 10.5), seconds=18, seed=1)
AGENT = voice((0.5, 4.5), (16.6, 17.8), seconds=18, seed=2)
BOTH = np.stack([CALLER, AGENT], axis=1)
"""The caller comes in at 3.0, both speak for 1.5 s; after 10.5 nobody speaks for 6.1 s."""


@pytest.fixture
def call(tmp_path: Path) -> Path:
    path = tmp_path / "my <call>.wav"
    soundfile.write(path, BOTH, RATE, subtype="PCM_16")
    return path


def test_trust_tells_health_and_no_verdict(call: Path, at: Run) -> None:
    code, out, err = at("trust", call, "--channels", "caller,agent")
    assert (code, err) == (0, "")
    assert out.startswith("my <call>.wav: eligible for scan\n")
    assert "may rest on it" in out
    code, out, _ = at("trust", call, "--json")
    report = json.loads(out)
    assert (code, report["kind"], report["scorable"], report["recommendation"]) == (
        0,
        "input-health",
        True,
        "eligible for scan",
    )
    assert [row["first_speech_s"] for row in report["channels"]] == pytest.approx([3.0, 0.5], abs=0.021)
    assert report["recording"]["leading_silence_s"] == pytest.approx(0.5, abs=0.021)
    assert (report["verdict_eligible"], report["verdict_reason"]) == (False, "channel_map_unknown")
    assert not {"expect", "did_yield", "status", "talk_over_s", "incidents", "accuracy"} & set(re.findall(r"\w+", out))
    assert at("trust", call, "--json")[1] == out


@pytest.mark.parametrize(("suffix", "said"), [("flac", "flac"), ("wav", "wav pcm_s16le"), ("mp3", "mp3")])
def test_a_format_that_is_its_own_codec_is_named_once(suffix: str, said: str, tmp_path: Path, at: Run) -> None:
    path = tmp_path / f"call.{suffix}"
    soundfile.write(path, BOTH, RATE)
    for command in ("trust", "autopsy"):
        line = next(line for line in at(command, path)[1].splitlines() if "8000 Hz" in line)
        assert f", 2 channels, {said}" in line
        assert f"{said} {said}" not in line


def test_trust_exits_2_and_says_why_and_what_next(tmp_path: Path, at: Run) -> None:
    path = tmp_path / "mono.wav"
    soundfile.write(path, BOTH.mean(axis=1), RATE, subtype="PCM_16")
    code, out, _ = at("trust", path)
    assert code == 2
    assert out.startswith(
        "mono.wav: NOT SCORABLE\n  reason     both parties share one channel (mono)\n  next step  export"
    )
    code, out, _ = at("trust", path, "--json")
    assert (code, json.loads(out)["reason"], json.loads(out)["scorable"]) == (2, "mono", False)


def test_autopsy_tells_what_happened_worst_first(call: Path, at: Run) -> None:
    code, out, err = at("autopsy", call, "--json")
    report = json.loads(out)
    digest = hashlib.sha256(call.read_bytes()).hexdigest()
    assert (code, err, report["id"]) == (0, "", f"apx-{digest[:12]}")
    worst, second = report["incidents"][:2]
    assert (worst["incident"], worst["severity"], worst["address"]) == (
        "dead_air",
        "critical",
        f"apx-{digest[:12]}#1",
    )
    assert worst["magnitude_s"] == pytest.approx(16.6 - 10.5, abs=0.05)
    assert (second["incident"], second["severity"]) == ("barge_in", "critical")
    assert second["onset_s"] == pytest.approx(3.0, abs=0.021)
    assert second["magnitude_s"] == pytest.approx(1.5, abs=0.05)
    assert report["incident_counts"]["critical"] == 2
    assert re.fullmatch("[0-9a-f]{12}", report["policy_hash"])
    assert at("autopsy", call, "--json")[1] == out
    text = at("autopsy", call)[1]
    assert "#1  CRITICAL  dead-air" in text
    assert "The caller began while the agent was speaking; both spoke for 1." in text


def test_a_longer_gap_can_be_asked_for_and_is_another_policy(call: Path, at: Run) -> None:
    short, long = (json.loads(at("autopsy", call, "--json", "--min-gap-s", gap)[1]) for gap in ("0.5", "7"))
    assert len(short["incidents"]) > len(long["incidents"])
    assert short["policy_hash"] != long["policy_hash"]


def test_one_channel_gives_silence_with_a_measured_confidence(tmp_path: Path, at: Run) -> None:
    path = tmp_path / "mono.flac"
    soundfile.write(path, BOTH.mean(axis=1), RATE, subtype="PCM_16")
    code, out, _ = at("autopsy", path, "--json")
    report = json.loads(out)
    assert (code, report["mode"]) == (0, "mono")
    assert report["scope"].startswith("One channel for both: dead air (5 s or more) and latency spikes only.")
    assert {row["incident"] for row in report["incidents"]} == {"dead_air", "latency_spike"}
    worst = report["incidents"][0]
    assert (worst["incident"], worst["severity"]) == ("dead_air", "critical")
    assert worst["confidence"] == 1.0  # the hiss of both, halved, is -83 dBFS; speech begins at -60 or above
    text = at("autopsy", path)[1]
    assert text.count("One channel for both") == 1
    assert "confidence 1.00" in text


def test_one_channel_is_not_scorable_in_every_command_and_its_silences_are_told(tmp_path: Path, at: Run) -> None:
    """One word, one meaning: exit codes differ because what was asked for differs."""
    path, silent = tmp_path / "mono.flac", tmp_path / "silent.wav"
    soundfile.write(path, BOTH.mean(axis=1), RATE, subtype="PCM_16")
    soundfile.write(silent, np.zeros(RATE), RATE, subtype="PCM_16")
    said = "only silences can be told, and no verdict (yield or hold, passed or failed) can rest on it"
    code, out, _ = at("trust", path)
    assert (code, f"\n  still      {said}; workbench autopsy tells them\n" in out) == (2, True)
    assert said not in at("trust", silent)[1]
    page = tmp_path / "page.html"
    code, out, _ = at("autopsy", path, "-o", page)
    assert (code, f"\n  input: NOT SCORABLE for turn-taking: {said}\n" in out) == (0, True)
    told = page.read_text(encoding="utf-8")
    assert "<b>NOT SCORABLE</b> for turn-taking: one channel for both parties. Only silences can be told" in told
    assert "What to do: export a two-channel recording" in told
    _, out, _ = at("scan", tmp_path)
    assert "mono, NOT SCORABLE for turn-taking: silence only and not in the share" in out
    assert at("autopsy", silent)[0] == 2


def test_the_page_needs_no_network_and_is_the_same_again(call: Path, tmp_path: Path, at: Run) -> None:
    page = tmp_path / "page.html"
    code, out, _ = at("autopsy", call, "-o", page)
    assert code == 0
    assert "page.html" in out
    html = page.read_text(encoding="utf-8")
    count = len(json.loads(at("autopsy", call, "--json")[1])["incidents"])
    assert html.count('class="moment" id="incident-') == count
    assert html.count('href="#incident-') == count
    assert html.count("<audio controls") == count
    assert html.count("data:audio/mpeg;base64,") == count
    assert "my &lt;call&gt;.wav" in html
    assert "<call>" not in html
    assert "default-src 'none'" in html
    assert not re.findall(r"(?:https?:)?//[a-z]", re.sub(r"base64,[A-Za-z0-9+/=]+", "", html))
    at("autopsy", call, "-o", tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()
    assert str(tmp_path) not in html


def test_a_page_of_many_incidents_hears_the_worst_and_lists_the_others(tmp_path: Path, at: Run) -> None:
    parts = [(second + 0.1, second + 0.5) for second in range(100)]
    caller, agent = (voice(*parts, seconds=101, seed=seed) for seed in (1, 2))
    soundfile.write(tmp_path / "call.wav", np.stack([np.roll(caller, 1600), agent], axis=1), RATE, subtype="PCM_16")
    count = len(json.loads(at("autopsy", tmp_path / "call.wav", "--json")[1])["incidents"])
    assert count > 90
    assert at("autopsy", tmp_path / "call.wav", "-o", tmp_path / "page.html", "-q") == (0, "", "")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.count('class="moment" id="incident-') == 60
    assert html.count('<tr id="incident-') == count - 60
    assert html.count('href="#incident-') == count


def test_costs_are_the_users_own_and_appear_only_then(call: Path, tmp_path: Path, at: Run) -> None:
    prices = tmp_path / "costs.json"
    prices.write_text('{"currency": "EUR", "per_incident": {"dead-air": 3}}', encoding="utf-8")
    assert "EUR" not in at("autopsy", call)[1]
    code, out, _ = at("autopsy", call, "--cost-config", prices, "-o", tmp_path / "page.html")
    count = json.loads(at("autopsy", call, "--json")[1])["incidents"]
    dead = sum(row["incident"] == "dead_air" for row in count)
    assert code == 0
    assert f"cost of dead-air: {dead} at 3.00 = {3 * dead:.2f} EUR (your figure)" in out
    assert "EUR" in (tmp_path / "page.html").read_text(encoding="utf-8")
    prices.write_text('{"currency": "EUR", "per_incident": {"silence": 3}}', encoding="utf-8")
    code, _, err = at("autopsy", call, "--cost-config", prices)
    assert code == 2
    assert "'silence' is none of barge-in, talk-over, dead-air, latency-spike" in err


@pytest.mark.parametrize(
    ("sound", "reason", "step", "why"),
    [
        (BOTH[: RATE // 20], "too_short", "record the whole call", "the recording is shorter than 0.3 s"),
        (0 * BOTH, "both_silent", "check that the file holds the call", "no speech was found in either channel"),
    ],
)
def test_trust_says_what_could_not_be_measured(
    sound: np.ndarray, reason: str, step: str, why: str, tmp_path: Path, at: Run
) -> None:
    soundfile.write(tmp_path / "call.wav", sound, RATE, subtype="PCM_16")
    code, out, _ = at("trust", tmp_path / "call.wav")
    assert code == 2
    assert f"reason     {why} ({reason})" in out
    assert f"next step  {step}" in out
    for line in ("coherence", "leakage", "swap"):
        assert f"  {line:<9}  not measured: {why}" in out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "there is no such file"),
        ("empty", "the file is empty (0 bytes)"),
        ("text", "this is not a sound file that can be recognised"),
        ("no samples", "0 samples"),
        ("three", "the file has 3 channels and nothing says whose they are"),
        ("one sample", "NOT SCORABLE: the recording is shorter than 0.3 s (too_short)"),
        ("one mono sample", "NOT SCORABLE: no speech was found, so its silences mean nothing (no_speech)"),
        ("identical", "NOT SCORABLE: both channels hold the same samples (identical_channels)"),
    ],
)
def test_what_cannot_be_read_is_one_clear_refusal_and_writes_nothing(
    name: str, said: str, tmp_path: Path, at: Run
) -> None:
    path, page = tmp_path / "call.wav", tmp_path / "page.html"
    sounds = {
        "no samples": BOTH[:0],
        "three": np.stack([CALLER, AGENT, CALLER], axis=1),
        "one sample": BOTH[:1],
        "one mono sample": CALLER[:1],
        "identical": np.stack([CALLER, CALLER], axis=1),
    }
    if name in sounds:
        soundfile.write(path, sounds[name], RATE, subtype="PCM_16")
    elif name != "missing":
        path.write_bytes(b"" if name == "empty" else b"hello, this is no sound")
    code, out, err = at("autopsy", path, "-o", page)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("Hint:") == 1
    assert not page.exists()


@pytest.mark.parametrize(
    ("name", "made", "warning"),
    [
        ("48 kHz", (np.repeat(BOTH, 6, axis=0), 48_000, "PCM_16"), None),
        ("float", (BOTH, RATE, "FLOAT"), None),
        ("offset", (np.add(BOTH, [0.1, 0]), RATE, "PCM_16"), "steady_level"),
        ("clipped", (np.clip(BOTH * 40, -1, 1), RATE, "PCM_16"), "clipping"),
    ],
)
def test_what_is_unusual_is_read_and_its_defect_named(
    name: str, made: tuple[np.ndarray, int, str], warning: str | None, tmp_path: Path, at: Run
) -> None:
    path = tmp_path / f"{name}.wav"
    soundfile.write(path, made[0], made[1], subtype=made[2])
    code, out, _ = at("trust", path, "--json")
    report = json.loads(out)
    assert (code, report["scorable"]) == (0, True)
    assert (warning in report["warnings"]) if warning else (report["warnings"] == [])
    assert at("autopsy", path, "--json")[0] == 0


def test_channels_that_do_not_fit_are_refused(call: Path, at: Run) -> None:
    for given, said in (("caller", "--channels names 1"), ("caller,robot", "'robot' is none of")):
        code, out, err = at("autopsy", call, "--channels", given)
        assert (code, out) == (2, "")
        assert said in err
    code, _, err = at("autopsy", call, "--channels", "unknown,unknown")
    assert code == 2
    assert "nobody has said which channel is whose" in err


def test_a_page_never_takes_the_place_of_the_recording(call: Path, at: Run) -> None:
    before = call.read_bytes()
    code, _, err = at("autopsy", call, "-o", call)
    assert code == 2
    assert "is no HTML page" in err
    assert call.read_bytes() == before


def test_a_sidecar_says_which_channel_is_whose(tmp_path: Path, at: Run) -> None:
    path = tmp_path / "call.wav"
    soundfile.write(path, BOTH[:, ::-1], RATE, subtype="PCM_16")
    path.with_suffix(".json").write_text('{"channels": ["agent", "caller"]}', encoding="utf-8")
    report = json.loads(at("trust", path, "--json")[1])
    assert report["channel_map"] == {"roles": ["agent", "caller"], "source": "sidecar"}
    assert report["verdict_eligible"] is True


def test_what_stands_apart_is_one_line_of_counts_and_a_line_each_where_asked(at: Run) -> None:
    """The bundled call 00d676d7058c49bb has no incident and 14 that stand apart."""
    name = "calls/harper-valley-bank/audio/00d676d7058c49bb.flac"
    sound = Path(__file__).parents[2] / "data" / name
    found = json.loads(at("autopsy", sound, "--channels", "caller,agent", "--json")[1])["incidents"]
    faint = Counter(aside_name(one) for one in found if one["aside"] == "faint")
    assert None not in {one["aside"] for one in found}
    short, long = (at("autopsy", sound, "--channels", "caller,agent", *more)[1] for more in ((), ("--all",)))
    (line,) = [line for line in short.splitlines() if line.startswith(f"apart: {faint.total()} incidents that rest on")]
    assert {kind: int(n) for n, kind in re.findall(r"(\d+) ([a-z-]+)", line.rpartition(": ")[2])} == faint
    assert "    --all lists each of them" in short.splitlines()
    assert [len(re.findall(r"^ +#\d+ +at ", text, re.MULTILINE)) for text in (short, long)] == [0, len(found)]


@pytest.mark.parametrize("command", ["trust", "autopsy", "scan"])
def test_a_headerless_file_is_told_what_helps_without_an_archive(tmp_path: Path, at: Run, command: str) -> None:
    (tmp_path / "yes.ulaw").write_bytes(b"\xff" * 8000)
    soundfile.write(tmp_path / "yes.wav", BOTH, RATE, subtype="PCM_16")
    code, out, err = at(command, tmp_path if command == "scan" else tmp_path / "yes.ulaw")
    told = " ".join((out + err).split())
    assert code == (0 if command == "scan" else 2)
    assert 'write {"encoding": "ulaw", "sample_rate_hz": 8000} to yes.json beside it' in told
    assert "or leave it out: yes.wav, which lies beside it, can be read as it is" in told
    assert not any(word in told for word in ("import", "--id-prefix", "same id"))


def test_trust_tells_the_speech_that_views_read_and_faint_sound_beside_it(at: Run, tmp_path: Path) -> None:
    """The bank call ff0296d00e5e4184 begins with breath: the view `speaking_time` has 7.85 s and 10.32 s from 6.0 s."""
    sound = Path(__file__).parents[2] / "data/calls/harper-valley-bank/audio/ff0296d00e5e4184.flac"
    place = ("--archive", tmp_path / "archive")
    assert at("import", sound, "--channels", "caller,agent", *place)[0] == 0
    assert at("measure", "-q", *place)[0] == 0
    query = "select talk_s, first_speech_s from speaking_time order by role desc"
    seen = [tuple(row.values()) for row in json.loads(at("sql", query, "--format", "json", *place)[1])]
    assert [talk_s for talk_s, _ in seen] == pytest.approx([7.85, 10.32])
    report = json.loads(at("trust", sound, "--channels", "caller,agent", "--json")[1])
    told = [(row["speech_s"], row["speech_from_s"]) for row in report["channels"]]
    assert told == [pytest.approx(row, abs=1e-6) for row in seen]
    assert all(row["faint_s"] > 0.5 for row in report["channels"])
    stored = json.loads(at("sql", "select active_s from channels order by role desc", "--format", "json", *place)[1])
    assert [row["active_s"] for row in report["channels"]] == [row["active_s"] for row in stored]
    assert report["recording"]["leading_silence_s"] == pytest.approx(seen[1][1])
    assert "leading_silence" in report["warnings"]
    out = at("trust", sound, "--channels", "caller,agent")[1]
    assert f"silence    {seen[1][1]:.2f} s before anybody speaks; faint sound (breath, a click, bleed) from 0." in out
    assert "warning    leading silence: nobody speaks in the first 3 s or more" in out
