"""Names that transcripts give the two sides, and tool names that say whether something changes."""

from __future__ import annotations

from typing import Final

from workbench.schema.call import Role

AGENT: Final = frozenset({"agent", "assistant", "bot", "ai", "sofie"})
CALLER: Final = frozenset({"customer", "kunde", "user", "caller", "human", "client"})

CHANGING_VERBS: Final = frozenset(
    {"assign", "book", "cancel", "create", "exchange", "modify", "order", "pay", "rebook", "refund"}
    | {"replace", "reset", "return", "schedule", "send", "transfer", "update"}
)
READING_VERBS: Final = frozenset({"calculate", "check", "find", "get", "list", "lookup", "search", "think"})


def role_of(name: str) -> Role | None:
    """Return the side a speaker's name stands for, in any case, or None when it is neither."""
    plain = name.strip().lower()
    if plain in AGENT:
        return "agent"
    return "caller" if plain in CALLER else None


def changes_something(tool: str) -> bool | None:
    """Return whether a tool changes something for the caller, by the verb its name begins with.

    Returns
    -------
    bool or None
        True for `book_reservation` or `transfer money`, False for `get_user_details` and for a transfer of
        the call itself (`transfer_to_human_agents`), None when the verb is not known.
    """
    words = tool.lower().replace(" ", "_").split("_")
    if words[:2] == ["transfer", "to"]:
        return False
    verb = words[0]
    if verb in CHANGING_VERBS:
        return True
    return False if verb in READING_VERBS else None
