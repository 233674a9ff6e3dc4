"""A task for Inspect: a model plays one seat of debates, built-in players the other seats."""

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

from . import AsyncSession, Forfeit, command
from .language import Speaker, play, worst_payoff


@solver
def debater(seat: str) -> Solver:
    """Calls the model for each request. After an illegal reply, the model is asked once more, with the reason; a second
    illegal reply loses the debate."""

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
    """Lets the model call the tools of `mcp`."""

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
        if ends:
            state.store.set("end", json.loads(ends[-1]))
        else:
            state.store.set("end", await forfeited(seat, state.metadata))
        return state

    return solve


async def forfeited(seat: str, debate: dict[str, Any]) -> Any:
    """Returns the end of a debate that the model left unfinished: the seat forfeits it."""

    def give_up(_: Any) -> Any:
        raise Forfeit

    async with AsyncSession() as session:
        words: dict[str, Any] = {**debate, seat: give_up}
        return await (await session.new(**words)).play()


@scorer(metrics={"reward": [mean()], "answer_correct": [mean()]})
def outcome() -> Scorer:
    """Scores the reward of the seat and the correctness of Alice's answer. A forfeit receives the worst payoff under
    the rules."""

    async def score(state: TaskState, target: Target) -> Score:
        end = state.store.get("end")
        debate = end["outcome"]
        if debate["outcome"] != "finished":
            forfeit = debate["forfeit"]
            reward = worst_payoff(debate, forfeit["seat"])
            why = f"The {forfeit['seat']} gave up ({forfeit['fault']}) and received the worst payoff under the rules."
            return Score(value={"reward": reward, "answer_correct": 0}, explanation=why)
        correct = debate["answer"] == debate["truth"]
        value = {"reward": float(Fraction(end["reward"] or "0")), "answer_correct": float(correct)}
        return Score(value=value, explanation=f"Alice received {debate['payoff_exact']}.")

    return score


@task
def debates(scenario: str = "primes-small", seat: str = "opponent", samples: int = 10, tools: bool = False) -> Task:
    """Returns a task of `samples` debates of a scenario, under the seeds 1 to `samples`."""
    seeds = [str(seed) for seed in range(1, samples + 1)]
    dataset = [Sample(input=scenario, id=seed, metadata={"scenario": scenario, "seed": seed}) for seed in seeds]
    plays = tool_user(seat) if tools else debater(seat)
    return Task(dataset=dataset, solver=plays, scorer=outcome())
