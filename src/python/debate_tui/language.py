"""Seats for players that answer in text, such as language models."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from .program import Forfeit, Refused

if TYPE_CHECKING:
    from .documents import FromServerAct, FromServerEnd, PlayReport
    from .session import AsyncDebate


def object_in(text: str) -> Any:
    """Returns the last JSON object in an answer, which may be in a fenced block or inside other text. Returns an answer
    without an object unchanged, so that the server refuses it with a reason."""
    found: Any = text
    at = text.find("{")
    while at >= 0:
        try:
            found, at = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            at += 1
        at = text.find("{", at)
    return found


class Speaker:
    """A seat whose player receives a text and answers with a text. After an illegal reply, the player is asked once
    more, with the reason; a second illegal reply loses the debate. `ask` takes the text and the request."""

    def __init__(self, ask: Callable[[str, FromServerAct], Awaitable[str]]) -> None:
        self.ask = ask
        self.tries = 0
        self._request = 0
        #: The reason why the last reply to this request was illegal.
        self.refusal = ""

    async def reply(self, request: FromServerAct) -> Any:
        if request["id"] != self._request:
            self._request, self.tries = request["id"], 0
        self.tries += 1
        if self.tries > 2:
            raise Forfeit("illegal")
        text = request.get("text") or "" if self.tries == 1 else f"This reply is illegal: {self.refusal}"
        return object_in(await self.ask(text, request))


def worst_payoff(outcome: PlayReport, seat: str) -> float:
    """Returns the worst payoff of a debater under the rules; 0 for a judge. A forfeit receives this payoff, so that
    giving up is never better than playing."""
    if seat == "judge":
        return 0.0
    # Each round is a bet of at most its weight. The initial round pays Alice 0 or its weight.
    rounds = [one for one in outcome["by_round"] if not (seat == "prover" and one["round"] == "init")]
    return -sum(one["weight"] for one in rounds)


async def play(debate: AsyncDebate, speakers: Mapping[str, Speaker]) -> FromServerEnd:
    """Plays a debate with these speakers to its end, and returns its `end` message."""
    while True:
        try:
            return await debate.play()
        except Refused as refused:
            if refused.kind != "illegal" or debate.pending is None:
                raise
            speakers[debate.pending].refusal = refused.why
