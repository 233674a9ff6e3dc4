"""Tests Gymnasium environments: vectors, versioned ids, copies, rendering, files, and errors."""

import copy
import os
import pickle
import subprocess
import sys
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


def first_legal(mask) -> int:
    return int(np.flatnonzero(mask)[0])


def batches() -> None:
    """A batch plays the debates of a single environment, in rows, and follows Gymnasium's rules of a vector."""
    single = debate_tui.gym_env("primes-small")
    returns = {}
    for number in range(12):
        observed, _ = single.reset(seed=5 if number == 0 else None)
        returns[number], over = 0.0, False
        while not over:
            observed, reward, over, _, _ = single.step(first_legal(observed["action_mask"]))
            returns[number] += reward
    single.close()

    envs = debate_tui.vector_env("primes-small", 4)
    assert envs.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    observed, infos = envs.reset(seed=5)
    assert envs.observation_space.contains(observed) and infos["_seen"].all(), infos
    found, running, over = {}, np.zeros(4), np.zeros(4, bool)
    while len(found) < 12:
        numbers = [slot["number"] for slot in envs.table.slots]
        observed, rewards, ended, cut, infos = envs.step(legal(observed))
        assert envs.observation_space.contains(observed) and not cut.any()
        # The step after the end begins the next debate, pays nothing and does not end.
        assert not rewards[over].any() and not ended[over].any()
        assert all(slot["number"] != number for slot, number, ends in zip(envs.table.slots, numbers, over) if ends)
        assert (infos["_seen"] == ~ended).all() if "_seen" in infos else ended.all()
        running += rewards
        for row in np.flatnonzero(ended):
            found[envs.table.slots[row]["number"]] = running[row]
            running[row] = 0.0
        over = ended
    for number in range(12):
        assert abs(found[number] - returns[number]) < 1e-12, (number, found, returns)
    # An illegal action ends its own debate only.
    observed, _ = envs.reset(seed=5)
    actions = legal(observed)
    actions[2] = envs.single_action_space.n - 1 if not observed["action_mask"][2][-1] else -1
    before = envs.table.slots[2]
    observed, rewards, ended, _, infos = envs.step(actions)
    assert rewards[2] == -1 and ended[2] and infos["illegal"].tolist() == [False, False, True, False], infos
    assert envs.table.slots[2] == before and infos["_illegal"][2]
    _, rewards, ended, _, _ = envs.step(legal(observed))
    assert rewards[2] == 0 and not ended[2] and envs.table.slots[2]["number"] != before["number"]
    assert "one seed" in refusal(envs.reset, seed=[1, 2, 3, 4])
    assert "cannot be copied or pickled" in refusal(copy.deepcopy, envs)
    envs.close()

    # The wrappers of Gymnasium work, and so do scenarios in which some debates have no request to the seat.
    envs = gymnasium.make_vec("debate_tui/Debate-v0", num_envs=3, scenario="primes-small", seat="prover")
    assert type(envs.unwrapped).__name__ == "DebateVectorEnv"
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    observed, _ = envs.reset(seed=1)
    for _ in range(30):
        observed, _, _, _, infos = envs.step(legal(observed))
    assert envs.episode_count > 3
    envs.close()


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
    # The package registers the id if Gymnasium was imported before it, and imports no other library.
    words = "import sys, gymnasium, debate_tui; print(gymnasium.spec('debate_tui/Debate-v0').vector_entry_point)"
    run = subprocess.run([sys.executable, "-c", words], capture_output=True, check=True, text=True)
    assert run.stdout == "debate_tui.environments:DebateVectorEnv\n", run
    words = "import sys, debate_tui; print([it for it in ('gymnasium', 'numpy', 'pyspiel') if it in sys.modules])"
    run = subprocess.run([sys.executable, "-c", words], capture_output=True, check=True, text=True)
    assert run.stdout == "[]\n", run
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
batches()
ids()
copies()
files()
unsuitable_scenarios()
print("ok")
