"""A task for Inspect: a model sits in one seat of debates, built-in players in the others."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool, ChatMessageUser, GenerateConfig, ResponseSchema, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import mcp_connection, mcp_server_stdio
from inspect_ai.util import JSONSchema

from . import AsyncSession, command
from .language import Speaker, play


@solver
def debater(seat: str) -> Solver:
    """The task calls the model for each request. A reply that is not legal is asked for once more, with the reason; then the
    model has lost."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model(role=seat)

        async def ask(text: str, request: Any) -> str:
            state.messages.append(ChatMessageUser(content=text))
            legal = ResponseSchema(name="reply", json_schema=JSONSchema(**request["legal"]), strict=True)
            output = await model.generate(state.messages, config=GenerateConfig(response_schema=legal))
            state.messages.append(output.message)
            return output.completion

        async with AsyncSession() as session:
            speakers = {seat: Speaker(ask)}
            words: dict[str, Any] = {**state.metadata, **speakers}
            end = await play(await session.new(**words), speakers)
        state.store.set("end", end)
        return state

    return solve


@solver
def tool_user(seat: str) -> Solver:
    """The model itself calls the tools of `mcp`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        debates = mcp_server_stdio(command=command(), args=["mcp"], env=dict(os.environ))
        task = {"seats": [seat], **state.metadata}
        text = (
            f"Play the {seat} of a debate to its end. Call `start` with {json.dumps(task)}, "
            "then `view` and `reply` until `state` is over, and at last `result`."
        )
        state.messages = [ChatMessageUser(content=text)]
        async with mcp_connection(debates):
            model = get_model(role=seat)
            said, state.output = await model.generate_loop(state.messages, tools=debates)
        state.messages += said
        tools = [one for one in said if isinstance(one, ChatMessageTool)]
        ends = [one.text for one in tools if one.function == "result" and not one.error]
        if ends:  # else it stopped before the debate was over
            state.store.set("end", json.loads(ends[-1]))
        return state

    return solve


@scorer(metrics={"reward": [mean()], "answer_correct": [mean()]})
def outcome() -> Scorer:
    """The reward of the seat, and whether Alice's answer was right."""

    async def score(state: TaskState, target: Target) -> Score:
        end = state.store.get("end")
        debate = end["outcome"] if end else {"outcome": "not over"}
        if debate["outcome"] != "finished":
            why = "The model gave up." if end else "The model stopped before the end."
            return Score(value={"reward": 0, "answer_correct": 0}, explanation=why)
        correct = debate["answer"] == debate["truth"]
        value = {"reward": float(Fraction(end["reward"] or "0")), "answer_correct": float(correct)}
        return Score(value=value, explanation=f"Alice received {debate['payoff_exact']}.")

    return score


@task
def debates(scenario: str = "primes-small", seat: str = "opponent", samples: int = 10, tools: bool = False) -> Task:
    """Debates of a scenario, under as many seeds."""
    seeds = [str(seed) for seed in range(1, samples + 1)]
    dataset = [Sample(input=scenario, id=seed, metadata={"scenario": scenario, "seed": seed}) for seed in seeds]
    plays = tool_user(seat) if tools else debater(seat)
    return Task(dataset=dataset, solver=plays, scorer=outcome())
