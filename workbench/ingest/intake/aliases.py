"""Other names that glue code gives to the fields of a call."""

from __future__ import annotations

from typing import Any, Final

from workbench.ingest.intake.roles import role_of

SPOKEN: Final = frozenset({"caller", "agent"})
NESTED: Final = ("actions", "tool_calls")


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """Return a call with the field names of the native format.

    Parameters
    ----------
    value : dict
        A call as JSON; it is not changed. Turns may say `speaker` for `role`, name the speakers in any way
        :mod:`workbench.ingest.intake.roles` knows, and hold their own `actions` or `tool_calls` with `args` for
        `arguments`.

    Returns
    -------
    dict
        The tool calls of turns follow those of the call, each with the `turn_ix` of its turn. Whatever has
        another shape than expected is left for the type check to name.
    """
    turns = value.get("turns")
    if not isinstance(turns, list):
        return value
    nested: list[Any] = []
    told = False
    plain_turns: list[Any] = []
    for ix, turn in enumerate(turns):
        if not isinstance(turn, dict):
            plain_turns.append(turn)
            continue
        plain_turn, actions = _turn(turn, ix)
        plain_turns.append(plain_turn)
        if actions is not None:
            told = True
            nested += actions
    result = {**value, "turns": plain_turns}
    if told:
        own = value.get("tool_calls")
        result["tool_calls"] = [*own, *nested] if isinstance(own, list) else nested
    return result


def _turn(turn: dict[str, Any], ix: int) -> tuple[dict[str, Any], list[Any] | None]:
    """Return a turn without its tool calls, and those, or None when it says nothing of any."""
    if turn.get("role") in SPOKEN and turn.keys().isdisjoint(NESTED):
        return turn, None
    named = dict(turn)
    if "speaker" in named and "role" not in named:
        named["role"] = named.pop("speaker")
    if isinstance(named.get("role"), str):
        named["role"] = role_of(named["role"]) or named["role"]
    found: list[Any] | None = None
    for name in NESTED:
        actions = named.get(name)
        if actions is None:
            named.pop(name, None)
        elif isinstance(actions, list):
            found = [*(found or []), *(_tool_call(action, ix) for action in named.pop(name))]
    return named, found


def _tool_call(action: Any, turn_ix: int) -> Any:
    if not isinstance(action, dict):
        return action
    renamed = {("arguments" if key == "args" else key): inner for key, inner in action.items()}
    return {"turn_ix": turn_ix, **renamed}
