"""Checks the games of OpenSpiel with OpenSpiel's own tests, and its solutions with those of the program."""

from importlib.metadata import version

import debate_tui
import numpy as np
import pyspiel
from debate_tui import open_spiel
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, generate_playthrough

#: A small game in which both players have information sets of several positions.
GAME = {"scenario": "hidden-flaw", "prover_knows": "nothing", "points": 2}


def own_tests(params) -> None:
    """Plays random games with copies, serialization, and checks of every state; and a playthrough."""
    game = pyspiel.load_game("debate", params)
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    text = ",".join(f"{name}={value}" for name, value in params.items())
    lines = generate_playthrough.playthrough(f"debate({text})", action_sequence=None, seed=7)
    assert "IsTerminal() = True" in lines and "InformationStateString(0)" in lines, lines


def solutions(params, flags) -> None:
    """Counterfactual regret minimization comes close to the value that the program computes, and no strategy can exploit its
    average by more than OpenSpiel says."""
    game = open_spiel.game(**params)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    gap = exploitability.nash_conv(game, average)
    value = expected_game_score.policy_value(game.new_initial_state(), [average, average])[0]
    with debate_tui.Session() as s:
        found = s.equilibrium(params["scenario"], all=True, **flags).data
    scale = game.max_utility()
    assert 0 <= gap < 0.05 * scale, (gap, scale)
    assert found["lower"] - gap - 1e-9 <= value <= found["upper"] + gap + 1e-9, (value, gap, found)
    uniform = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    assert uniform > gap / 2, (uniform, gap)
    print(f"{params}: value {found['lower']:.6f}; CFR+ {value:.6f}, NashConv {gap:.1e}; uniform {uniform:.3f}")


def observers() -> None:
    """The tensor marks the player and the information set, of which a player has the same text in each position."""
    game = open_spiel.game("hidden-flaw", prover_knows="nothing")
    texts = {}
    for index, node in enumerate(game.tree.nodes):
        if node.player < 0:
            continue
        state = game.new_initial_state()
        for action in path_to(game.tree, index):
            state.apply_action(action)
        tensor = state.information_state_tensor(node.player)
        assert tensor[node.player] == 1 and tensor[2 + node.set] == 1 and sum(tensor) == 2
        text = state.information_state_string(node.player)
        assert texts.setdefault((node.player, node.set), text) == text
    assert len(set(texts.values())) == len(texts)


def path_to(tree, index):
    """Returns the actions from the root to a node."""
    parents = {child: (at, action) for at, node in enumerate(tree.nodes) for action, child in enumerate(node.children)}
    path = []
    while index:
        index, action = parents[index]
        path.append(action)
    return path[::-1]


def refusals() -> None:
    for params, why in (
        ({"scenario": "nowhere"}, "nowhere"),
        ({"points": 1}, "`points` must be at least 2"),
        ({"scenario": "primes", "max_nodes": 100}, "--most-nodes"),
        ({"grid": "0"}, "no parameter 'grid'"),
    ):
        try:
            open_spiel.DebateGame(params)
        except debate_tui.DebateError as error:
            assert why in str(error), error
        else:
            raise AssertionError(params)


own_tests(GAME)
solutions(GAME, {"prover_knows": "nothing", "grid": "0,1"})
observers()
refusals()
print(f"open_spiel {version('open_spiel')}, numpy {np.__version__}")
print("ok")
