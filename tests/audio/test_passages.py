"""Passages are the samples of the file, whatever the file allows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.audio import passages as module
from workbench.audio.passages import passages
from workbench.audio.read import iterate
from workbench.audio.source import identify

SPANS = [(0, 800), (7000, 9000), (300, 1200), (1200, 1200), (15_500, 99_000), (50_000, 60_000), (-50, 10)]


@pytest.mark.parametrize("kind", ["wav", "flac", "mp3", "ogg"])
def test_they_are_what_reading_the_whole_file_gives(kind: str, tmp_path: Path) -> None:
    sound = np.random.default_rng(2).normal(0, 0.1, (16_000, 2)).astype(np.float32)
    path = tmp_path / f"made.{kind}"
    sf.write(path, sound, 8000)
    source = identify(path)
    whole = np.concatenate(list(iterate(source)))
    found = dict(passages(source, SPANS))
    assert set(found) == set(range(len(SPANS)))
    for ix, (first, last) in enumerate(SPANS):
        assert np.array_equal(found[ix], whole[max(first, 0) : max(last, 0)]), SPANS[ix]
    assert list(passages(source, [])) == []


def test_a_lossy_file_is_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made.mp3"
    sf.write(path, np.zeros((16_000, 1), np.float32), 8000)
    started: list[int] = []

    def counted(source: object) -> object:
        started.append(1)
        return iterate(source, 500)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "iterate", counted)
    spans = [(ix * 100, ix * 100 + 150) for ix in range(40)]
    found = list(passages(identify(path), spans))
    assert [ix for ix, _ in found] == list(range(40))
    assert [len(piece) for _, piece in found] == [150] * 40
    assert len(started) == 1
