"""How long, and from when, each channel of one sound file speaks: as views and checks read it, faint sound left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.timing.health import LEADING_SILENCE_S

LEADING_SILENCE = "leading_silence"
_PAUSE_S = 0.2
"""A shorter pause, from the last loud frame of a channel to its next start, is speech: as in the view `speech_runs`."""


def speech_of(segments: Sequence[Mapping[str, Any]], channel_ix: int) -> dict[str, float | None]:
    """Return what is speech and what is faint sound in a channel.

    Parameters
    ----------
    segments : sequence of mapping
        Runs of one recording: `channel_ix`, `start_s`, `end_s`, `voiced_end_s`, `faint`.
    channel_ix : int
        Which channel of the file.

    Returns
    -------
    dict
        `speech_s`, how long it speaks without the hangover, pauses under 0.2 s counted; `speech_from_s`, where that
        begins (None: nowhere); `faint_s`, how long faint sound (breath, clicks, bleed) is heard besides;
        `faint_from_s`. All in seconds; a channel without a run has 0 and None.
    """
    own = sorted((row for row in segments if row["channel_ix"] == channel_ix), key=lambda row: row["start_s"])
    firm, faint = ([row for row in own if bool(row.get("faint")) is is_faint] for is_faint in (False, True))
    runs: list[list[float]] = []
    for row in firm:
        voiced_end_s = row["end_s"] if row.get("voiced_end_s") is None else row["voiced_end_s"]
        if runs and row["start_s"] - runs[-1][1] < _PAUSE_S - 1e-9:
            runs[-1][1] = max(runs[-1][1], voiced_end_s)
        else:
            runs.append([row["start_s"], voiced_end_s])
    ends = [row["end_s"] if row.get("voiced_end_s") is None else row["voiced_end_s"] for row in faint]
    return {
        "speech_s": round(sum(end_s - start_s for start_s, end_s in runs), 6),
        "speech_from_s": runs[0][0] if runs else None,
        "faint_s": round(sum(end_s - row["start_s"] for row, end_s in zip(faint, ends, strict=True)), 6),
        "faint_from_s": faint[0]["start_s"] if faint else None,
    }


def warnings_of(warnings: Sequence[str], channels: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the warnings of a file with that of leading silence going by speech, faint sound left out.

    Parameters
    ----------
    warnings : sequence of str
        Of input health, which counts faint sound as speech.
    channels : sequence of mapping
        `role` and `speech_from_s`.

    Returns
    -------
    list of str
        A file of one party alone has no such warning.
    """
    rest = [name for name in warnings if name != LEADING_SILENCE]
    firsts = [row["speech_from_s"] for row in channels if row["speech_from_s"] is not None]
    alone = len(channels) == 1 and channels[0]["role"] in ("caller", "agent")
    late = bool(firsts) and min(firsts) >= LEADING_SILENCE_S
    return [*rest, LEADING_SILENCE] if late and not alone else rest
