"""tau-bench trajectories: a JSON array of runs with their messages, tool calls and reward. There is no clock.

The system message is the agent's policy, the same for every run, so it is kept once in the scenario's
document and by its SHA-256 in the tags. A tool call belongs to the agent's turn that follows it, which it
serves. Whether a tool changes something is read off the verb of its name. The id is
``<file>-task<task_id>-trial<trial>``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from workbench.errors import ImportFailed
from workbench.ingest.intake import jsonl
from workbench.ingest.intake.digest import of_bytes
from workbench.ingest.intake.peek import first_object, peek
from workbench.ingest.intake.roles import changes_something
from workbench.ingest.intake.shape import convert, refusal, sha256_of_json
from workbench.ingest.protocol import Options
from workbench.ingest.transcript_fields import as_json
from workbench.schema.call import Call, Refusal, Scenario, ToolCall, Turn

FORMAT = "tau_bench"
ABOUT = "tau-bench trajectories: a JSON array of `task_id, reward, trial, info, traj`."
CLAIMS: Literal["file"] = "file"

STOP: Final = "###STOP###"
HAND_OVER: Final = "transfer_to_human_agents"


class _Function(Struct):
    name: str
    arguments: Any = None


class _Asked(Struct):
    function: _Function
    id: str = ""


class _Message(Struct):
    role: str
    content: str | None = None
    tool_calls: list[_Asked] | None = None
    tool_call_id: str | None = None
    name: str | None = None


class _Info(Struct):
    task: dict[str, Any] | None = None
    source: str | None = None
    user_cost: float | None = None
    reward_info: dict[str, Any] | None = None


class _Run(Struct):
    task_id: int | str
    reward: float
    traj: list[_Message]
    info: _Info
    trial: int | None = None


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a file is an array of runs with a task, a reward and a trajectory."""
    return isinstance(peek(head), list) and {"task_id", "reward", "info"} <= (first_object(head) or {}).keys()


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield a call for each run, or a refusal for each that cannot be read, without holding the file.

    Raises
    ------
    ImportFailed
        When the array breaks off.
    """
    for record in jsonl.records(path):
        if isinstance(record, Refusal):
            yield record
            continue
        try:
            run = convert(record.value, _Run, where=str(path))
            yield _call(path, run, sha256_of_json(record.value))
        except ImportFailed as error:
            yield refusal(path, error, location=record.location, scope="call")


def _call(path: Path, run: _Run, sha256: str) -> Call:
    turns, tools = _conversation(run.traj)
    policy = next((message.content for message in run.traj if message.role == "system"), None)
    ended_by = _ended_by(run.traj)
    tags = {
        "policy_sha256": of_bytes(policy.encode()) if policy else None,
        "reward": run.reward,
        "task_source": run.info.source,
        "user_cost_usd": run.info.user_cost,
    }
    task = sha256_of_json(run.info.task)[:8]
    return Call(
        id=f"{path.stem}-task{run.task_id}-trial{run.trial if run.trial is not None else 0}",
        source_sha256=sha256,
        origin="simulated",
        platform="tau-bench",
        ended_by=ended_by,
        completed=ended_by is not None,
        outcome="success" if run.reward == 1.0 else "failure",
        expected_outcome="success",
        trial=run.trial,
        turn_clock="none",
        tags={key: str(value) for key, value in tags.items() if value is not None},
        scenario=Scenario(
            scenario_id=f"tau-bench-task{run.task_id}-{task}",
            expected_outcome="success",
            document={"task": run.info.task, "policy_text": policy},
        ),
        turns=turns,
        tool_calls=tools,
    )


def _conversation(messages: list[_Message]) -> tuple[list[Turn], list[ToolCall]]:
    """Return turns and tool calls; ids of tool calls are reused in a run, so answers go to the latest."""
    turns: list[Turn] = []
    tools: list[ToolCall] = []
    waiting: list[ToolCall] = []
    unanswered: dict[str, ToolCall] = {}
    for message in messages:
        if message.role == "tool":
            tool = unanswered.pop(message.tool_call_id or "", None)
            if tool is not None:
                _answer(tool, message.content)
            continue
        text = (message.content or "").replace(STOP, "").strip()
        if message.role in ("user", "assistant") and text:
            turns.append(Turn(role="agent" if message.role == "assistant" else "caller", text=text))
            if message.role == "assistant":
                for tool in waiting:
                    tool.turn_ix = len(turns) - 1
                waiting = []
        for asked in message.tool_calls or ():
            name = asked.function.name
            tool = ToolCall(
                name=name,
                turn_ix=len(turns) - 1 if text else None,
                arguments=as_json(asked.function.arguments),
                consequential=changes_something(name),
            )
            tools.append(tool)
            unanswered[asked.id] = tool
            if not text:
                waiting.append(tool)
    return turns, tools


def _answer(tool: ToolCall, content: str | None) -> None:
    if content is not None and content.startswith("Error"):
        tool.error = content
    else:
        tool.result = as_json(content)


def _ended_by(messages: list[_Message]) -> str | None:
    """Return who ended the run, or None when it broke off."""
    last = messages[-1] if messages else None
    if last is None:
        return None
    if last.role == "user" and STOP in (last.content or ""):
        return "caller"
    return "hand-over" if last.role == "tool" and last.name == HAND_OVER else None
