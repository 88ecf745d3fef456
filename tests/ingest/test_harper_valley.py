"""Harper Valley bank calls. Call ff0296d00e5e4184 has 12 segments of which 4 are only `[noise]`, counted
with jq; its times are read off the files by eye.
"""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.ingest import harper_valley
from workbench.ingest.harper_form import compare
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "data" / "calls" / "harper-valley-bank"
TRACKS = ROOT / "tests" / "data" / "harper-valley-tracks"
SID = "ff0296d00e5e4184"


def read(folder: Path = FOLDER, options: Options | None = None) -> dict[str, Call]:
    found = harper_valley.read(folder, options or Options())
    return {call.id: call for call in found if isinstance(call, Call)}


@pytest.fixture
def one_call(tmp_path: Path) -> Path:
    for kind in ("transcript", "metadata"):
        (tmp_path / kind).mkdir()
        shutil.copy(FOLDER / kind / f"{SID}.json", tmp_path / kind)
    return tmp_path


def test_every_sid_is_one_call_of_two_people_on_a_telephone() -> None:
    calls = read()
    assert len(calls) == 8
    call = calls[SID]
    assert (call.origin, call.platform, call.language, call.ended_by) == (
        "role_played",
        "telephone",
        "en",
        "caller",
    )
    assert call.started_at == datetime(2020, 6, 2, 0, 0, 58, 46000, tzinfo=UTC)  # 1591056058046 ms
    assert call.duration_s == pytest.approx(54.063)
    assert call.audio
    assert (call.audio[0].channels, call.audio[0].channel_map_source) == (["caller", "agent"], "format")


def test_noise_is_no_turn() -> None:
    call = read()[SID]
    assert len(call.turns or ()) == 8
    assert [span.type for span in call.spans or ()].count("noise") == 4


def test_what_only_the_machine_heard_is_noise_and_a_note_names_it() -> None:
    """Call 02e41649e7c441fd: 27 segments, 3 of them without words of people; in the sound there is silence at 32.13 s
    and noise as loud as that of the first segment (3.86 s) at 54.66 s, by the level of channel 1.
    """
    found = list(harper_valley.read(FOLDER, Options()))
    at = next(ix for ix, one in enumerate(found) if isinstance(one, Call) and one.id == "02e41649e7c441fd")
    call, note = found[at], found[at - 1]
    assert isinstance(call, Call)
    assert isinstance(note, Refusal)
    assert (len(call.turns or ()), [span.type for span in call.spans or ()].count("noise")) == (24, 3)
    assert (note.scope, note.rule) == ("note", "heard_in_noise")
    assert "'mhm' at 32.13 s (agent); 'mm hmm' at 54.66 s (agent)" in note.message
    about = [one.location for one in found if isinstance(one, Refusal)]
    assert about == [f"call {sid}" for sid in ("01f7ec3700424bc0", "02e41649e7c441fd", "a7ccc3379af44b9f")]


def test_every_file_is_a_part_but_notices_the_index_and_a_second_copy_of_the_sound(one_call: Path) -> None:
    (one_call / "tracks").mkdir()
    for track in TRACKS.glob("*.wav"):
        shutil.copy(track, one_call / "tracks")
    assert len(list(harper_valley.parts(one_call))) == 4
    (one_call / "audio").mkdir()
    shutil.copy(FOLDER / "audio" / f"{SID}.flac", one_call / "audio")
    assert {file.name for file in harper_valley.parts(one_call)} == {f"{SID}.json", f"{SID}.flac"}


def test_times_are_those_of_the_call_and_not_of_the_speakers_own_track() -> None:
    call = read()[SID]
    assert call.turns
    # offset_ms 5990, duration_ms 2280; start_ms is 3990, two seconds early
    assert (call.turns[0].role, call.turns[0].start_s, call.turns[0].end_s) == ("agent", 5.99, 8.27)
    assert call.turns[0].words
    assert [(word.word, word.start_s, word.end_s) for word in call.turns[0].words][:2] == [
        ("hello", 5.99, 6.32),
        ("this", 6.65, 6.8),
    ]


def test_truth_is_what_people_wrote_and_heard_what_the_machine_did() -> None:
    turns = read()["01f7ec3700424bc0"].turns or []
    assert turns
    unheard = [turn for turn in read()["a7ccc3379af44b9f"].turns or () if turn.text and "unintelligible" in turn.text]
    assert [(turn.text, turn.truth, turn.heard) for turn in unheard] == [
        ("[unintelligible]", None, "okay so let's see if it uh"),
        ("[unintelligible] for tuesday", None, "and then the railroad for tuesday"),
    ]
    balance = next(
        turn
        for call in read().values()
        for turn in call.turns or ()
        if (turn.text or "").startswith("[noise] okay your")
    )
    assert balance.truth == "okay your checking account balance is eighty nine dollars um"


