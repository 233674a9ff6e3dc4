"""Debates as environments of PettingZoo and Gymnasium.

**Actions.** Each seat has one `Discrete` space, with one action for each reply to each kind of request in its debates.
The replies are `points` probabilities from 0 to 1; answers, supports, subclaims or steps; and sets of claims as bit
strings. `action_mask` marks the legal actions. An illegal action ends the debate, and the seat gets `illegal_reward`
(`infos` has `illegal`).

**Observations** have `action_mask` and `observation`, a vector of numbers from 0 to 1: the kind of request, the index
of the claim, the round, the probability that a bet is on, the coins of the round, and 16 bits of the claim's number.
`infos` has `seen`, a number for the information set of the seat, and `claim`, a number for the claim as the seat sees
it. Both are signed 64-bit numbers, so that numpy arrays can hold them. `claim` is -1 if the request concerns no claim.

**Rewards** are paid in each round: to the prover, and with the opposite sign to the opponent. The unit is the payoff,
or `points` (see `debate-tui guide protocols`). The judge has no payoff, so these environments have no seat for it.

**Scenarios** are names of bundled scenarios, or paths that end in `.ron` or `.jsonl#ID`. Creating an environment raises
an error if its actions cannot be numbered.

**Gymnasium** registers `debate_tui/Debate-v0`, for `make` and `make_vec`. `render_mode="ansi"` describes the pending
request. `vector_env` steps many debates in one process. An environment controls a process, so it cannot be copied or
pickled; pass a function that creates one. `Session.fork` copies the states of debates.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .program import DebateError, Refused, plain, run
from .registration import register
from .session import Session

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .documents import BatchSlot, FromServerOpened

#: The maximum number of coins of a round in an observation.
COINS = 16
#: The number of bits of a claim's number in an observation.
BITS = 16
SEATS = ("prover", "opponent")
#: File name extensions of scenarios and of question sets.
ENDINGS = (".ron", ".jsonl")
#: The render modes of all environments.
RENDER_MODES = ("ansi",)
#: The maximum number of consecutive debates without a request to these seats; then the environment is refused.
IDLE_DEBATES = 256


class Uncopied:
    """Refuses copies and pickles, because an environment controls a process."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise DebateError(
            "an environment controls a process and cannot be copied or pickled; pass a function that creates one, such as "
            'lambda: debate_tui.gym_env("primes")'
        )


