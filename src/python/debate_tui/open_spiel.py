"""Small debates as games of OpenSpiel.

    import pyspiel
    import debate_tui.open_spiel

    game = debate_tui.open_spiel.game("hidden-flaw", prover_knows="nothing")
    same = pyspiel.load_game("debate(scenario=hidden-flaw,prover_knows=nothing)")

The game is the one that `debate-tui equilibrium --all` solves: player 0 is the prover, player 1 the opponent, and coins,
the judge and the draw of the instance are chance. The sum of the payoffs is 0. `export --to efg` writes the whole tree
once, so states are cheap to copy, and a large debate is refused (`max_nodes`).

An information state names the information set of the player to move, after the player's own earlier sets and actions. A
player who is not to move has only the latter.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel as _pyspiel

from .program import DebateError, text_of

# OpenSpiel has no types.
pyspiel: Any = _pyspiel

#: The parameters of the game with their default values; an empty text means the default of the scenario. `points` is the
#: number of evenly spaced probabilities that a player can state.
PARAMETERS: dict[str, Any] = {
    "scenario": "hidden-flaw",
    "points": 3,
    "prover_knows": "",
    "opponent_knows": "",
    "instance": "",
    "protocol": "",
    "judge": "",
    "max_nodes": 100_000,
}

GAME_TYPE = pyspiel.GameType(
    short_name="debate",
    long_name="Debate",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification=PARAMETERS,
)


class Node:
    """A position of the game."""

    __slots__ = ("children", "labels", "name", "payoff", "player", "set", "shares")

    def __init__(self, name: str) -> None:
        self.name = name
        #: 0 for the prover, 1 for the opponent, else a value of `pyspiel.PlayerId`.
        self.player: int = pyspiel.PlayerId.TERMINAL
        #: The index of the information set among those of the player.
        self.set = -1
        self.labels: list[str] = []
        self.children: list[int] = []
        #: The probabilities of a chance node.
        self.shares: list[float] = []
        #: The payoff of the prover, at the end.
        self.payoff = 0.0


class Tree:
    """The tree of a game. States share it."""

    def __init__(self, text: str) -> None:
        """Reads a game in extensive form, as `export --to efg` writes it: one node a line, depth first."""
        self.nodes: list[Node] = []
        # For each node without all its children: its index, and the number of missing children.
        unfinished: list[list[int]] = []
        for line in text.splitlines()[1:]:
            node = _node(line)
            index = len(self.nodes)
            self.nodes.append(node)
            if unfinished:
                parent = unfinished[-1]
                self.nodes[parent[0]].children.append(index)
                parent[1] -= 1
                if parent[1] == 0:
                    unfinished.pop()
            if node.labels:
                unfinished.append([index, len(node.labels)])
        moves = [node for node in self.nodes if node.player >= 0]
        self.sets = [1 + max((node.set for node in moves if node.player == player), default=-1) for player in (0, 1)]
        self.most_actions = max((len(node.labels) for node in moves), default=1)
        draws = [node for node in self.nodes if node.player == pyspiel.PlayerId.CHANCE]
        self.most_outcomes = max((len(node.labels) for node in draws), default=0)
        ends = [node.payoff for node in self.nodes if not node.labels]
        self.extent = max(abs(payoff) for payoff in ends)
        self.length = self._longest()

    def _longest(self) -> int:
        """Returns the largest number of moves of the players on a path."""
        most = 0
        depths = [0] * len(self.nodes)
        for index, node in enumerate(self.nodes):
            most = max(most, depths[index])
            for child in node.children:
                depths[child] = depths[index] + (node.player >= 0)
        return most

    def __deepcopy__(self, memo: Any) -> Tree:
        # OpenSpiel copies a state with everything that it refers to.
        return self


def _node(line: str) -> Node:
    """Reads a line: `p "NAME" PLAYER SET "SET NAME" { "ACTION" … } 0`, `c … { "OUTCOME" SHARE … } 0`, or
    `t "NAME" NUMBER "OUTCOME" { PAYOFF PAYOFF }`."""
    parts = line.split('"')
    node = Node(parts[1])
    inside = line[line.index("{") + 1 : line.rindex("}")]
    if line[0] == "t":
        node.payoff = float(Fraction(inside.split()[0]))
    elif line[0] == "c":
        node.player = pyspiel.PlayerId.CHANCE
        node.labels = inside.split('"')[1::2]
        node.shares = [float(Fraction(share)) for share in inside.split('"')[2::2]]
    else:
        player, number = parts[2].split()
        node.player, node.set = int(player) - 1, int(number) - 1
        node.labels = inside.split('"')[1::2]
    return node


class DebateGame(pyspiel.Game):
    """A debate. `params` are values of `PARAMETERS`."""

    def __init__(self, params: Any = None) -> None:
        given: dict[str, Any] = dict(params or {})
        if unknown := sorted(given.keys() - PARAMETERS.keys()):
            raise DebateError(f"the game has no parameter {unknown[0]!r}; it has {', '.join(PARAMETERS)}")
        values = {**PARAMETERS, **given}
        self.tree = _tree(**values)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.tree.most_actions,
            max_chance_outcomes=self.tree.most_outcomes,
            num_players=2,
            min_utility=-self.tree.extent,
            max_utility=self.tree.extent,
            utility_sum=0.0,
            max_game_length=self.tree.length,
        )
        super().__init__(GAME_TYPE, info, values)  # pyright: ignore[reportUnknownMemberType]

    def new_initial_state(self) -> DebateState:
        """Returns the state before the first move."""
        return DebateState(self, self.tree)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> DebateObserver:
        """Returns an observer of information states."""
        if params:
            raise DebateError("observers of a debate have no parameters")
        return DebateObserver(self.tree)


@functools.lru_cache(maxsize=8)
def _tree(**params: Any) -> Tree:
    """Exports the game in extensive form, and reads it. OpenSpiel makes a game again each time that it reads a state."""
    last = params["points"] - 1
    if last < 1:
        raise DebateError("`points` must be at least 2")
    words = ["export", params["scenario"], "--to", "efg", "--most-nodes", str(params["max_nodes"])]
    words += ["--grid", ",".join(str(Fraction(point, last)) for point in range(last + 1))]
    for name in ("prover_knows", "opponent_knows", "instance", "protocol", "judge"):
        if params[name]:
            words += [f"--{name.replace('_', '-')}", params[name]]
    return Tree(text_of(words))


class DebateState(pyspiel.State):
    """A state of a debate."""

    def __init__(self, game: DebateGame, tree: Tree) -> None:
        super().__init__(game)  # pyright: ignore[reportUnknownMemberType]
        self.tree = tree
        self.index = 0
        #: The information sets and actions of each player so far.
        self.own: list[list[str]] = [[], []]

    @property
    def node(self) -> Node:
        """The current position."""
        return self.tree.nodes[self.index]

    def current_player(self) -> int:
        return self.node.player

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self.node.labels))) if player == self.node.player else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(enumerate(self.node.shares))

    def _apply_action(self, action: int) -> None:
        node = self.node
        if node.player >= 0:
            self.own[node.player].append(f"{node.set}:{node.labels[action]}")
        self.index = node.children[action]

    def _action_to_string(self, player: int, action: int) -> str:
        return self.node.labels[action]

    def is_terminal(self) -> bool:
        return not self.node.labels

    def returns(self) -> list[float]:
        payoff = self.node.payoff
        return [payoff, -payoff]

    def __str__(self) -> str:
        return f"{self.node.name} ({self.index})"


class DebateObserver:
    """Describes an information state: as a text, and as a tensor with a one for the player and a one for the information
    set of the player to move."""

    def __init__(self, tree: Tree) -> None:
        self.sets = max(tree.sets)
        self.tensor = np.zeros(2 + self.sets, np.float32)
        self.dict = {"player": self.tensor[:2], "information_set": self.tensor[2:]}

    def set_from(self, state: DebateState, player: int) -> None:
        """Writes the tensor."""
        self.tensor.fill(0)
        self.tensor[player] = 1
        if state.node.player == player:
            self.tensor[2 + state.node.set] = 1

    def string_from(self, state: DebateState, player: int) -> str:
        """Returns the text."""
        own = " ".join(state.own[player])
        if state.node.player != player:
            return f"{player} {own}"
        return f"{player} {own} {state.node.set}?"


def game(scenario: str, **params: Any) -> Any:
    """Creates the game of a scenario. `params` are values of `PARAMETERS`."""
    return DebateGame({"scenario": str(scenario), **params})


if GAME_TYPE.short_name not in pyspiel.registered_names():
    pyspiel.register_game(GAME_TYPE, DebateGame)
