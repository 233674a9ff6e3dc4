"""AI-safety debate: play debates, control them from Python, compute their values, and train agents.

    import debate_tui

    with debate_tui.Session() as s:
        debate = s.new("primes", prover="obfuscator", opponent=lambda act: {"probability": "1/2"})
        print(debate.play()["reward"])
        print(s.solve("primes").data["value"])

`Session` and `AsyncSession` run the program. `debate_tui.env` and `debate_tui.parallel_env` return PettingZoo
environments, `debate_tui.gym_env` and `debate_tui.vector_env` Gymnasium environments, which `gymnasium.make` finds as
`debate_tui/Debate-v0`. `debate_tui.open_spiel` has games of OpenSpiel. `debate_tui.cluster` distributes work over
machines.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import registration
from .program import Crashed, DebateError, Forfeit, Refused, Result, command, run
from .session import AsyncDebate, AsyncSession, Debate, Reply, Seat, Session

if TYPE_CHECKING:
    from .environments import env, gym_env, parallel_env, vector_env

__all__ = [
    "AsyncDebate",
    "AsyncSession",
    "Crashed",
    "Debate",
    "DebateError",
    "Forfeit",
    "Refused",
    "Reply",
    "Result",
    "Seat",
    "Session",
    "command",
    "env",
    "gym_env",
    "parallel_env",
    "run",
    "vector_env",
]


def __getattr__(name: str) -> Any:
    # Imported on first use, because these libraries are optional.
    if name in ("env", "gym_env", "parallel_env", "vector_env"):
        from . import environments

        return getattr(environments, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# If Gymnasium is imported later, it finds the entry point of the installed package.
if "gymnasium" in sys.modules:
    registration.register()
