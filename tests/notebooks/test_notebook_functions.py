"""The small functions that notebooks keep to themselves."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import polars as pl
import pytest

from workbench.cli.notebook import notebooks


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"notebook_{name}", notebooks()[name])
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def call() -> ModuleType:
    return module("call")


@pytest.fixture(scope="module")
def archive() -> ModuleType:
    return module("archive")


def test_long_and_odd_ids_can_be_chosen(call: ModuleType) -> None:
    assert call.labelled("call-1") == "call-1"
    assert len(call.labelled("x" * 300)) == 80
    assert call.labelled("a\nb") == "a b"


def test_all_calls_are_not_called_the_worst(call: ModuleType) -> None:
    assert call.offered(52, 52) == "52 calls to choose from"
    assert call.offered(1, 1) == "1 call to choose from"
    assert call.offered(1000, 21590) == "1,000 of 21,590 calls to choose from: the worst"


def test_an_interval_is_written_only_where_there_is_one(archive: ModuleType) -> None:
    row = {"pass_rate": 0.8, "pass_rate_low": 0.376, "pass_rate_high": 0.964}
    assert archive.interval(row) == " (80%, 95 % interval 38% to 96%)"
    assert archive.interval({"pass_rate": None}) == ""


def test_bounds_stand_in_one_column_and_open_ones_say_so(archive: ModuleType) -> None:
    row = {"agent_id": "a", "agent_version": "1", "clock": "audio", "call_count": 5, "response_count": 40}
    row |= {"gap_p50_lin_s": 1.25, "gap_p50_low_s": 1.004, "gap_p50_high_s": None}
    row |= {"gap_p95_lin_s": 3.5, "gap_p95_low_s": None, "gap_p95_high_s": None}
    shown = archive.with_intervals(pl.DataFrame([{**row, "reason": "few"}])).row(0, named=True)
    assert [shown["calls"], shown["answers"]] == [5, 40]
    assert [shown["p50 (s)"], shown["p95 (s)"]] == [1.25, 3.5]
    assert [shown["p50 interval (s)"], shown["p95 interval (s)"]] == ["1.00 to open", "open"]
    assert shown["reason"] == "few"
    assert archive.with_intervals(pl.DataFrame([{**row, "reason": "few"}]).clear()).is_empty()


def test_how_to_open_quotes_what_a_shell_and_an_address_would_read(archive: ModuleType) -> None:
    told = archive.how_to_open("a b&c'; rm", "my archive")
    assert "--call 'a b&c'\"'\"'; rm' --archive 'my archive'" in told
    assert told.endswith("?call=a%20b%26c%27%3B%20rm")
