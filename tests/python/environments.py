"""Runs the unmodified tests of PettingZoo and Gymnasium on the environments of eight scenarios."""

import contextlib
import io
import time
import warnings
from importlib.metadata import version

import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.classic import tictactoe_v3
from pettingzoo.test import api_test, parallel_api_test, seed_test

import debate_tui

SCENARIOS = "caffeine caffeine-choice law one-question parity primes primes-recursive three-receipts".split()


def made(make, *arguments, **options):
    return contextlib.closing(make(*arguments, **options))


def foreign_tests(scenario: str) -> None:
    with made(debate_tui.env, scenario) as env:
        api_test(env, num_cycles=200)
    with made(debate_tui.parallel_env, scenario) as env:
        parallel_api_test(env, num_cycles=100)
    seed_test(lambda: debate_tui.env(scenario), num_cycles=50)
    for seat in ("prover", "opponent"):
        with made(debate_tui.gym_env, scenario, seat) as env:
            check_env(env)


def rewards_are_the_payoff() -> None:
    """The rewards of both seats sum to the payoff, or in points to its multiple."""
    totals = {}
    for rewards in ("payoff", "points"):
        with made(debate_tui.env, "primes-small", rewards=rewards) as env:
            env.reset(seed=7)
            env.action_space("prover").seed(7)
            env.action_space("opponent").seed(8)
            total = dict.fromkeys(env.agents, 0.0)
            while env.agents:
                observed, _, over, cut, _ = env.last()
                legal = observed["action_mask"]
                assert over or cut or legal.any()
                env.step(None if over or cut else env.action_space(env.agent_selection).sample(legal))
                for agent, reward in env.rewards.items():
                    total[agent] += reward if not over else 0.0
            table = env.unwrapped.table
            assert abs(total["prover"] + total["opponent"]) < 1e-9
            assert abs(total["prover"] * table.point - table.payoffs[0]) < 1e-12
            totals[rewards] = total["prover"], table.point
    assert abs(totals["payoff"][0] - totals["points"][0] * totals["points"][1]) < 1e-12
    assert totals["points"][1] != 1


def what_is_not_legal_loses() -> None:
    with made(debate_tui.gym_env, "hidden-flaw", "prover", illegal_reward=-3.0) as env:
        observed, _ = env.reset(seed=7)
        illegal = np.flatnonzero(observed["action_mask"] == 0)[0]
        _, reward, over, _, info = env.step(illegal)
        assert (reward, over, info) == (-3.0, True, {"illegal": True})
        env.reset()


def what_has_no_actions_or_payoff_is_refused() -> None:
    for scenario, seats, why in (
        ("lighthouse", ("prover",), "too many replies to number"),
        ("primes", ("judge",), 'a judge has no payoff to learn from; `seats` can contain "prover" and "opponent"'),
        ("primes", ("prover", "judge"), "a judge has no payoff"),
        ("primes", ("alice",), '`seats` must contain "prover", "opponent" or both'),
        ("primes", (), '`seats` must contain "prover", "opponent" or both'),
    ):
        try:
            debate_tui.env(scenario, seats)
        except debate_tui.DebateError as error:
            assert why in str(error), error
        else:
            raise AssertionError(scenario)


def steps_a_second(env, seconds: float = 1.0) -> float:
    env.reset(seed=0)
    steps, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        if not env.agents:
            env.reset()
        for _ in range(50):
            if not env.agents:
                break
            observed, _, over, cut, _ = env.last()
            legal = np.flatnonzero(observed["action_mask"])
            env.step(None if over or cut else int(legal[0]))
            steps += 1
    return steps / (time.perf_counter() - begun)


def vector_steps_a_second(count: int = 64, seconds: float = 1.0) -> float:
    with made(debate_tui.vector_env, "primes", count) as envs:
        observed, _ = envs.reset(seed=7)
        steps, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            observed, *_ = envs.step(observed["action_mask"].argmax(axis=1))
            steps += count
        return steps / (time.perf_counter() - begun)


def batch_steps_a_second(count: int = 64, seconds: float = 1.0) -> float:
    with debate_tui.Session() as s:
        opened = s.open("primes", ["prover", "opponent"], count, seed="7")
        slots, steps = opened["slots"], 0
        begun = time.perf_counter()
        while time.perf_counter() - begun < seconds:
            slots = s.step(opened["batch"], [None if slot.get("seat") is None else 0 for slot in slots])["slots"]
            steps += count
        return steps / (time.perf_counter() - begun)


warnings.simplefilter("ignore")
for scenario in SCENARIOS:
    with contextlib.redirect_stdout(io.StringIO()):
        foreign_tests(scenario)
    print(f"{scenario}: api_test, parallel_api_test, seed_test, check_env pass")
rewards_are_the_payoff()
what_is_not_legal_loses()
what_has_no_actions_or_payoff_is_refused()
print(", ".join(f"{library} {version(library)}" for library in ("pettingzoo", "gymnasium", "numpy")))
print(f"{batch_steps_a_second():.0f} steps a second of 64 debates")
print(f"{vector_steps_a_second():.0f} steps a second of a vector environment of 64 debates")
with made(debate_tui.env, "primes") as env:
    print(f"{steps_a_second(env):.0f} steps a second through the AEC wrapper")
print(f"{steps_a_second(tictactoe_v3.env()):.0f} steps a second of PettingZoo's tictactoe")
print("ok")
