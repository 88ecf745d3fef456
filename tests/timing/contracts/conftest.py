"""A contract of a bundled clip, made without an archive."""

from __future__ import annotations

from pathlib import Path

import pytest

CLIPS = Path(__file__).parents[3] / "data/calls/vapi-defaults/audio"


@pytest.fixture(scope="session")
def files() -> dict[str, bytes]:
    """The files of a contract: the bundled hard interruption, labelled yield at 2.0 s, bound 1 s."""
    from workbench.audio.config import MeasureConfig
    from workbench.timing.contracts.document import Label, policy
    from workbench.timing.contracts.making import make
    from workbench.timing.contracts.members import sealed
    from workbench.timing.score_config import ScoreConfig

    rules = policy(
        ScoreConfig(), MeasureConfig(), max_time_to_yield_s=1.0, max_talk_over_s=None, channel_map_confirmed=True
    )
    label = Label(expect="yield", onset_s=2.0, author="A", authority="human")
    wav = (CLIPS / "vapi-default-01-hard-interruption.example.wav").read_bytes()
    return sealed(make(wav, label, policy=rules, source_sha256=["0" * 64], engine="0.0.1", where="here").files)


@pytest.fixture
def folder(tmp_path: Path, files: dict[str, bytes]) -> Path:
    """The contract in a folder of its own."""
    target = tmp_path / "one.contract"
    for name, content in files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    return target
