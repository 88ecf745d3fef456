"""Calls made for the tests of the archive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile as sf

from workbench.archive.archive import Archive
from workbench.schema.call import Audio, Call, Scenario, Span, StageTiming, StateRow, ToolCall, Turn, Word


def made_call(ix: int, folder: Path | None = None) -> Call:
    """A call with a row in every imported table; its id occurs in each of them."""
    name = f"unmistakable-{ix:04d}"
    audio = None
    if folder is not None:
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.wav"
        noise = np.random.default_rng(ix).integers(-3000, 3000, size=(4000, 2), dtype=np.int16)
        sf.write(path, noise, 8000)
        audio = [Audio(path=str(path), channels=["caller", "agent"])]
    return Call(
        id=name,
        source_format="made",
        source_uri=f"made/{name}.json",
        source_sha256=f"{ix:064x}",
        turn_clock="reported",
        policy={"max_refund": 50},
        tags={"which": name},
        scenario=Scenario(scenario_id=f"scenario-{name}", required_facts=["x"]),
        turns=[
            Turn(
                role="caller",
                text=f"this is {name}",
                heard="h",
                truth="t",
                start_s=0.0,
                end_s=0.2,
                words=[Word(word=name, start_s=0.0, end_s=0.1)],
            ),
            Turn(role="agent", text="yes", start_s=0.3, end_s=0.4),
        ],
        tool_calls=[ToolCall(name="refund", turn_ix=1, arguments={"amount": 3, "call": name}, consequential=True)],
        spans=[Span(type="event", span_id=name, time_s=0.1, attributes={"call": name})],
        stage_timings=[StageTiming(stage="e2e", value_ms=100.0)],
        state=[StateRow(snapshot="after", resource="refunds", record={"call": name})],
        labels=[],
        audio=audio,
    )


def measured_archive(folder: Path, *, calls: int) -> Archive:
    """Measured calls c0, c1, ... of 6 s, of versions 0, 1, ...: caller 2 to 4 s, agent 0.5 to 2.5 s."""
    rate, rng, made = 8000, np.random.default_rng(1), []
    for ix in range(calls):
        samples = np.zeros((6 * rate, 2))
        samples[2 * rate : 4 * rate, 0] = rng.normal(0, 2000, 2 * rate)
        samples[rate // 2 : round(2.5 * rate), 1] = rng.normal(0, 2000, 2 * rate)
        path = folder / f"{ix}.wav"
        sf.write(path, samples.astype(np.int16), rate, subtype="PCM_16")
        audio = [Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")]
        source = {"source_format": "made", "source_uri": f"{ix}", "source_sha256": f"{ix:064x}"}
        made.append(Call(id=f"c{ix}", origin="synthetic", agent_version=str(ix), audio=audio, **source))
    found = Archive.create(folder / "archive")
    found.add(made)
    found.measure()
    return found