class Table(Uncopied):
    """The current debates of an environment, its external seats, and their spaces. Most environments have one debate; a
    vector environment has `count`. `position` is the index of a debate."""

    def __init__(
        self,
        scenario: str | Path,
        seats: Sequence[str],
        points: int = 21,
        rewards: str = "payoff",
        illegal_reward: float = -1.0,
        waits: bool = False,
        render_mode: str | None = None,
        count: int = 1,
        **options: Any,
    ) -> None:
        wrong = [seat for seat in seats if seat not in SEATS]
        if "judge" in wrong:
            raise DebateError('a judge has no payoff to learn from; `seats` can contain "prover" and "opponent"')
        if wrong or not seats:
            raise DebateError('`seats` must contain "prover", "opponent" or both')
        if rewards not in ("payoff", "points"):
            raise DebateError('`rewards` must be "payoff" or "points"')
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise DebateError(f'`render_mode` is {render_mode!r}; it must be "ansi" or None')
        self.render_mode = render_mode
        self.file, self.scenario = _file(scenario)
        self.seats = list(seats)
        self.count = count
        self.points = points
        self.illegal_reward = illegal_reward
        self.in_points = rewards == "points"
        self.waits = waits
        self.players = {seat: options.pop(seat) for seat in ("prover", "opponent", "judge") if seat in options}
        self.options = options
        self.session = Session(scenarios=self.file.parent if self.file else None)
        self.batch = ""
        self.slots: list[BatchSlot] = []
        self.payoffs: list[float] = []
        self.seed = ""
        try:
            self._check_replies()
            self.begin_asked(0)
        except BaseException:
            self.session.close()
            raise
        self.kinds = {seat: self._kinds(seat) for seat in self.seats}

    def _check_replies(self) -> None:
        """Raises an error if a seat has too many replies to number. If a built-in seat has them, trial debates end at
        its request, so the sizes of the spaces are unknown."""
        if others := [seat for seat in (*SEATS, "judge") if seat not in self.seats]:
            try:
                opened = self._open([*self.seats, *others], "0", 1)
            except Refused as refused:
                if "too many replies to number" not in refused.why:
                    raise
                why = refused.why.split("; use `new`")[0]
                raise DebateError(
                    f"{self.scenario} makes no environment for the {' and the '.join(self.seats)}: {why}. Trial debates are "
                    "impossible and the size of the action space is unknown; use `Session.new`"
                ) from None
            self.session.leave(opened["batch"])

    def _open(self, seats: list[str], seed: str, count: int) -> FromServerOpened:
        players = {seat: player for seat, player in self.players.items() if seat not in seats}
        try:
            return self.session.open(
                self.scenario, seats, count, self.points, seed=seed, players=players, **self.options
            )
        except Refused as refused:
            if self.file and "not a valid scenario" in refused.why:
                # `serve` does not tell the sender of a name why a file is unsound; `check` tells its owner.
                run(["check", str(self.file)])
            raise

    def begin_asked(self, seed: int | None) -> None:
        """Begins debates, the first ones under a seed or the next ones, until each has a request to one of the
        seats."""
        if seed is None and self.batch:
            self.begin_next(range(self.count))
            return
        if self.batch:
            self.session.leave(self.batch)
        self.seed = secrets.token_hex(8) if seed is None else str(seed)
        opened = self._open(self.seats, self.seed, self.count)
        self.batch, self.slots = opened["batch"], opened["slots"]
        self.counts: Any = opened["replies"]
        self.point = opened["point"] if self.in_points else 1.0
        self.payoffs = [slot["payoff"] for slot in self.slots]
        self.begin_next(position for position in range(self.count) if self.asked(position) is None)

    def begin_next(self, positions: Iterable[int]) -> None:
        """Begins the next debate at these positions, and skips debates without a request to one of the seats."""
        idle = list(positions)
        for _ in range(IDLE_DEBATES):
            if not idle:
                return
            self.advance([None] * self.count, [position for position in range(self.count) if position not in idle])
            idle = [position for position in idle if self.asked(position) is None]
        raise DebateError(
            f"{self.scenario} makes no environment for the {' and the '.join(self.seats)}: with these players, "
            f"{IDLE_DEBATES} debates had no request to it; name other players"
        )

    def advance(self, replies: Sequence[int | None], keep: Sequence[int] = ()) -> list[float]:
        """Sends the index of a reply to each debate, or `None` to begin the next one, and returns the reward of the
        prover in each debate. Debates in `keep` do not change."""
        self.slots = self.session.step(self.batch, replies, keep)["slots"]
        gains = [
            0.0 if reply is None else (slot["payoff"] - before) / self.point
            for slot, before, reply in zip(self.slots, self.payoffs, replies, strict=True)
        ]
        self.payoffs = [slot["payoff"] for slot in self.slots]
        return gains

    def _kinds(self, seat: str) -> dict[str, tuple[int, int]]:
        """Maps each kind of request to its first action and its number of actions."""
        kinds: dict[str, tuple[int, int]] = {}
        first = 0
        for kind, count in sorted(self.counts[seat].items()):
            kinds[kind] = (first, count)
            first += count
        return kinds

    def actions(self, seat: str) -> int:
        """Returns the number of actions. With `waits`, the last action is to wait, for a seat without a request."""
        return sum(count for _, count in self.kinds[seat].values()) + self.waits

    def spaces(self, seat: str) -> tuple[spaces.Dict, spaces.Discrete[Any]]:
        """Returns the observation space and the action space of a seat."""
        actions = self.actions(seat)
        size = len(self.kinds[seat]) + 4 + COINS + BITS
        observed = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        return observed, spaces.Discrete(actions)

    def asked(self, position: int = 0) -> str | None:
        """Returns the seat to move; `None` if the debate is over."""
        return self.slots[position].get("seat")

    def _pending(self, slot: BatchSlot) -> tuple[int, int]:
        """Returns the first action of the pending request and its number of replies."""
        kinds = self.kinds[str(slot.get("seat"))]
        first, most = kinds.get(str(slot.get("asks")), (0, 0))
        if slot["replies"] > most:
            raise DebateError(
                f"the {slot.get('seat')} has {slot['replies']} replies to a request for {slot.get('asks')}, more than in any "
                "trial debate; the action space is too small for them"
            )
        return first, slot["replies"]

    def observe(self, seat: str, position: int = 0) -> dict[str, NDArray[Any]]:
        """Returns the current observation of a seat."""
        observed = self._empty((), seat)
        self._write(seat, self.slots[position], observed["observation"], observed["action_mask"])
        return observed

    def observe_all(self, seat: str) -> dict[str, NDArray[Any]]:
        """Returns the observations of a seat in all debates, as arrays with one row for each debate."""
        observed = self._empty((self.count,), seat)
        for slot, vector, mask in zip(self.slots, observed["observation"], observed["action_mask"], strict=True):
            self._write(seat, slot, vector, mask)
        return observed

    def _empty(self, shape: tuple[int, ...], seat: str) -> dict[str, NDArray[Any]]:
        size = len(self.kinds[seat]) + 4 + COINS + BITS
        return {
            "observation": np.zeros((*shape, size), np.float32),
            "action_mask": np.zeros((*shape, self.actions(seat)), np.int8),
        }

    def _write(self, seat: str, slot: BatchSlot, vector: NDArray[Any], mask: NDArray[Any]) -> None:
        """Writes an observation into arrays of zeros."""
        kinds = self.kinds[seat]
        if slot.get("seat") == seat:
            first, count = self._pending(slot)
            mask[first : first + count] = 1
            for place in slot.get("illegal", ()):
                mask[first + place] = 0
            vector[list(kinds).index(str(slot.get("asks")))] = 1
            _describe(slot, vector[len(kinds) :])
        elif self.waits:
            mask[-1] = 1

    def info(self, seat: str, position: int = 0) -> dict[str, Any]:
        """Returns the information set and the claim as numbers, for tabular learning."""
        slot = self.slots[position]
        if slot.get("seat") != seat:
            return {}
        claim = slot.get("claim")
        return {"seen": _signed(slot["seen"]), "claim": -1 if claim is None else _signed(claim)}

    def reply_index(self, seat: str, action: Any, position: int = 0) -> int | None:
        """Returns the index of the reply that an action is; `None` if the action is illegal."""
        slot = self.slots[position]
        first, count = self._pending(slot)
        place = _whole(action) - first
        legal = seat == slot.get("seat") and 0 <= place < count and place not in slot.get("illegal", ())
        return place if legal else None

    def step(self, seat: str, action: Any) -> dict[str, float] | None:
        """Takes the action of the seat to move and returns the reward of each seat. Returns `None` without an effect if
        the action is illegal."""
        place = self.reply_index(seat, action)
        if place is None:
            return None
        gain = self.advance([place])[0]
        return {seat: gain if seat == "prover" else -gain for seat in self.seats}

    def render(self) -> str | None:
        """Returns the pending request of the first debate as text; `None` without a render mode."""
        if self.render_mode is None:
            return None
        slot = self.slots[0]
        lines = [f"{self.scenario}, debate {slot['number']} under the seed {self.seed}. Payoff of the prover: {slot['payoff']:g}."]
        if slot.get("seat") is None:
            return "\n".join([*lines, "The debate is over."])
        first, count = self._pending(slot)
        about = [
            f"claim {slot.get('place')}" if slot.get("place") is not None else "",
            f"round {slot.get('round')}" if slot.get("round") is not None else "",
            f"bet on {slot.get('stated'):g}" if slot.get("stated") is not None else "",
            f"coins {''.join('1' if coin else '0' for coin in slot['coins'])}" if slot.get("coins") else "",
        ]
        asks = ", ".join([f"The {slot.get('seat')} is asked for {slot.get('asks')}", *filter(None, about)])
        illegal = [first + place for place in slot.get("illegal", ())]
        return "\n".join(
            [
                *lines,
                f"{asks}.",
                f"Legal actions: {first} to {first + count - 1}" + (f", but not {illegal}." if illegal else "."),
            ]
        )

    def close(self) -> None:
        """Ends the program."""
        self.session.close()


