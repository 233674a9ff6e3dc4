"""Debates as environments of PettingZoo and Gymnasium.

**Actions.** Each seat has one `Discrete` space. For every kind of request that its debates make it has as many actions as
there are replies: `points` probabilities from 0 to 1, the answers, supports, subclaims or steps to choose, and sets of
claims as bit strings. `action_mask` says which are legal now. An action that is not legal loses: the debate is over, and
the seat gets `illegal_reward` (`infos` has `illegal`).

**Observations** have `action_mask` and `observation`, a vector of numbers from 0 to 1: the kind of request, the place of
the claim, the round, the probability that a bet is on, the coins of the round and sixteen bits of a number for how the
claim looks. `infos` has `seen`, a number for all that the seat has seen (its information set), and `claim`.

**Rewards** are those of each round as it is paid, to the prover, with the opposite sign to the opponent, as the payoff or
in `points` (see `debate-tui guide protocols`). The judge has no payoff and no seat here.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces

from .program import DebateError
from .session import Session

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .documents import BatchSlot

#: The coins of a round that an observation has at most.
COINS = 16
#: The bits of the number of a claim that it has.
BITS = 16
SEATS = ("prover", "opponent")


class Table:
    """One debate at a time, the seats that are played here, and their spaces."""

    def __init__(
        self,
        scenario: str,
        seats: Sequence[str],
        points: int = 21,
        rewards: str = "payoff",
        illegal_reward: float = -1.0,
        waits: bool = False,
        **options: Any,
    ) -> None:
        wrong = [seat for seat in seats if seat not in SEATS]
        if "judge" in wrong:
            raise DebateError('a judge has no payoff to learn from: take `seats` of "prover" and "opponent"')
        if wrong or not seats:
            raise DebateError('`seats` names "prover", "opponent" or both')
        if rewards not in ("payoff", "points"):
            raise DebateError('`rewards` is "payoff" or "points"')
        self.scenario = scenario
        self.seats = list(seats)
        self.points = points
        self.illegal_reward = illegal_reward
        self.in_points = rewards == "points"
        self.waits = waits
        self.players = {seat: options.pop(seat) for seat in ("prover", "opponent", "judge") if seat in options}
        self.options = options
        self.session = Session()
        self.batch = ""
        self.payoff = 0.0
        try:
            self.begin(0)
        except BaseException:
            self.session.close()
            raise
        self.kinds = {seat: self._kinds(seat) for seat in self.seats}

    def begin(self, seed: int | None) -> None:
        """Begins a debate: the first under a seed, or the next one."""
        if seed is None and self.batch:
            self.slot: BatchSlot = self.session.step(self.batch, [None])["slots"][0]
        else:
            if self.batch:
                self.session.leave(self.batch)
            text = secrets.token_hex(8) if seed is None else str(seed)
            opened = self.session.open(
                self.scenario, self.seats, 1, self.points, seed=text, players=self.players, **self.options
            )
            self.batch, self.slot = opened["batch"], opened["slots"][0]
            self.counts: Any = opened["replies"]
            self.point = opened["point"] if self.in_points else 1.0
        self.payoff = self.slot["payoff"]

    def _kinds(self, seat: str) -> dict[str, tuple[int, int]]:
        """For each kind of request the first of its actions and their number."""
        kinds: dict[str, tuple[int, int]] = {}
        first = 0
        for kind, count in sorted(self.counts[seat].items()):
            kinds[kind] = (first, count)
            first += count
        return kinds

    def actions(self, seat: str) -> int:
        """How many actions there are; the last one, where there is one to wait, is for who is not asked."""
        return sum(count for _, count in self.kinds[seat].values()) + self.waits

    def spaces(self, seat: str) -> tuple[spaces.Dict, spaces.Discrete[Any]]:
        """The spaces of a seat's observations and actions."""
        actions = self.actions(seat)
        size = len(self.kinds[seat]) + 4 + COINS + BITS
        observed = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        return observed, spaces.Discrete(actions)

    @property
    def asked(self) -> str | None:
        """The seat that is asked; `None` where the debate is over."""
        return self.slot.get("seat")

    def _pending(self) -> tuple[int, int]:
        """The first action of the pending request and the number of replies."""
        slot = self.slot
        kinds = self.kinds[str(slot.get("seat"))]
        first, most = kinds.get(str(slot.get("asks")), (0, 0))
        if slot["replies"] > most:
            raise DebateError(
                f"the {slot.get('seat')} is asked for {slot.get('asks')} with {slot['replies']} replies, and no debate that was "
                "tried asked for so many: the space of actions does not hold them"
            )
        return first, slot["replies"]

    def observe(self, seat: str) -> dict[str, NDArray[Any]]:
        """What a seat observes now."""
        kinds = self.kinds[seat]
        mask = np.zeros(self.actions(seat), np.int8)
        vector = np.zeros(len(kinds) + 4 + COINS + BITS, np.float32)
        slot = self.slot
        if slot.get("seat") == seat:
            first, count = self._pending()
            mask[first : first + count] = 1
            for place in slot.get("illegal", ()):
                mask[first + place] = 0
            vector[list(kinds).index(str(slot.get("asks")))] = 1
            self._describe(vector[len(kinds) :])
        elif self.waits:
            mask[-1] = 1
        return {"observation": vector, "action_mask": mask}

    def _describe(self, vector: NDArray[Any]) -> None:
        slot = self.slot
        place, round_, stated = slot.get("place"), slot.get("round"), slot.get("stated")
        vector[0] = 0.0 if place is None else 1.0 / (1.0 + place)
        vector[1] = 0.0 if round_ is None else 1.0 / (1.0 + round_)
        vector[2] = stated is not None
        vector[3] = stated or 0.0
        for number, coin in enumerate(slot.get("coins", ())[:COINS]):
            vector[4 + number] = 1.0 if coin else 0.5
        claim = slot.get("claim") or 0
        for bit in range(BITS):
            vector[4 + COINS + bit] = claim >> bit & 1

    def info(self, seat: str) -> dict[str, Any]:
        """What a tabular learner wants: the information set and the claim as numbers."""
        own = self.slot.get("seat") == seat
        return {"seen": self.slot["seen"], "claim": self.slot.get("claim")} if own else {}

    def step(self, seat: str, action: int) -> dict[str, float] | None:
        """The action of the seat that is asked: what each seat gets of it. `None` if it is not legal: nothing has changed."""
        first, count = self._pending()
        place = int(action) - first
        if seat != self.asked or not 0 <= place < count or place in self.slot.get("illegal", ()):
            return None
        self.slot = self.session.step(self.batch, [place])["slots"][0]
        gain = (self.slot["payoff"] - self.payoff) / self.point
        self.payoff = self.slot["payoff"]
        return {seat: gain if seat == "prover" else -gain for seat in self.seats}

    def close(self) -> None:
        """Ends the program."""
        self.session.close()


