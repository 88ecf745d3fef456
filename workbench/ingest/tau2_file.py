"""A tau2 `results.json` that holds its simulations itself, as text runs are saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from workbench.errors import ImportFailed
from workbench.ingest.intake.peek import peek
from workbench.ingest.intake.shape import load, refusal
from workbench.ingest.protocol import Options
from workbench.ingest.tau2_run import Results, call_of
from workbench.schema.call import Call, Refusal

FORMAT = "tau2_file"
ABOUT = "tau2 `results.json` with its simulations inside."
CLAIMS: Literal["file"] = "file"


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a file is such a result: `info` names an agent and an environment."""
    value = peek(head)
    info = value.get("info") if isinstance(value, dict) else None
    return isinstance(info, dict) and bool({"agent_info", "environment_info", "num_trials"} & info.keys())


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield a call for each simulation, or a refusal for each that cannot be read.

    Raises
    ------
    ImportFailed
        When the file is no result, or holds no simulation (``no_simulations``).
    """
    results = load(path, Results)
    if not results.simulations:
        raise ImportFailed(
            "no simulations in the file",
            where=str(path),
            hint="name the folder, if they lie in `simulations/` beside it",
            rule="no_simulations",
        )
    for number, document in enumerate(results.simulations, start=1):
        try:
            yield call_of(document, results, path=path)
        except ImportFailed as error:
            yield refusal(path, error, location=f"simulation {number}", scope="call")
