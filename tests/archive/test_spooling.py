"""A value that no column can hold costs its row, and is named; the other rows are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from workbench.archive.rows import rows_of
from workbench.archive.spooling import Spool
from workbench.errors import SchemaFailed
from workbench.schema import tables
from workbench.schema.call import Call, Turn


def rows(ident: str, **changes: Any) -> dict[str, list[dict[str, Any]]]:
    call = Call(
        id=ident,
        source_format="workbench",
        source_uri="c.json",
        source_sha256="0" * 64,
        tags={"a": "b"},
        turns=[Turn(role="caller", text="Hello")],
    )
    found = rows_of(call, run_id="r")
    found["calls"][0].update(changes)
    return found


BAD = [
    ("trial", 2**63),
    ("trial", -(2**70)),
    ("fork_turn", 2**31),
    ("seed", 1.5),
    ("outcome", "\ud800"),
    ("outcome", 5),
    ("cost_usd", 10**400),
    ("cost_usd", "1"),
    ("supplied", ["turns", 5]),
    ("supplied", "turns"),
    ("tags", [{"key": "\udcff", "value": "b"}]),
    ("tags", [{"key": "a", "value": 1}]),
    ("tags", [{"key": "a"}]),
    ("completed", "yes"),
    ("started_at", "yesterday"),
]


@pytest.mark.parametrize(("column", "value"), BAD, ids=[f"{name}-{ascii(value)[:12]}" for name, value in BAD])
def test_a_row_with_a_value_of_another_type_is_left_out_and_named(tmp_path: Path, column: str, value: Any) -> None:
    spool = Spool(tmp_path)
    for one in (rows("a"), rows("b", **{column: value}), rows("c")):
        spool.add(one)
    spool.flush()
    assert spool.failures == [("calls", f"b: {column}", "type", 1)]
    written = pl.read_parquet(tmp_path / "calls-00000.parquet")
    assert written["call_id"].to_list() == ["a", "c"]
    assert len(pl.read_parquet(tmp_path / "turns-00000.parquet")) == 3


def test_a_key_that_is_no_text_is_shown_all_the_same(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.add(rows("a\udcff"))
    spool.flush()
    assert [(table, key, rule) for table, key, rule, _ in spool.failures] == [
        ("calls", "a\\udcff: call_id", "type"),
        ("turns", "a\\udcff, 0: call_id", "type"),
    ]


def test_long_columns_of_another_type_do_not_stop_a_spool(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.add({"turns": [{"call_id": "a", "turn_ix": 0, "role": "caller", "text": 5}]})
    spool.flush()
    assert spool.failures == [("turns", "a, 0: text", "type", 1)]


def test_a_frame_of_rows_that_do_not_fit_is_a_clear_error() -> None:
    schema = tables()["calls"]
    with pytest.raises(SchemaFailed, match="trial"):
        schema.frame(rows("a", trial=2**70)["calls"])


def test_rows_with_other_keys_make_the_same_frame() -> None:
    """Rows are turned at once where their keys agree; else name by name."""
    schema = tables()["labels"]
    full = [{"call_id": "a", "label_id": str(ix), "kind": "k", "run_id": "r"} for ix in range(3)]
    mixed = [full[0], {"label_id": "1", "call_id": "a", "kind": "k", "author": "me"}, {**full[2], "unknown": 1}]
    uniform = schema.frame(full)
    assert uniform["label_id"].to_list() == ["0", "1", "2"]
    assert schema.frame([dict(reversed(row.items())) for row in full]).equals(uniform)
    found = schema.frame(mixed)
    assert found["author"].to_list() == [None, "me", None]
    assert found.columns == uniform.columns
    assert len(schema.frame([])) == 0