def _file(scenario: str | Path) -> tuple[Path | None, str]:
    """Returns the path of a scenario file (`None` for a bundled scenario) and the name of the scenario for `serve`."""
    path, mark, question = str(scenario).partition("#")
    if not path.endswith(ENDINGS):
        return None, str(scenario)
    file = Path(path).absolute()
    if not file.is_file():
        raise DebateError(f"scenario file {path} does not exist")
    return file, f"{file.name}{mark}{question}"


def _describe(slot: BatchSlot, vector: NDArray[Any]) -> None:
    """Writes the numbers of a request."""
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


def _signed(number: int) -> int:
    """Converts an unsigned 64-bit number to a signed one, which numpy arrays can hold."""
    return number - (1 << 64) if number >> 63 else number


def _whole(action: Any) -> int:
    """Converts an action to an integer: a number, or an array with one number."""
    action = plain(action)
    while isinstance(action, list) and len(action) == 1:  # pyright: ignore[reportUnknownArgumentType]
        action = action[0]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(action, float) and action.is_integer():
        return int(action)
    if not isinstance(action, int):
        raise DebateError(f"the action {action!r} is not a whole number")
    return action


class DebateGym(Uncopied, gymnasium.Env[Any, Any]):
    """One seat of a debate; built-in players take the other seats."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self, scenario: str | Path, seat: str = "opponent", *, render_mode: str | None = None, **options: Any
    ) -> None:
        self.seat = seat
        self.render_mode = render_mode
        self.table = Table(scenario, (seat,), render_mode=render_mode, **options)
        self.observation_space, self.action_space = self.table.spaces(seat)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins the first debate under a seed, or the next one."""
        super().reset(seed=seed)
        self.table.begin_asked(seed)
        return self.table.observe(self.seat), self.table.info(self.seat)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Replies to the pending request."""
        gains = self.table.step(self.seat, action)
        if gains is None:
            return self.table.observe(self.seat), self.table.illegal_reward, True, False, {"illegal": True}
        observed, info = self.table.observe(self.seat), self.table.info(self.seat)
        return observed, gains[self.seat], self.table.asked() is None, False, info

    def render(self) -> Any:
        """The pending request as text, with `render_mode="ansi"`."""
        return self.table.render()

    def close(self) -> None:
        """Ends the program."""
        self.table.close()


class DebateVectorEnv(Uncopied, VectorEnv[Any, Any, Any]):
    """One seat of many debates, which one process steps together. The `num_envs` debates share one seed, and each has
    another debate number. After the end of a debate, the next step starts a new debate and ignores its action
    (`AutoresetMode.NEXT_STEP`)."""

    metadata: dict[str, Any] = {
        "render_modes": list(RENDER_MODES),
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        scenario: str | Path = "primes",
        seat: str = "opponent",
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.num_envs = num_envs
        self.seat = seat
        self.render_mode = render_mode
        self.table = Table(scenario, (seat,), render_mode=render_mode, count=num_envs, **options)
        self.single_observation_space, self.single_action_space = self.table.spaces(seat)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        # True for each debate that is over.
        self._over: NDArray[Any] = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins the first debates under a seed, or the next ones."""
        if isinstance(seed, list):
            raise DebateError("a batch of debates has one seed; give a whole number")
        super().reset(seed=seed)
        self.table.begin_asked(seed)
        self._over = np.zeros(self.num_envs, np.bool_)
        return self.table.observe_all(self.seat), self._infos()

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Replies to the pending request of each debate."""
        table = self.table
        over = self._over
        replies = [
            None if over[position] else table.reply_index(self.seat, action, position)
            for position, action in enumerate(actions)
        ]
        illegal: NDArray[Any] = np.array([reply is None for reply in replies]) & ~over
        gains = np.array(table.advance(replies, np.flatnonzero(illegal).tolist()))
        rewards = np.where(illegal, table.illegal_reward, gains if self.seat == "prover" else -gains)
        table.begin_next(position for position in np.flatnonzero(over).tolist() if table.asked(position) is None)
        ended: NDArray[Any] = illegal | np.array([table.asked(position) is None for position in range(self.num_envs)])
        self._over = ended
        infos = self._infos()
        if illegal.any():
            infos.update(illegal=illegal, _illegal=illegal)
        return table.observe_all(self.seat), rewards, np.array(ended), np.zeros(self.num_envs, np.bool_), infos

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for position in range(self.num_envs):
            infos = self._add_info(infos, self.table.info(self.seat, position), position)
        return infos

    def render(self) -> Any:
        """The pending request of the first debate as text, with `render_mode="ansi"`."""
        text = self.table.render()
        return None if text is None else (text,)

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the program."""
        self.table.close()