def test_the_submitted_form_is_a_tool_call() -> None:
    calls = read()
    hours, transfer = (calls[sid].tool_calls or [] for sid in (SID, "00d676d7058c49bb"))
    # 1591056109505 - 1591056058046 ms
    assert [(tool.name, tool.start_s, tool.consequential) for tool in hours] == [("get_branch_hours", 51.459, False)]
    assert [(tool.name, tool.consequential, tool.authority) for tool in transfer] == [
        ("transfer_money", True, "submitted")
    ]
    assert transfer[0].arguments["transfer amount"] == "135"


def test_the_outcome_is_whether_the_form_equals_the_task() -> None:
    outcomes = {sid: call.outcome for sid, call in read().items()}
    # the one that differs: "Forest Ranch, CA 70023" for "Forest Ranch, California, 70023"
    assert [sid for sid, outcome in outcomes.items() if outcome != "success"] == ["02e41649e7c441fd"]
    assert outcomes["02e41649e7c441fd"] == "form_differs"
    assert (read()["02e41649e7c441fd"].tags or {})["form_differs"] == "home address"


@pytest.mark.parametrize(
    ("submitted", "expected"),
    [
        ({"task_type": "pay", "amount": "135"}, "success"),
        ({"task_type": "pay", "amount": "1350"}, "form_differs"),
        ({"task_type": "get", "amount": "135"}, "form_differs"),
        (None, "no_form"),
    ],
)
def test_forms_are_compared_as_text(submitted: dict[str, str] | None, expected: str) -> None:
    verdict = compare(submitted, [{"task_type": "pay", "amount": 135, "told": "yes"}])
    assert verdict is not None
    assert verdict.outcome == expected
    assert compare(submitted, []) is None


def test_ratings_are_labels_with_who_gave_them() -> None:
    labels = read()[SID].labels or []
    assert {(label.author, label.value["name"]): label.value["value"] for label in labels} == {
        (None, "agent_mos"): 5.0,
        (None, "caller_mos"): 5.0,
        (None, "lhvb_script"): 5.0,
        ("caller", "ease_of_connection"): "10",
        ("caller", "partner_rating"): "10",
    }


def test_tracks_are_placed_by_the_difference_of_the_two_clocks(one_call: Path) -> None:
    (one_call / "tracks").mkdir()
    for track in TRACKS.glob("*.wav"):
        shutil.copy(track, one_call / "tracks")
    [call] = read(one_call).values()
    # `agent_delay_ms` of this call is 2000 in calls.json, which is not read
    assert [(audio.channels, audio.offset_s) for audio in call.audio or ()] == [
        (["caller"], 0.0),
        (["agent"], 2.0),
    ]


def test_tracks_beside_the_joined_recording_are_not_imported_again(one_call: Path) -> None:
    for kind, place in (("audio", FOLDER / "audio" / f"{SID}.flac"), ("tracks", TRACKS / f"{SID}.agent.wav")):
        (one_call / kind).mkdir()
        shutil.copy(place, one_call / kind)
    calls = read(one_call)
    assert len(calls) == 1
    assert [Path(audio.path).name for audio in calls[SID].audio or ()] == [f"{SID}.flac"]


def test_a_unit_the_user_states_wins_and_an_impossible_one_is_refused(one_call: Path) -> None:
    microseconds = read(one_call, Options(time_unit="us"))[SID]
    assert (microseconds.turns or [])[0].start_s == pytest.approx(0.00599)
    [refused] = harper_valley.read(one_call, Options(time_unit="s"))
    assert isinstance(refused, Refusal)
    assert refused.rule == "impossible_date"


def test_a_broken_file_is_refused_and_the_others_kept(one_call: Path) -> None:
    rows = json.loads((one_call / "transcript" / f"{SID}.json").read_text(encoding="utf-8"))
    rows[3]["offset_ms"] = "soon"
    (one_call / "transcript" / "zz.json").write_text(json.dumps(rows), encoding="utf-8")
    shutil.copy(one_call / "metadata" / f"{SID}.json", one_call / "metadata" / "zz.json")
    (one_call / "transcript" / "zzz.json").write_text("[]", encoding="utf-8")
    call, bad_row, no_metadata = harper_valley.read(one_call, Options())
    assert isinstance(call, Call)
    assert isinstance(bad_row, Refusal)
    assert (bad_row.scope, bad_row.rule) == ("call", "wrong_shape")
    assert "[3].offset_ms" in bad_row.message
    assert isinstance(no_metadata, Refusal)
    assert no_metadata.rule == "unreadable"
