"""Debates as environments of PettingZoo."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from .environments import RENDER_MODES, Table, Uncopied


class _Seats(Uncopied):
    """The external seats and their spaces, which are fixed."""

    possible_agents: list[str]

    def _open(self, scenario: str | Path, seats: Sequence[str], **options: Any) -> None:
        self.table = Table(scenario, seats, **options)
        self.possible_agents = list(seats)
        both = {seat: self.table.spaces(seat) for seat in seats}
        self.observation_spaces = {seat: observed for seat, (observed, _) in both.items()}
        self.action_spaces = {seat: actions for seat, (_, actions) in both.items()}
        self.render_mode = self.table.render_mode

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def _begin(self, seed: int | None) -> None:
        """Begins the next debate with a request to one of these seats."""
        self.table.begin_asked(seed)
        self.agents = list(self.possible_agents)

    def render(self) -> Any:
        """Returns the pending request as text, with `render_mode="ansi"`."""
        return self.table.render()

    def close(self) -> None:
        self.table.close()


class DebateAEC(_Seats, AECEnv[str, Any, Any]):
    """A debate in which the seats act in turn."""

    metadata: dict[str, Any] = {"name": "debate_v0", "render_modes": list(RENDER_MODES), "render_fps": 1, "is_parallelizable": False}

    def __init__(self, scenario: str | Path, seats: Sequence[str], **options: Any) -> None:
        super().__init__()
        self._open(scenario, seats, **options)

    def observe(self, agent: str) -> Any:
        return self.table.observe(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._turn()

    def _turn(self) -> None:
        self.infos: dict[str, Any] = {seat: self.table.info(seat) for seat in self.agents}
        self.agent_selection = self.table.asked() or self.agents[0]

    def step(self, action: Any) -> None:
        seat = self.agent_selection
        if self.terminations[seat]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[seat] = 0.0
        gains = self.table.step(seat, action)
        if gains is None:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self.rewards[seat] = self.table.illegal_reward
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos[seat] = {"illegal": True}
        else:
            self.rewards = gains
            self._turn()
            self.terminations = dict.fromkeys(self.agents, self.table.asked() is None)
        self._accumulate_rewards()


class DebateParallel(_Seats, ParallelEnv[str, Any, Any]):
    """A debate in which all seats act at each step. Only the action of the seat to move counts."""

    metadata: dict[str, Any] = {"name": "debate_v0", "render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(self, scenario: str | Path, seats: Sequence[str], **options: Any) -> None:
        self._open(scenario, seats, waits=True, **options)

    def _observed(self) -> dict[str, Any]:
        return {seat: self.table.observe(seat) for seat in self.agents}

    def _infos(self) -> dict[str, Any]:
        return {seat: self.table.info(seat) for seat in self.agents}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self._begin(seed)
        return self._observed(), self._infos()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        seat = str(self.table.asked())
        gains = self.table.step(seat, actions[seat])
        infos = self._infos()
        if gains is None:
            gains = dict.fromkeys(self.agents, 0.0)
            gains[seat] = self.table.illegal_reward
            infos[seat] = {"illegal": True}
            over = True
        else:
            over = self.table.asked() is None
        observed = self._observed()
        ends = dict.fromkeys(self.agents, over)
        going_on = dict.fromkeys(self.agents, False)
        if over:
            self.agents = []
        return observed, gains, ends, going_on, infos


def wrapped(raw: DebateAEC) -> Any:
    """Wraps the environment to enforce the order of calls."""
    return OrderEnforcingWrapper(raw)
