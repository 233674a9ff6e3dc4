"""The client against the real program, which `DEBATE_TUI` names."""

import asyncio
import os
import signal
import tempfile
from pathlib import Path

import debate_tui


def even(request):
    return {"probability": "1/2"}


class Judge:
    def reply(self, request):
        assert request["request"]["kind"] == "oracle"
        return {"oracle": {"holds": True}}


def debates() -> None:
    with debate_tui.Session() as s:
        ends = [s.new("primes", prover="obfuscator", opponent=even, seed="7").play() for _ in range(2)]
        assert ends[0]["outcome"]["outcome"] == "finished" and ends[0]["reward"] == ends[1]["reward"]
        # Two seats of one debate; nothing is left over for the next one.
        end = s.new("primes-small", opponent=even, judge=Judge(), seed="7").play()
        assert end["outcome"]["outcome"] == "finished"
        assert not s._mail.waiting, s._mail.waiting
        # A reply that is not legal is refused, and the request stands.
        replies = iter([{"probability": "2"}, {"select": 0}, *[{"probability": "1/3"}] * 99])
        debate = s.new("primes-small", prover="obfuscator", opponent=lambda _: next(replies), seed="7")
        for _ in range(2):
            try:
                debate.play()
            except debate_tui.Refused as error:
                assert error.kind == "illegal", error
            else:
                raise AssertionError("it is not legal")
        assert debate.play()["outcome"]["outcome"] == "finished"
        def gives_up(_):
            raise debate_tui.Forfeit("timeout")

        end = s.new("primes-small", prover="obfuscator", opponent=gives_up, seed="7").play()
        assert end["outcome"]["forfeit"]["fault"] == "timeout", end["outcome"]
        try:
            s.new("nowhere", opponent=even)
        except debate_tui.Refused as error:
            assert error.kind == "bad_request" and "nowhere" in error.why
        else:
            raise AssertionError("there is no such scenario")


def inline() -> None:
    """A scenario of one's own, without a file."""
    text = (Path(__file__).parents[2] / "scenarios/primes-small.ron").read_text()
    with debate_tui.Session() as s:
        ends = [
            s.new(scenario, prover="obfuscator", opponent=even, seed="7").play()["reward"]
            for scenario in ("primes-small", {"inline": text})
        ]
        assert ends[0] == ends[1], ends


def questions() -> None:
    """A set of questions: each by its id in a folder that was allowed, and all of them as files of their own."""
    folder = Path(__file__).parents[1] / "questions"
    with debate_tui.Session(scenarios=folder) as s:
        for name in ("light", "tea"):
            asked = []

            def judge(request):
                asked.append(request["request"]["kind"])
                return {"continue": {"continue": False}, "speech": {"speech": "The first."}}.get(
                    asked[-1], {"probability": "3/4"}
                )

            end = s.new(f"set.jsonl#{name}", prover="quoter", opponent="quoter", judge=judge, seed="7").play()
            assert end["outcome"]["outcome"] == "finished" and "probability" in asked, asked
        try:
            s.new("set.jsonl#nobody", judge=Judge())
        except debate_tui.Refused as error:
            assert "nobody" in error.why, error
        else:
            raise AssertionError("there is no such question")


def saves() -> None:
    with tempfile.TemporaryDirectory() as folder, debate_tui.Session(saves=folder) as s:
        debate = s.new("primes-small", prover="obfuscator", opponent=even, save=True)
        debate.play()
        assert os.path.exists(debate.save)


def commands() -> None:
    with debate_tui.Session() as s:
        solved = s.solve("primes-small")
        assert abs(solved.data["value"]) < 1 and solved.rows() == [solved.data]
        assert s.simulate("primes-small", n=100, seed="7").data["debates"] == 100
        assert isinstance(s.check("primes-small").data["ok"], bool)
        try:
            s.solve("primes-small", grid="nonsense")
        except debate_tui.Refused as error:
            assert "grid" in error.why, error
        else:
            raise AssertionError("that is no grid")
        try:
            frame = solved.frame()
        except debate_tui.DebateError:
            print("skipped: there is neither pandas nor polars")
        else:
            assert len(frame) == 1


def ends() -> None:
    """A program that ends is an exception, whatever was being done."""
    with debate_tui.Session() as s:
        debate = s.new("primes", prover="obfuscator", opponent=even)
        s._process.send_signal(signal.SIGKILL)
        for _ in range(2):
            try:
                debate.play()
            except debate_tui.Crashed as error:
                assert error.code == -signal.SIGKILL, error
            else:
                raise AssertionError("it has ended")
    try:
        debate_tui.Session(saves="/dev/null/nowhere", nonsense=True)
    except debate_tui.Crashed as error:
        assert "--nonsense" in error.last_words, error
    else:
        raise AssertionError("there is no such flag")


def stuck() -> None:
    """A program that says nothing more is an exception too."""
    with debate_tui.Session() as s:
        s._process.send_signal(signal.SIGSTOP)
        s.timeout = 0.05
        try:
            s.new("primes", opponent=even)
        except TimeoutError:
            pass
        else:
            raise AssertionError("it was stopped")


async def at_once() -> None:
    async def reply(request):
        await asyncio.sleep(0)
        return even(request)

    async with debate_tui.AsyncSession() as s:
        begun = [await s.new("primes", prover="obfuscator", opponent=reply, seed=str(seed)) for seed in range(20)]
        ends = await asyncio.gather(*(debate.play() for debate in begun))
        assert all(end["outcome"]["outcome"] == "finished" for end in ends)
        assert (await s.check("primes-small")).data["ok"] in (True, False)
        batch = await s.open("primes-small", ["opponent"], 4, players={"prover": "obfuscator"}, seed="7")
        slots = (await s.step(batch["batch"], [0, 1, 2, 3]))["slots"]
        assert len(slots) == 4
        debate = await s.new("primes", prover="obfuscator", opponent=reply)
        s._process.kill()
        try:
            await debate.play()
        except debate_tui.Crashed as error:
            assert error.code == -signal.SIGKILL, error
        else:
            raise AssertionError("it has ended")


debates()
inline()
questions()
saves()
commands()
ends()
stuck()
asyncio.run(at_once())
print("ok")
