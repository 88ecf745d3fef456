"""The forms of a Harper Valley bank call: what the agent submitted and what should have been submitted.

The rule of the outcome: the submitted form is compared field by field with the task of the same `task_type`.
Values are compared as text without case, spaces and punctuation (``8:15 AM`` is ``8:15am``, ``715-139-0787``
is ``7151390787``; a word written another way is another value). All fields equal is ``success``, any field
different ``form_differs``, no form ``no_form``. Fields of the task that the form does not have (an account
balance, branch hours) are what the agent tells the caller, so they are not compared.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

TASK_TYPE: Final = "task_type"
SUCCESS: Final = "success"


class Verdict(Struct):
    """The outcome by the rule above, and the fields that differ."""

    outcome: str
    differing: list[str]


def compare(submitted: dict[str, Any] | None, tasks: list[dict[str, Any]]) -> Verdict | None:
    """Return whether a submitted form equals its task.

    Parameters
    ----------
    submitted : dict or None
        The last form that the agent submitted; None when she submitted none.
    tasks : list of dict
        What should have been submitted.

    Returns
    -------
    Verdict or None
        None when no task is stated.
    """
    if not tasks:
        return None
    if submitted is None:
        return Verdict("no_form", [])
    kind = _plain(submitted.get(TASK_TYPE))
    task = next((task for task in tasks if _plain(task.get(TASK_TYPE)) == kind), None)
    if task is None:
        return Verdict("form_differs", [TASK_TYPE])
    differing = sorted(key for key, value in submitted.items() if _plain(value) != _plain(task.get(key)))
    return Verdict("form_differs" if differing else SUCCESS, differing)


def _plain(value: Any) -> str:
    return "".join(letter for letter in str(value).casefold() if letter.isalnum())
