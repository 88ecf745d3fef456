"""The policy file of `compare`: its page, its JSON Schema and the command say the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from workbench.errors import UsageError
from workbench.timing.contracts import gate

PAGE = (Path(__file__).parents[2] / "docs/compare-policy.md").read_text("utf-8")
Run = Callable[..., tuple[int, str, str]]


def test_every_name_of_a_policy_is_on_its_page_with_its_meaning() -> None:
    for names in (gate.METRICS, gate.WORDS, gate.AT_MOST, gate.REQUIRED):
        assert [name for name, says in names.items() if f"| `{name}` |" not in PAGE or says not in PAGE] == []
    (example,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    asked = json.loads(example)
    assert asked["target"]["improve"].keys() == gate.METRICS.keys()
    assert asked["guardrails"].keys() == {*gate.AT_MOST, *gate.REQUIRED}


@pytest.mark.parametrize(
    ("given", "right"),
    [
        *(({"target": {"improve": {name: -0.5}}}, True) for name in gate.METRICS),
        *(({"target": {"improve": {"failed_count": word}}}, True) for word in gate.WORDS),
        *(({"guardrails": {name: 1}}, True) for name in gate.AT_MOST),
        *(({"guardrails": {name: True}}, True) for name in gate.REQUIRED),
        ({"target": {"improve": {"failed_count": True}}}, False),
        ({"target": {"improve": {"failed_count": "less"}}}, False),
        ({"target": {"improve": {"accuracy": "decrease"}}}, False),
        ({"target": {"failed_count": "decrease"}}, False),
        ({"guardrails": {"max_new_false_yields": -1}}, False),
        ({"guardrails": {"max_new_false_yields": True}}, False),
        ({"guardrails": {"require_hold_fixture": 1}}, False),
        ({"metrics": {}}, False),
    ],
)
def test_the_json_schema_takes_what_the_command_takes(at: Run, given: dict[str, Any], right: bool) -> None:
    code, out, _ = at("compare", "--policy-schema")
    assert (code, jsonschema.Draft202012Validator(json.loads(out)).is_valid(given)) == (0, right)
    if right:
        gate.policy_of(given, where="here")
    else:
        with pytest.raises(UsageError):
            gate.policy_of(given, where="here")


def test_the_help_points_to_the_page(at: Run) -> None:
    assert "docs/compare-policy.md" in at("compare", "--help")[1]
