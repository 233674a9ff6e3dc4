"""Registers environments for `gymnasium.make`. Gymnasium imports this module during its own import."""

from __future__ import annotations

NAME = "debate_tui/Debate-v0"


def register() -> None:
    """Registers `debate_tui/Debate-v0`, one seat of a debate, as an environment and as a vector environment. Its
    options are `scenario` ("primes"), `seat` ("opponent") and the options of `gym_env`."""
    from gymnasium.envs import registration

    if NAME not in registration.registry:
        registration.register(  # pyright: ignore[reportUnknownMemberType]
            NAME,
            "debate_tui.environments:DebateGym",
            vector_entry_point="debate_tui.environments:DebateVectorEnv",
            kwargs={"scenario": "primes"},
        )
