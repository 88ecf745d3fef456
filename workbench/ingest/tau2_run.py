"""One tau2 simulation as a call, whatever file it lay in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from workbench.errors import ImportFailed
from workbench.ingest.intake.digest import of_bytes
from workbench.ingest.intake.shape import convert, sha256_of_json, utc
from workbench.ingest.tau2_ticks import AskedTool, Tick, ToolAnswer, spans_of, tool_call, tools_of, turns_of
from workbench.schema.call import Call, Label, Scenario, Span, StageTiming, ToolCall, Turn

COMPLETED: Final = frozenset({"user_stop", "agent_stop"})
"""Reasons of termination that are an end of the conversation and not a failure of the run."""


class _Duplex(Struct):
    tick_duration_seconds: float | None = None


class Info(Struct):
    """What `results.json` says about all of its simulations."""

    agent_info: dict[str, Any] = field(default_factory=dict)
    environment_info: dict[str, Any] = field(default_factory=dict)
    audio_native_config: _Duplex | None = None
    speech_complexity: str | None = None
    git_commit: str | None = None


class Results(Struct):
    """`results.json`: monolithic with its simulations, or beside a folder of them."""

    info: Info
    tasks: list[dict[str, Any]] | None = None
    simulations: list[Any] | None = None


class _Message(Struct):
    role: str
    content: str | None = None
    tool_calls: list[AskedTool] | None = None
    id: str = ""
    error: bool = False
    is_audio: bool = False
    audio_script_gold: str | None = None
    timestamp: datetime | None = None
    generation_time_seconds: float | None = None


class _Simulation(Struct):
    id: str
    task_id: str
    start_time: datetime | None = None
    duration: float | None = None
    termination_reason: str | None = None
    agent_cost: float | None = None
    user_cost: float | None = None
    reward_info: dict[str, Any] | None = None
    messages: list[_Message] | None = None
    ticks: list[Tick] | None = None
    trial: int | None = None
    seed: int | None = None
    mode: str | None = None


def call_of(document: Any, results: Results, *, path: Path) -> Call:
    """Return a simulation as a call.

    Parameters
    ----------
    document : object
        The simulation as decoded JSON.
    results : Results
        The run it belongs to: length of a tick, agent, policy and tasks.
    path : Path
        File that errors name.

    Returns
    -------
    Call
        Of a voice simulation, turns counted in ticks, and its length in ticks; the wall time of the
        computation is the tag ``wall_clock_s``. Of a text simulation, turns at the time they were generated.
        `start_time` has no zone in these files and is taken as UTC.

    Raises
    ------
    ImportFailed
        ``wrong_shape``, or ``tick_length_unknown`` for ticks without a length.
    """
    run = convert(document, _Simulation, where=str(path))
    domain = str(results.info.environment_info.get("domain_name") or "tau2")
    policy = results.info.environment_info.get("policy")
    agent = results.info.agent_info
    reward = (run.reward_info or {}).get("reward")
    reward = float(reward) if isinstance(reward, int | float) and not isinstance(reward, bool) else None
    tags = {
        "agent_implementation": agent.get("implementation"),
        "benchmark_commit": results.info.git_commit,
        "mode": run.mode,
        "policy_sha256": of_bytes(policy.encode()) if isinstance(policy, str) else None,
        "reward": reward,
        "speech_complexity": results.info.speech_complexity,
        "user_cost_usd": run.user_cost,
        "wall_clock_s": run.duration,
    }
    task = next((task for task in results.tasks or () if str(task.get("id")) == run.task_id), None)
    llm = agent.get("llm")
    call = Call(
        id=run.id,
        source_sha256=sha256_of_json(document),
        origin="simulated",
        started_at=utc(run.start_time),
        platform="tau2",
        agent_id=llm if isinstance(llm, str) else None,
        agent_config_sha256=sha256_of_json(agent) if agent else None,
        ended_by=run.termination_reason,
        completed=None if run.termination_reason is None else run.termination_reason in COMPLETED,
        outcome=None if reward is None else ("success" if reward == 1.0 else "failure"),
        expected_outcome="success",
        cost_usd=run.agent_cost,
        trial=run.trial,
        seed=run.seed,
        tags={key: str(value) for key, value in tags.items() if value is not None},
        scenario=Scenario(
            scenario_id=f"{domain}-{run.task_id}",
            expected_outcome="success",
            document={"domain": domain, "task": task, "policy_text": policy},
        ),
        labels=None
        if run.reward_info is None
        else [Label(kind="reward", value=run.reward_info, authority="the benchmark's own evaluator")],
    )
    if run.ticks is not None:
        _add_ticks(call, run.ticks, results=results, path=path)
    else:
        _add_messages(call, run)
    return call


def _add_ticks(call: Call, ticks: list[Tick], *, results: Results, path: Path) -> None:
    config = results.info.audio_native_config
    tick_s = config.tick_duration_seconds if config else None
    if tick_s is None or not 0.001 <= tick_s <= 10:
        raise ImportFailed(
            f"the length of a tick is {tick_s!r} s",
            where=str(path),
            hint="`results.json` must have info.audio_native_config.tick_duration_seconds, in seconds",
            rule="tick_length_unknown",
        )
    call.turn_clock = "ticks"
    call.duration_s = round(len(ticks) * tick_s, 6)
    call.turns = turns_of(ticks, tick_s)
    call.spans = spans_of(ticks, tick_s)
    tools = tools_of(ticks, tick_s, call.turns)
    call.tool_calls = tools or None  # the ticks of a reduced run carry none, which is not "made none"


def _add_messages(call: Call, run: _Simulation) -> None:
    answers = {
        message.id: ToolAnswer(message.id, message.content, message.error)
        for message in run.messages or ()
        if message.role == "tool"
    }
    turns: list[Turn] = []
    tools: list[ToolCall] = []
    spans: list[Span] = []
    timings: list[StageTiming] = []
    waiting: list[ToolCall] = []
    for message in run.messages or ():
        at = _since(call.started_at, message.timestamp)
        text = message.audio_script_gold if message.is_audio else message.content
        if message.role in ("assistant", "user") and text:
            turns.append(Turn(role="agent" if message.role == "assistant" else "caller", text=text, start_s=at))
            if message.role == "assistant":
                for tool in waiting:
                    tool.turn_ix = len(turns) - 1
                waiting = []
            if message.generation_time_seconds is not None:
                timings.append(
                    StageTiming(
                        stage="model",
                        value_ms=message.generation_time_seconds * 1000,
                        measured_at="server",
                        turn_ix=len(turns) - 1,
                    )
                )
        for asked in message.tool_calls or ():
            tool = tool_call(asked, answers.get(asked.id), turn_ix=None, start_s=at)
            if asked.requestor == "user":
                spans.append(_caller_tool(tool))
                continue
            tools.append(tool)
            if text:
                tool.turn_ix = len(turns) - 1
            else:
                waiting.append(tool)
    call.turn_clock = "generated" if _timed(turns) else "none"
    call.turns = None if run.messages is None else turns
    call.tool_calls = None if run.messages is None else tools
    call.spans = spans or None
    call.stage_timings = timings or None


def _since(zero: datetime | None, moment: datetime | None) -> float | None:
    at = utc(moment)
    return None if zero is None or at is None else (at - zero).total_seconds()


def _timed(turns: Sequence[Turn]) -> bool:
    return any(turn.start_s is not None for turn in turns)


def _caller_tool(tool: ToolCall) -> Span:
    """Return a tool that the simulated caller used, which is no action of the agent."""
    said = {"arguments": tool.arguments, "result": tool.result, "error": tool.error}
    return Span(type="caller_tool_call", name=tool.name, time_s=tool.start_s, attributes=said)
