"""Queries over what was heard alone: calls whose clock is that of audio, without the cost of all the others."""

from __future__ import annotations

import re

from workbench.analysis.filtered_view import known_view, ordered_by, quoted

_HEARD = "calls as (from memory.main.calls semi join memory.main.channels using (call_id))"
"""Only a call with a measured channel can have the clock of audio; see the view `call_clocks`."""

_AUDIO = "where clock = 'audio'"
_TURNS = "turns as (from memory.main.turns semi join calls using (call_id))"


def of_audio(name: str) -> str:
    """Return the SQL of a view over what was heard alone.

    Parameters
    ----------
    name : str
        A view of `sql/views` or a ready-made query of `sql/queries`.

    Returns
    -------
    str
        As :func:`heard_alone` returns it; the rows of a view come in the order of its rank or key.

    Raises
    ------
    UsageError
        When there is no such view or query.
    """
    from workbench.archive import views

    timed = any(view.name == name and "clock" in view.columns for view in views.catalogue())
    return "\n".join([heard_alone(known_view(name)[0]), *([_AUDIO] if timed else []), ordered_by(name)]).strip()


def heard_alone(sql: str) -> str:
    """Return a query that sees the calls alone whose turn-taking is read from audio.

    A condition behind a view would come too late to spare the work: windows and bootstraps would run over all calls.
    So each view that is read is written out, over the calls and turns of measured recordings, and those with a `clock`
    give the rows of audio.

    Parameters
    ----------
    sql : str
        A SELECT that reads views with a `clock`, and calls.

    Returns
    -------
    str
        SQL without parameters of its own; rows are those of `sql` where each `clock` is audio.
    """
    from workbench.archive import views

    known = {view.name: view for view in views.catalogue()}
    wanted = {name for name in known if re.search(rf"\b{name}\b", sql)}
    for name in reversed(known):  # each stands after those it reads
        if name in wanted:
            wanted.update(other for other in known[name].reads if other in known)
    shadows = [_HEARD, _TURNS]
    for name, view in known.items():
        if name in wanted:
            narrowed = _AUDIO if "clock" in view.columns else ""
            shadows.append("\n".join([quoted(name) + " as (from (", view.sql, (") " + narrowed).rstrip() + ")"]))
    return "\n".join(["with " + ",\n".join(shadows), "from (", sql, ")"])
