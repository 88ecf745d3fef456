"""Incidents of one recording: their order, their words, and how long nobody really spoke."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.analysis.incident_costs import costs, read_prices
from workbench.analysis.incidents import KINDS, address, counts, incidents, sentence, spoken
from workbench.analysis.incidents_aside import ASIDE, aside_counts, aside_name, aside_title, listed
from workbench.analysis.incidents_hidden import hidden
from workbench.errors import ImportFailed
from workbench.schema.moments import Moments
from workbench.timing.score_config import ScoreConfig

EMPTY = dict.fromkeys(("yield_after_s", "agent_quiet_s", "coherence", "confidence"))


def moment(kind: str, onset_s: float, magnitude_s: float, incident: str, severity: str, **more: Any) -> dict[str, Any]:
    return {
        **EMPTY,
        "kind": kind,
        "onset_s": onset_s,
        "magnitude_s": magnitude_s,
        "incident": incident,
        "severity": severity,
        **more,
    }


BARGE = moment("overlap_while_agent_talking", 3.0, 1.9, "barge_in", "critical", yield_after_s=2.55, agent_quiet_s=2.4)
ON = moment("overlap_while_agent_talking", 8.0, 0.1, "barge_in", "critical")
OVER = moment("agent_start_during_caller", 1.0, 0.4, "talk_over", "warning")
LATE = moment("long_response_gap", 12.0, 3.0, "latency_spike", "warning")
STOP = moment("agent_stop_no_caller", 17.0, 3.0, "dead_air", "warning")
ECHO = moment("echo_correlated_activity", 0.5, 6.0, "echo_suspected", "caveat", coherence=0.91)
ALL = [ECHO, OVER, LATE, BARGE, STOP, ON]


def run(
    role: str, start_s: float, end_s: float, *, faint: bool = False, voiced_end_s: float | None = None
) -> dict[str, Any]:
    """A run of speech; `voiced_end_s` is its end where no other is given."""
    voiced = end_s if voiced_end_s is None else voiced_end_s
    return {"role": role, "start_s": start_s, "end_s": end_s, "voiced_end_s": voiced, "faint": faint}


def found(moments: list[dict[str, Any]], segments: tuple[dict[str, Any], ...] = ()) -> list[dict[str, Any]]:
    every = [*moments, *hidden(moments, segments, duration_s=20.0, config=ScoreConfig())]
    return incidents(every, name="apx-0123456789ab", duration_s=20.0, segments=segments)


def test_sound_that_begins_with_a_silence_is_heard_at_once() -> None:
    """The agent clicks where the scan says that the caller stopped: 0 s until any sound, and 3 s until the answer."""
    runs = (run("caller", 8.0, 12.0), run("agent", 12.0, 12.1, faint=True), run("agent", 15.0, 20.0))
    [row] = found([LATE], runs)
    assert (row["until_sound_s"], row["magnitude_s"], row["agent_after_s"]) == (0.0, 3.0, 3.0)


def test_the_most_severe_comes_first_and_then_the_longest() -> None:
    rows = found(ALL)
    assert [(row["severity"], row["onset_s"], row["aside"]) for row in rows] == [
        ("critical", 3.0, None),
        ("critical", 8.0, None),
        ("warning", 12.0, None),
        ("warning", 1.0, None),
        ("caveat", 0.5, None),
        ("warning", 17.0, "short_stop"),
    ]
    assert [row["address"] for row in rows] == [f"apx-0123456789ab#{n}" for n in range(1, 7)]
    assert counts(rows) == {"critical": 2, "warning": 2, "caveat": 1}
    assert found(ALL[::-1]) == rows
    assert counts([]) == {"critical": 0, "warning": 0, "caveat": 0}
    assert found([]) == []


def test_the_span_of_a_barge_in_is_its_search_and_ends_with_the_recording() -> None:
    spans = {row["onset_s"]: row["end_s"] for row in found(ALL)}
    assert spans == {3.0: 5.4, 8.0: 11.0, 12.0: 15.0, 17.0: 20.0, 1.0: 1.4, 0.5: 6.5}


def test_a_silence_ends_where_anybody_speaks() -> None:
    """The agent is silent for 3 s after 17.0, and after 0.8 s of it the caller speaks: 0.8 s of dead air."""
    runs = (run("caller", 17.8, 20.0), run("caller", 12.5, 14.0), run("agent", 15.0, 17.0), run("agent", 0.2, 3.0))
    late, stop = found([STOP, LATE], runs)
    assert (stop["magnitude_s"], stop["scanned_s"], stop["end_s"]) == (pytest.approx(0.8), 3.0, 17.8)
    assert stop["sentence"].endswith("nobody spoke for 0.80 s.")
    assert (late["magnitude_s"], late["end_s"]) == (0.5, 12.5)
    assert late["sentence"].startswith("The caller paused for 0.50 s and went on;")
    assert late["sentence"].endswith("3.00 s after that pause began.")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (BARGE, "both spoke for 1.90 s, and the agent was quiet after 2.40 s."),
        (ON, "both spoke for 0.10 s, and the agent was not quiet within 3.0 s."),
        (OVER, "The agent began while the caller was speaking; both spoke for 0.40 s."),
        (OVER | {"magnitude_s": 0.0}, "one had just stopped, so that they were not heard at once."),
        (LATE, "The caller stopped and the agent's answer came 3.00 s later."),
        (LATE | {"onset_s": 17.0}, "The caller stopped and no answer came in the 3.00 s to the end of the recording."),
        (STOP, "nobody spoke for 3.00 s to the end of the recording."),
        (STOP | {"onset_s": 5.0}, "nobody spoke for 3.00 s before it spoke again."),
        (ECHO, "(coherence 0.91): it may be an echo and no caller."),
        (
            moment("silence", 2.0, 6.0, "dead_air", "critical", confidence=1.0),
            "Nobody spoke for 6.00 s before sound came back.",
        ),
    ],
)
def test_a_sentence_says_what_was_measured(row: dict[str, Any], said: str) -> None:
    text = sentence(row | {"length_s": row["magnitude_s"]}, duration_s=20.0, search_s=3.0)
    assert said in text
    assert text.endswith(".")


TOUCH = moment("agent_start_during_caller", 2.0, 0.04, "talk_over", "warning")
CUT = ON | {"onset_s": 19.5}


def test_a_barge_in_that_the_recording_cuts_off_is_not_told_as_one_that_nobody_yielded_to() -> None:
    """The recording ends at 20.0, half a second after the onset: that the agent talks on for 3 s nobody heard."""
    [row] = found([CUT])
    assert (row["aside"], row["severity"], row["end_s"]) == ("recording_ended", "critical", 20.0)
    assert row["sentence"] == (
        "The caller began while the agent was speaking; both spoke for 0.10 s, and the recording ends 0.50 s after the "
        "onset, before it shows whether the agent stops."
    )
    assert counts([row]) == {"critical": 0, "warning": 0, "caveat": 0}
    assert aside_title("recording_ended", 2) == (
        "2 barge-ins of which the recording ends before it shows whether the agent stops, so that nobody saw how "
        "severe it was"
    )


@pytest.mark.parametrize(
    ("row", "aside"),
    [
        (CUT | {"onset_s": 17.01}, None),  # a frame short, as `scored` counts: heard to its end
        (CUT | {"onset_s": 17.02}, "recording_ended"),
        (CUT | {"onset_s": 18.0, "magnitude_s": 0.82}, None),  # both were heard for longer than 0.815 s
        (CUT | {"faint": True}, "faint"),
        (CUT | {"magnitude_s": 0.04}, "touch"),
        (CUT | {"yield_after_s": 0.25, "agent_quiet_s": 0.1, "severity": "warning"}, None),
    ],
)
def test_what_was_seen_before_the_end_keeps_its_place(row: dict[str, Any], aside: str | None) -> None:
    [told] = found([row])
    assert told["aside"] == aside


def test_an_overlap_that_none_can_tell_stands_apart_however_severe_it_is_published() -> None:
    """The second "mhm" of vapi-default-03: both for 0.03 s, and the agent talks on."""
    [row] = found([ON | {"magnitude_s": 0.03}])
    assert (row["aside"], row["severity"]) == ("touch", "critical")
    assert found([ON | {"magnitude_s": 0.05}])[0]["aside"] is None


def test_what_nobody_needs_to_look_into_stands_apart_with_the_published_severity() -> None:
    faint = BARGE | {"onset_s": 5.0, "faint": True}
    rows = found([*ALL, TOUCH, TOUCH | {"magnitude_s": 0.05}, faint])
    apart = [(row["aside"], row["severity"], row["onset_s"]) for row in rows if row["aside"]]
    assert apart == [("faint", "critical", 5.0), ("short_stop", "warning", 17.0), ("touch", "warning", 2.0)]
    assert [row["number"] for row in rows] == list(range(1, 10))
    assert rows[-3]["aside"] == "faint"
    assert aside_counts(rows) == {"short_stop": 1, "touch": 1, "recording_ended": 0, "faint": 1, "rest": 0}
    assert counts(rows) == {"critical": 2, "warning": 3, "caveat": 1}
    assert len(listed(rows)) == 6


def test_no_warning_of_less_than_the_method_can_tell_is_listed() -> None:
    rows = found([TOUCH | {"magnitude_s": length} for length in (0.0, 0.004, 0.02, 0.04)])
    assert listed(rows) == []


def test_a_silence_with_faint_sound_in_it_is_as_long_and_as_severe_as_without() -> None:
    """Silence from 10.0; a faint run at 12.0, words at 16.0: 2 s until any sound, 6 s until words."""
    click, stop = run("caller", 12.0, 12.1, faint=True), STOP | {"onset_s": 10.0, "magnitude_s": 6.0}
    [row] = found([stop], (run("agent", 2.0, 10.0), click, run("agent", 16.0, 20.0)))
    assert (row["aside"], row["severity"], row["magnitude_s"], row["until_sound_s"]) == (None, "critical", 6.0, 2.0)
    assert (row["without_faint_s"], row["agent_after_s"], row["end_s"]) == (6.0, 6.0, 16.0)
    assert row["sentence"] == (
        "The agent stopped with no caller speaking near, and nobody spoke for 6.00 s before it spoke again. "
        "Faint sound (breath, a click, bleed) came 2.00 s into it and is no speech."
    )
    [row] = found([stop], (run("agent", 2.0, 10.0), click, run("agent", 14.0, 20.0)))
    assert (row["aside"], row["severity"], row["without_faint_s"]) == ("short_stop", "warning", 4.0)


def test_a_silence_begins_with_the_last_loud_frame_and_keeps_where_the_scan_put_it() -> None:
    """Loud until 9.6, a hangover of 0.4 s, a click at 12.0, words at 16.0: 6.4 s of silence, 2.4 s until any sound."""
    runs = (
        run("agent", 2.0, 10.0, voiced_end_s=9.6),
        run("caller", 12.0, 12.4, faint=True, voiced_end_s=12.1),
        run("agent", 16.0, 20.0, voiced_end_s=19.7),
    )
    [row] = found([STOP | {"onset_s": 10.0, "magnitude_s": 6.0}], runs)
    assert (row["onset_s"], row["end_s"], row["magnitude_s"]) == (9.6, 16.0, 6.4)
    assert (row["without_faint_s"], row["until_sound_s"], row["agent_after_s"]) == (6.4, 2.4, 6.4)
    assert (row["scanned_onset_s"], row["scanned_s"]) == (10.0, 6.0)
    assert (
        "nobody spoke for 6.40 s before it spoke again. Faint sound (breath, a click, bleed) came 2.40 s"
        in row["sentence"]
    )
    [hidden_one] = [row for row in found([], runs) if row["kind"] == "agent_stop_no_caller"]
    assert (hidden_one["onset_s"], hidden_one["magnitude_s"], hidden_one["scanned_onset_s"]) == (9.6, 6.4, None)


def test_a_silence_under_five_seconds_that_faint_sound_broke_is_told_whole() -> None:
    """The bank call ff0296d00e5e4184 from 39.07 to 43.42 s, as its view `silences` and its check have it: 4.35 s."""
    runs = (
        run("agent", 8.0, 9.15, voiced_end_s=9.0),
        run("agent", 9.3, 9.5, faint=True, voiced_end_s=9.35),
        run("agent", 11.8, 12.0, faint=True, voiced_end_s=11.85),
        run("caller", 13.35, 16.0, voiced_end_s=15.85),
    )
    pieces = [STOP | {"onset_s": 9.5, "magnitude_s": 2.3}, STOP | {"onset_s": 12.0, "magnitude_s": 1.35}]
    rows = [row for row in found([one | {"faint": True} for one in pieces], runs) if row["kind"] == STOP["kind"]]
    told = [(row["onset_s"], row["magnitude_s"], row["severity"], row["aside"], row["scanned_s"]) for row in rows]
    assert told == [
        (9.0, 4.35, "warning", "short_stop", None),
        (9.35, 2.45, "warning", "faint", 2.3),
        (11.85, 1.5, "warning", "faint", 1.35),
    ]
    assert {aside_name(row) for row in rows} == {"short-stop"}
    assert aside_name(LATE) == "latency-spike"


def test_what_the_scan_grades_by_is_counted_from_the_end_of_the_hangover() -> None:
    """4.9 s after a hangover of 0.15 s: told as 5.05 s, and a pause to the scan, as it is published."""
    runs = (run("agent", 2.0, 10.0, voiced_end_s=9.85), run("agent", 14.9, 20.0))
    [row] = found([STOP | {"onset_s": 10.0, "magnitude_s": 4.9}], runs)
    assert (row["magnitude_s"], row["severity"], row["aside"]) == (5.05, "warning", "short_stop")


def test_words_and_answers_are_no_faint_sound() -> None:
    """The caller pauses at 12.0 and goes on at 12.5; the agent clicks at 15.0 and answers at 17.0."""
    runs = (
        run("caller", 8.0, 12.0),
        run("caller", 12.5, 14.5),
        run("agent", 15.0, 15.1, faint=True),
        run("agent", 17.0, 20.0),
    )
    rows = {row["onset_s"]: row for row in found([LATE | {"severity": "caveat"}], runs)}
    assert rows[12.0]["sentence"].endswith("and went on; the agent's next words came 5.00 s after that pause began.")
    assert (rows[12.0]["scanned_s"], rows[12.0]["severity"]) == (3.0, "caveat")
    answer = rows[14.5]
    assert (answer["number"], answer["severity"], answer["magnitude_s"], answer["scanned_s"]) == (
        1,
        "warning",
        2.5,
        None,
    )
    assert answer["sentence"].startswith("The caller stopped and the agent's answer came 2.50 s later. Faint sound ")


def test_the_rest_of_a_silence_stands_apart() -> None:
    """The agent ends at 5.0, the caller clicks at 7.0 to 7.1, and words come at 15.0: 10 s, and not 8 s once more."""
    stop, rest = STOP | {"onset_s": 5.0, "magnitude_s": 10.0}, LATE | {"onset_s": 7.1, "magnitude_s": 7.9}
    runs = (run("agent", 1.0, 5.0), run("caller", 7.0, 7.1, faint=True), run("agent", 15.0, 20.0))
    rows = found([rest | {"severity": "critical", "incident": "dead_air"}, stop], runs)
    assert [(row["onset_s"], row["severity"], row["aside"]) for row in rows] == [
        (5.0, "critical", None),
        (7.1, "critical", "rest"),
    ]


@pytest.mark.parametrize("name", list(ASIDE))
def test_a_heading_counts_and_says_why(name: str) -> None:
    assert aside_title(name, 1).startswith("1 ")
    assert "1 incidents" not in aside_title(name, 1)
    assert aside_title("short_stop", 9) == (
        "9 stops of the agent with nobody speaking for less than 5 s after the hangover (check dead_air: above 3 s)"
    )


def test_the_kinds_are_those_of_the_table() -> None:
    rows = [
        {**dict.fromkeys(Moments.column_names()), **ECHO, "incident": kind, "salience": 1.0, "moment_ix": ix}
        | {"call_id": "c", "recording_id": "r", "config_id": "x", "run_id": "run", "faint": False}
        for ix, kind in enumerate(KINDS)
    ]
    assert Moments.checked(rows)["incident"].to_list() == list(KINDS)
    assert spoken("barge_in") == "barge-in"


def test_the_address_is_of_the_bytes() -> None:
    """SHA-256 of nothing, from FIPS 180-4 test vectors."""
    assert address("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") == "apx-e3b0c44298fc"


def priced(folder: Path, value: Any) -> Path:
    path = folder / "costs.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_costs_name_the_kind_they_price(tmp_path: Path) -> None:
    prices = read_prices(priced(tmp_path, {"currency": "EUR", "per_incident": {"dead-air": 3, "barge-in": 1.5}}))
    assert costs(found(ALL), prices) == {
        "currency": "EUR",
        "lines": [
            {"kind": "barge-in", "count": 2, "each": 1.5, "total": 3.0},
            {"kind": "dead-air", "count": 0, "each": 3.0, "total": 0.0},
        ],
        "total": 3.0,
        "unpriced_count": 3,
    }
    assert [line["kind"] for line in costs([], prices, silence_only=True)["lines"]] == ["dead-air"]


@pytest.mark.parametrize(
    "value",
    [
        "not json",
        [],
        {"currency": "EUR"},
        {"currency": "", "per_incident": {"dead-air": 1}},
        {"currency": "EUR", "per_incident": {}},
        {"currency": "EUR", "per_incident": {"dead_air": 1}},
        {"currency": "EUR", "per_incident": {"echo-suspected": 1}},
        {"currency": "EUR", "per_incident": {"dead-air": -1}},
        {"currency": "EUR", "per_incident": {"dead-air": True}},
        {"currency": "EUR", "per_incident": {"dead-air": "1"}},
        "[" * 5000 + "]" * 5000,
        '{"currency": "EUR", "per_incident": {"dead-air": ' + "9" * 400 + "}}",
        '{"currency": "EUR", "per_incident": {"dead-air": 1, "dead-air": 2}}',
    ],
)
def test_a_price_list_that_means_nothing_is_refused(value: Any, tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match=r"costs\.json"):
        read_prices(priced(tmp_path, value))
    with pytest.raises(ImportFailed, match="cannot be read"):
        read_prices(tmp_path / "missing.json")