def gym_env(scenario: str | Path, seat: str = "opponent", **options: Any) -> DebateGym:
    """Creates a Gymnasium environment of one seat. `scenario` is a name or a file. `options`: `points` (21), `rewards`
    ("payoff" or "points"), `illegal_reward` (-1), `render_mode` ("ansi"), the players of the other seats as `prover` or
    `opponent` and `judge`, and `protocol` and `instance` as in the message `new`."""
    return DebateGym(scenario, seat, **options)


def vector_env(scenario: str | Path, num_envs: int, seat: str = "opponent", **options: Any) -> DebateVectorEnv:
    """Creates a Gymnasium vector environment: one seat of `num_envs` debates that are stepped together. `options` are
    those of `gym_env`."""
    return DebateVectorEnv(num_envs, scenario, seat, **options)


def env(scenario: str | Path, seats: Sequence[str] = SEATS, **options: Any) -> Any:
    """Creates an AEC environment of PettingZoo in its usual wrapper. `options` are those of `gym_env`."""
    from .zoo import DebateAEC, wrapped

    return wrapped(DebateAEC(scenario, seats, **options))


def parallel_env(scenario: str | Path, seats: Sequence[str] = SEATS, **options: Any) -> Any:
    """Creates a parallel environment of PettingZoo. A seat without a request takes the last action, to wait."""
    from .zoo import DebateParallel

    return DebateParallel(scenario, seats, **options)


# Without an installed package, Gymnasium does not find the entry point.
register()
