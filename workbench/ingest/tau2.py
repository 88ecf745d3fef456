"""tau2 result folders: `results.json`, `simulations/*.json` and, where kept, `artifacts/` with audio.

A `results.json` that holds its simulations itself is read by `tau2_file`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from workbench.errors import ImportFailed
from workbench.ingest.intake.references import is_there
from workbench.ingest.intake.shape import load, load_json, note, refusal, sha256_of_named
from workbench.ingest.protocol import Options
from workbench.ingest.tau2_run import Results, call_of
from workbench.schema.call import Audio, Call, ChannelRole, Refusal

FORMAT = "tau2"
ABOUT = "tau2 result folders, voice and text: `results.json` with `simulations/*.json`."
CLAIMS: Literal["folder"] = "folder"
OWNS = frozenset({"simulations", "artifacts"})


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a folder holds `results.json` and simulations."""
    return (path / "results.json").is_file() and bool(_simulations(path))


def parts(path: Path) -> Iterator[Path]:
    """Yield the files that are read: `results.json`, the simulations and their recordings."""
    yield path / "results.json"
    yield from _simulations(path)
    yield from (path / "artifacts").glob("*/sim_*/audio/both.wav")


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield a call for each simulation, or a refusal for each that cannot be read.

    Raises
    ------
    ImportFailed
        When `results.json` cannot be read.
    """
    shared = path / "results.json"
    results = load(shared, Results)
    for file in _simulations(path):
        try:
            call = call_of(load_json(file), results, path=file)
        except ImportFailed as error:
            yield refusal(file, error, scope="call")
            continue
        audio = _audio(path, call, options)
        if audio and audio.channel_map_source == "unknown":
            yield note(
                Path(audio.path),
                "channel_map_unknown",
                "the format does not say which channel is whose",
                hint="--channels caller,agent (or agent,caller) says so",
                location=f"call {call.id}",
            )
        files = {shared.name: shared, f"simulations/{file.name}": file}
        yield msgspec.structs.replace(
            call,
            source_uri=str(file),
            source_sha256=sha256_of_named(files),
            audio=[audio] if audio else None,
        )


def _simulations(path: Path) -> list[Path]:
    folder = path / "simulations"
    return sorted(folder.glob("*.json")) if folder.is_dir() else []


def _audio(path: Path, call: Call, options: Options) -> Audio | None:
    folders = sorted((path / "artifacts").glob("*/"))
    places = [place for folder in folders if is_there(place := folder / f"sim_{call.id}" / "audio" / "both.wav")]
    if not places:
        return None
    channels: list[ChannelRole] = list(options.channels or ("unknown", "unknown"))
    return Audio(
        path=str(places[0]),
        channels=channels,
        channel_map_source="option" if options.channels else "unknown",
    )
