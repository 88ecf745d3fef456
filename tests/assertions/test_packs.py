import json
import re

import polars as pl
import pytest

from workbench.assertions import Rows, kinds, load_pack, run_pack
from workbench.assets import folder
from workbench.errors import SchemaFailed, UsageError

BUNDLED = sorted(file.stem for file in (folder("data") / "packs").glob("*.json"))


def test_every_kind_has_its_line_and_is_found_by_listing_the_folder():
    assert sorted(kinds()) == list(kinds())
    assert len(kinds()) >= 8
    assert all(kind.about.endswith(".") and kind.parameters.__doc__ for kind in kinds().values())


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_packs_load(name):
    assert load_pack(name).assertions


def test_the_first_pack_holds_the_eight_kinds_with_their_severities():
    pack = load_pack("caller-experience")
    assert pack.name == "caller-experience@1.3.0"
    assert {d.kind: d.severity for d in pack.assertions} == {
        "misheard_number": "high", "misheard": "medium", "no_confirmation": "high", "policy_limit": "high",
        "slow_response": "medium", "talked_over_caller": "medium", "dead_air": "medium", "incomplete":
        "medium",
    }  # fmt: skip


def broken(tmp_path, change):
    document = json.loads((folder("data") / "packs" / "caller-experience.json").read_text("utf-8"))
    change(document)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (
            lambda d: d["assertions"][4]["parameters"].update(max_gap_s="long"),
            r"\[4\].parameters.*\$.max_gap_s",
        ),
        (lambda d: d["assertions"][4]["parameters"].update(max_gap_s=-1), r"max_gap_s"),
        (lambda d: d["assertions"][4]["parameters"].update(maximum=1), r"unknown field `maximum`"),
        (lambda d: d["assertions"][2].pop("parameters"), r"\[2\].parameters.*`phrases`"),
        (lambda d: d["assertions"][0].update(severity="fatal"), r"\$.assertions\[0\].severity"),
        (
            lambda d: d["assertions"][0].update(kind="slow_respons"),
            r"\[0\].kind.*did you mean 'slow_response'",
        ),
        (lambda d: d["assertions"][1].update(id="misheard_number"), r"\[1\].id.*taken"),
        (
            lambda d: d["assertions"][7].update(escalations=[{"above": 1, "severity": "high"}]),
            r"\[7\].escalations",
        ),
        (lambda d: d.update(assertions=[]), r"no assertions"),
        (lambda d: d.update(format="other/1"), r"\$.format"),
        (lambda d: d.update(owner="me"), r"unknown field `owner`"),
    ],
)
def test_an_error_in_a_pack_names_the_field(tmp_path, change, names):
    with pytest.raises(UsageError) as caught:
        load_pack(broken(tmp_path, change))
    assert re.search(names, str(caught.value), re.DOTALL)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["nothing-like-it", "../packs/caller-experience", ""])
def test_an_unknown_pack_lists_the_bundled_ones(name):
    with pytest.raises(UsageError, match="caller-experience"):
        load_pack(name)


def test_a_pack_that_is_not_json_is_refused(tmp_path):
    path = tmp_path / "pack.json"
    path.write_bytes(b"\xff{")
    with pytest.raises(UsageError, match=r"pack\.json"):
        load_pack(path)


def test_a_changed_threshold_changes_verdicts_and_the_hash_of_the_definition(made, tmp_path):
    turns = [made.turn("caller", 0.0, 1.0), made.turn("agent", 2.0, 3.0)]
    rows = made.rows({"turns": turns})
    strict = load_pack(broken(tmp_path, lambda d: d["assertions"][4]["parameters"].update(max_gap_s=0.9)))
    assert made.only(rows, "slow_response")["status"] == "PASS"
    assert made.only(rows, "slow_response", strict)["status"] == "FAIL"
    usual = load_pack("caller-experience")
    assert [a.sha256() == b.sha256() for a, b in zip(usual.assertions, strict.assertions, strict=True)].count(
        False
    ) == 1


def test_leaving_a_default_out_does_not_change_the_definition(tmp_path):
    short = load_pack(broken(tmp_path, lambda d: d["assertions"][6].pop("parameters")))
    assert short.assertions[6].sha256() == load_pack("caller-experience").assertions[6].sha256()


def test_every_call_has_a_verdict_on_every_assertion_and_the_order_of_rows_does_not_matter(made, golden_calls):
    calls = [golden_calls(name) for name in ("good_call", "misheard_call", "slow_call")]
    calls += [{"id": "bare"}, {"id": "unclocked", "turn_clock": "none", "turns": [made.turn("caller")]}]
    rows = made.rows(*calls)
    results = made.run(rows)
    assert results.select("assertion_id", "call_id").n_unique() == 8 * 5
    shuffled = Rows(
        *(getattr(rows, t).sample(fraction=1, shuffle=True, seed=7).lazy() for t in ("calls", "turns", "tool_calls"))
    )
    assert made.run(shuffled).write_json() == results.write_json()
    unfailed = results.filter(pl.col("status") != "FAIL")
    assert unfailed.select("assertion_id", "call_id").n_unique() == unfailed.height
    assert unfailed["severity"].null_count() == unfailed.height


def test_a_bare_call_passes_nothing_but_what_it_states(made):
    results = made.run(made.rows({"id": "bare", "completed": None, "turn_clock": "none"}))
    assert set(results["status"]) == {"INCONCLUSIVE", "SKIPPED"}
    assert results.filter(pl.col("status") == "SKIPPED")["assertion_id"].to_list() == ["policy_limit"]


@pytest.mark.parametrize(("completed", "status"), [(True, "PASS"), (False, "FAIL"), (None, "INCONCLUSIVE")])
def test_completed(made, completed, status):
    row = made.only(made.rows({"completed": completed}), "incomplete")
    assert (row["status"], row["turn_ix"]) == (status, None)


def test_no_calls_give_definitions_and_no_results(made):
    definitions, results = run_pack(load_pack("caller-experience"), made.rows(), run_id="r")
    assert (definitions.height, results.height) == (8, 0)


def test_a_frame_without_a_column_is_refused_by_name(made):
    rows = made.rows({"turns": []})
    with pytest.raises(SchemaFailed, match=r"table turns.*truth"):
        made.run(Rows(rows.calls, rows.turns.drop("truth"), rows.tool_calls))


def test_a_check_that_forgets_a_call_shows_as_error(made, monkeypatch):
    kind = kinds()["incomplete"]
    silent = type(kind)(**(vars(kind) | {"evaluate": lambda rows, definition: kind.evaluate(rows, definition).head(0)}))
    monkeypatch.setitem(kinds(), "incomplete", silent)
    assert made.only(made.rows({"id": "a"}), "incomplete")["status"] == "ERROR"
