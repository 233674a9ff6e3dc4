"""Debates of language models as an environment of `verifiers` (0.4, `verifiers.v1`): the taskset `debate-language`.

A task is a debate: task i of the taskset is debate i under its seed. The agents are prover, opponent and judge. `seats`
of the environment lists the agents that play; built-in players take the other seats. With the agents prover and
opponent, and `{"judge": "oracle"}` in `players`, prover and estimator play against each other.

Each request is a turn: the agent receives the events since its last turn and the request, and answers with one JSON
object. After an illegal reply, the agent is asked once more, with the reason; a second illegal reply loses the debate.

Rewards are exact: `payoff` of a debater is the payoff under the rules, and `trace.info["debate"]` has it as a fraction.
A debater that forfeits receives the worst payoff under the rules, and the other debater 0. A judge of free speeches
receives the probability that it gave the true answer (`probability_of_truth`), and 0 for a forfeit. Under other rules a
judge has no reward.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from fractions import Fraction
from typing import Any, Literal

import verifiers.v1 as vf

from debate_tui import AsyncSession, Forfeit
from debate_tui.documents import PlayReport
from debate_tui.language import Speaker, play, worst_payoff

__all__ = ["DebateEnv", "DebateTaskset"]

Seat = Literal["prover", "opponent", "judge"]


class DebateConfig(vf.TasksetConfig):
    """The configuration of the debates."""

    id: str = "debate-language"
    scenario: str = "lighthouse"
    seed: str = "0"
    #: Built-in players of the seats without agents. The default is the scenario's players.
    players: dict[str, str] = {}
    #: Other fields of the message `new`, such as `protocol`, `instance` and `blind`.
    options: dict[str, Any] = {}


class DebateData(vf.TaskData):
    """A debate under a seed."""

    debate: dict[str, Any]


class DebateTask(vf.Task[DebateData, vf.State, vf.TaskConfig]):
    """A debate."""


class DebateTaskset(vf.Taskset[DebateTask, DebateConfig]):
    """The debates of one scenario, in order."""

    INFINITE = True

    def load(self) -> Iterator[DebateTask]:
        config = self.config
        for number in itertools.count():
            debate = {
                "scenario": config.scenario,
                "seed": config.seed,
                "number": number,
                **config.players,
                **config.options,
            }
            data = DebateData.model_validate({"name": f"{config.scenario}#{number}", "debate": debate})
            yield DebateTask(data, config.task)


class DebateEnvConfig(vf.EnvConfig):
    """The configuration of the agents."""

    prover: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})  # pyright: ignore[reportArgumentType]
    opponent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})  # pyright: ignore[reportArgumentType]
    judge: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})  # pyright: ignore[reportArgumentType]
    #: The seats that agents play.
    seats: list[Seat] = ["prover", "opponent", "judge"]


class AgentSpeaker(Speaker):
    """An agent in a seat. Its interaction is opened at its first request."""

    def __init__(self, agent: Any, task: DebateTask, stack: AsyncExitStack) -> None:
        super().__init__(self.turn)
        self.agent = agent
        self.task = task
        self.stack = stack
        self.interaction: Any = None

    async def turn(self, text: str, request: Any) -> str:
        if self.interaction is None:
            self.interaction = await self.stack.enter_async_context(self.agent.interaction(self.task))
        if self.tries == 1:
            text += f"\n\nAnswer with one JSON object that matches this schema: {json.dumps(request['legal'])}"
        segment = await self.interaction.turn(text)
        if segment.terminated:
            raise Forfeit("timeout")
        return segment.last_reply


class DebateEnv(vf.Env[DebateEnvConfig]):
    """An environment with one debate per episode."""

    async def run(self, task: Any, agents: Any) -> None:
        async with AsyncSession() as session:
            # Interactions are closed and scored when the debate is over.
            async with AsyncExitStack() as stack:
                speakers = {seat: AgentSpeaker(getattr(agents, seat), task, stack) for seat in self.config.seats}
                words: dict[str, Any] = {**task.data.debate, **speakers, "history": False}
                debate = await session.new(**words)
                outcome = (await play(debate, speakers))["outcome"]
                for seat, speaker in speakers.items():
                    if speaker.interaction is not None:
                        record(seat, speaker.interaction.trace, outcome)


def record(seat: str, trace: Any, outcome: PlayReport) -> None:
    """Records the result of the debate in an agent's trace."""
    forfeit = outcome.get("forfeit")
    exact = outcome.get("payoff_exact")
    trace.info["debate"] = {name: outcome.get(name) for name in ("outcome", "forfeit", "answer", "truth", "payoff_exact")}
    lost = forfeit is not None and forfeit["seat"] == seat
    if forfeit is not None:
        trace.record_metric("forfeited", float(lost))
    if seat == "judge":
        if lost and outcome["protocol"] == "speeches":
            trace.record_reward("probability_of_truth", 0.0)
        answer, truth = outcome.get("answer"), outcome.get("truth")
        if forfeit is None and outcome["protocol"] == "speeches" and None not in (answer, truth, exact):
            # Alice receives the probability of her answer, minus one half.
            hers = Fraction(str(exact)) + Fraction(1, 2)
            trace.record_reward("probability_of_truth", float(hers if answer == truth else 1 - hers))
    elif forfeit is None and exact is not None:
        trace.record_reward("payoff", float(Fraction(exact) if seat == "prover" else -Fraction(exact)))
    else:
        trace.record_reward("payoff", worst_payoff(outcome, seat) if lost else 0.0)
