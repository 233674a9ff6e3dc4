"""Tests Gymnasium environments: vectors, versioned ids, copies, rendering, files, and errors."""

import copy
import os
import pickle
import tempfile
from pathlib import Path

import gymnasium
import numpy as np

import debate_tui

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def refusal(action, *arguments, **options) -> str:
    try:
        action(*arguments, **options)
    except debate_tui.DebateError as error:
        return str(error)
    raise AssertionError(f"{action} is not refused")


def legal(observed):
    return np.array([np.flatnonzero(mask)[0] if mask.any() else 0 for mask in observed["action_mask"]])


def vectors() -> None:
    makes = [lambda: debate_tui.gym_env("primes-small")] * 2
    seen = []
    for kind in (gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv):
        envs = kind(makes)
        observed, info = envs.reset(seed=0)
        ends = 0
        for _ in range(20):
            # A finished debate has no request, so its info is empty.
            assert all(info[name].dtype == np.int64 for name in ("seen", "claim") if name in info)
            observed, _, over, _, info = envs.step(legal(observed))
            ends += over.sum()
        assert ends >= 2
        seen.append(observed["observation"].tolist())
        envs.close()
    assert seen[0] == seen[1], seen


def ids() -> None:
    # The package must not be installed: its entry point would register the name without the module.
    env = gymnasium.make("debate_tui.environments:debate_tui/Debate-v0", scenario="primes-small", render_mode="ansi")
    env.reset(seed=7)
    assert "seed 7" in env.render() and "The opponent is asked for probability" in env.render(), env.render()
    assert "Legal actions: 0 to 20." in env.render()
    over = False
    while not over:
        _, _, over, _, _ = env.step(np.array([0]))
    assert env.render().endswith("The debate is over.")
    assert env.spec.id == "debate_tui/Debate-v0" and env.spec.to_json()
    env.close()
    envs = gymnasium.make_vec("debate_tui/Debate-v0", num_envs=2, scenario="primes-small", seat="prover")
    assert envs.reset(seed=1)[0]["action_mask"].any()
    envs.close()
    assert "render_mode" in refusal(debate_tui.gym_env, "primes-small", render_mode="human")


def copies() -> None:
    env = debate_tui.gym_env("primes-small")
    assert env.render() is None
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        assert "cannot be copied or pickled" in refusal(make, env)
    assert "whole number" in refusal(env.step, 0.5)
    env.close()


def files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)
        Path("mine.ron").write_text((SCENARIOS / "primes-small.ron").read_text())
        Path("bad.ron").write_text("Scenario(")
        try:
            infos = []
            for scenario in ("mine.ron", Path("mine.ron"), Path(folder) / "mine.ron", "primes-small"):
                env = debate_tui.gym_env(scenario)
                infos.append(env.reset(seed=7)[1])
                env.close()
            assert infos[:3] == infos[1:], infos
            assert "scenario file nowhere.ron does not exist" in refusal(debate_tui.gym_env, "nowhere.ron")
            assert "bad.ron:1:10" in refusal(debate_tui.gym_env, "bad.ron")
        finally:
            os.chdir(here)


def unsuitable_scenarios() -> None:
    for scenario in ("turing", "multiplier", "primes-certificate", "qbf", "qbf-false", "lighthouse", "open"):
        for seat in ("prover", "opponent"):
            players = {other: "honest" for other in ("prover", "opponent") if other != seat} if scenario == "open" else {}
            why = refusal(debate_tui.gym_env, scenario, seat, **players)
            assert "too many replies to number" in why or "plays" in why, why


vectors()
ids()
copies()
files()
unsuitable_scenarios()
print("ok")
