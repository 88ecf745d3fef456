"""The JSON Schema of a policy file, made from the names and meanings that the policy is read by."""

from __future__ import annotations

from typing import Any

from workbench.timing.contracts.gate import AT_MOST, METRICS, MOST, REQUIRED, WORDS


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `workbench compare --policy` takes.

    Returns
    -------
    dict
        It accepts what :func:`workbench.timing.contracts.gate.policy_of` accepts, but for a policy that asks for
        nothing, which only that refuses.
    """
    word = {"enum": list(WORDS), "description": "; ".join(f"{name}: {says}" for name, says in WORDS.items())}
    number = {
        "type": "number",
        "minimum": -MOST,
        "maximum": MOST,
        "description": "most that later less earlier may be: -0.5 is a fall of at least 0.5",
    }
    count = {"type": "integer", "minimum": 0, "maximum": MOST}
    improve = {name: {"description": says, "anyOf": [number, word]} for name, says in METRICS.items()}
    guardrails: dict[str, Any] = {
        **{name: {"description": says, **count} for name, says in AT_MOST.items()},
        **{name: {"description": says, "type": "boolean"} for name, says in REQUIRED.items()},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "workbench compare policy",
        **_object(
            {
                "target": {"description": "What must get better.", **_object({"improve": _object(improve)})},
                "guardrails": {"description": "What must not get worse for it.", **_object(guardrails)},
            }
        ),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}