class DebateGym(gymnasium.Env[Any, Any]):
    """One seat of a debate; built-in players have the others."""

    metadata = {"render_modes": []}

    def __init__(self, scenario: str, seat: str = "opponent", **options: Any) -> None:
        self.seat = seat
        self.table = Table(scenario, (seat,), **options)
        self.observation_space, self.action_space = self.table.spaces(seat)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins the first debate under a seed, or the next one."""
        super().reset(seed=seed)
        self.table.begin(seed)
        while self.table.asked is None:
            # A debate in which the seat is asked nothing.
            self.table.begin(None)
        return self.table.observe(self.seat), self.table.info(self.seat)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Gives a reply."""
        gains = self.table.step(self.seat, action)
        if gains is None:
            return self.table.observe(self.seat), self.table.illegal_reward, True, False, {"illegal": True}
        observed, info = self.table.observe(self.seat), self.table.info(self.seat)
        return observed, gains[self.seat], self.table.asked is None, False, info

    def close(self) -> None:
        """Ends the program."""
        self.table.close()


def gym_env(scenario: str, seat: str = "opponent", **options: Any) -> DebateGym:
    """One seat as an environment of Gymnasium. `options`: `points` (21), `rewards` ("payoff" or "points"),
    `illegal_reward` (-1), the players of the other seats by `prover` or `opponent` and `judge`, and `protocol`,
    `instance` as in the message `new`."""
    return DebateGym(scenario, seat, **options)


def env(scenario: str, seats: Sequence[str] = SEATS, **options: Any) -> Any:
    """An AEC environment of PettingZoo in its usual wrapper. `options` as of `gym_env`."""
    from .zoo import DebateAEC, wrapped

    return wrapped(DebateAEC(scenario, seats, **options))


def parallel_env(scenario: str, seats: Sequence[str] = SEATS, **options: Any) -> Any:
    """A parallel environment of PettingZoo: who is not asked takes the last action, to wait."""
    from .zoo import DebateParallel

    return DebateParallel(scenario, seats, **options)
