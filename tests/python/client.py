"""Tests the client with the program that `DEBATE_TUI` names."""

import asyncio
import contextlib
import copy
import gc
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import debate_tui
from debate_tui import documents


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
        # The types call these fields required although they may be null.
        for fields in ({**ends[0]}, ends[0]["outcome"]):
            kind = documents.PlayReport if "by_round" in fields else documents.FromServerEnd
            assert fields.keys() == kind.__required_keys__ == kind.__annotations__.keys(), fields.keys()
        # Two seats of one debate. No message remains for the next debate.
        end = s.new("primes-small", opponent=even, judge=Judge(), seed="7").play()
        assert end["outcome"]["outcome"] == "finished"
        assert s._mail.is_empty(), s._mail._boxes
        # An illegal reply is refused, and the request remains pending.
        replies = iter([{"probability": "2"}, {"select": 0}, *[{"probability": "1/3"}] * 99])
        debate = s.new("primes-small", prover="obfuscator", opponent=lambda _: next(replies), seed="7")
        for _ in range(2):
            try:
                debate.play()
            except debate_tui.Refused as error:
                assert error.kind == "illegal", error
            else:
                raise AssertionError("an illegal reply was accepted")
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
            raise AssertionError("an unknown scenario was accepted")


def inline() -> None:
    """Plays a scenario that the message contains."""
    text = (Path(__file__).parents[2] / "scenarios/primes-small.ron").read_text()
    with debate_tui.Session() as s:
        ends = [
            s.new(scenario, prover="obfuscator", opponent=even, seed="7").play()["reward"]
            for scenario in ("primes-small", {"inline": text})
        ]
        assert ends[0] == ends[1], ends


def questions() -> None:
    """Plays questions of a set, by id in an allowed folder, and as separate files."""
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
            raise AssertionError("an unknown question was accepted")


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
            raise AssertionError("an invalid grid was accepted")


def forks() -> None:
    """Copies of debates continue from their states."""
    with debate_tui.Session() as s:
        opened = s.open("primes", ["opponent"], 2, 3, players={"prover": "obfuscator"}, seed=7)
        first = s.step(opened["batch"], [1, 2])["slots"]
        fork = s.fork(opened["batch"], [1, 1, 0])
        assert fork["slots"] == [first[1], first[1], first[0]]
        # Only one copy moves.
        moved = s.step(fork["batch"], [0, 0, 0], keep=[1, 2])["slots"]
        assert moved[1:] == fork["slots"][1:] and moved[0] != fork["slots"][0]
        assert s.step(opened["batch"], [0, 0], keep=[0, 1])["slots"] == first
        varied = s.fork(opened["batch"], [0] * 20, seed=1)
        assert {slot["seen"] for slot in varied["slots"]} == {first[0]["seen"]}
        assert [slot["number"] for slot in varied["slots"]] == list(range(20))
        assert "no debate 2" in refusal(debate_tui.Refused, s.fork, opened["batch"], [2])
        assert "no running batch" in refusal(debate_tui.Refused, s.fork, "nowhere", [0])
        s.leave(fork["batch"])
        assert "no running batch" in refusal(debate_tui.Refused, s.step, fork["batch"], [0, 0, 0])
        assert s._mail.is_empty(), s._mail._boxes


def analyses() -> None:
    """Commands of analysis return their documents, and their rows as tables."""
    with tempfile.TemporaryDirectory() as folder, debate_tui.Session() as s:
        named = s.equilibrium("primes-small", prover=["honest", "obfuscator"], opponent=["bayes", "calibrated"])
        assert named.data["provers"] == ["honest", "obfuscator"], named.data
        optimal = s.equilibrium("hidden-flaw", all=True, grid="0,1/2,1")
        assert optimal.data["lower"] <= optimal.data["upper"]
        options = dict(scenario="primes-small", opponent=["bayes", "calibrated"], seed=7, n=2, saves=folder)
        played = s.match(**options)
        assert played.data["finished"] == 4 and len(played.rows()) == len(played.data["matchups"])
        plan = Path(folder) / "plan.ron"
        plan.write_text('Match(format: 1, scenarios: ["primes-small"], seed: "7", opponents: ["bayes"], debates: 2)')
        assert s.match(plan, saves=Path(folder) / "planned").data["finished"] == 2
        statements = s.theorems("PE Theorem 6.2")
        assert [row["name"] for row in statements.rows()] == [it["name"] for it in statements.data]
        trained = s.train("primes-small", "1/10", out=Path(folder) / "trained.ron")
        assert trained.data["indistinguishable"] and (Path(folder) / "trained.ron").exists()
        for result in (named, optimal, played, statements, trained, s.solve("primes-small")):
            page = result._repr_html_()
            assert page.startswith("<table>") and page.count("<tr>") >= len(result.rows()), page
        assert "delta" in refusal(debate_tui.Refused, s.train, "primes-small", 2)

        # A saved debate shows its exported page, another one its result.
        debate = s.new("primes-small", prover="obfuscator", opponent=even, seed=7)
        assert "not over" in debate._repr_html_()
        debate.play()
        assert "<table>" in debate._repr_html_() and "finished" in debate._repr_html_()
    with tempfile.TemporaryDirectory() as folder, debate_tui.Session(saves=folder) as s:
        debate = s.new("primes-small", prover="obfuscator", opponent=even, seed=7, save=True)
        debate.play()
        page = debate._repr_html_()
        assert page.startswith("<iframe sandbox=\"allow-scripts\" srcdoc=\"&lt;!"), page[:200]


def ends() -> None:
    """The end of the program raises an exception in every call."""
    with debate_tui.Session() as s:
        debate = s.new("primes", prover="obfuscator", opponent=even)
        s._process.send_signal(signal.SIGKILL)
        for _ in range(2):
            try:
                debate.play()
            except debate_tui.Crashed as error:
                assert error.code == -signal.SIGKILL, error
            else:
                raise AssertionError("an ended program answered")
    try:
        debate_tui.Session(saves="/dev/null/nowhere", nonsense=True)
    except debate_tui.Crashed as error:
        assert "--nonsense" in error.last_words, error
    else:
        raise AssertionError("an unknown flag was accepted")


def stuck() -> None:
    """A program that stops answering raises an exception."""
    with debate_tui.Session() as s:
        s._process.send_signal(signal.SIGSTOP)
        s.timeout = 0.05
        try:
            s.new("primes", opponent=even)
        except TimeoutError:
            pass
        else:
            raise AssertionError("a stopped program answered")


def refusal(kind, action, *arguments, **options):
    """Returns the message of the error that an action raises."""
    try:
        action(*arguments, **options)
    except kind as error:
        return str(error)
    raise AssertionError(f"{action} is not refused")


def threads() -> None:
    """Threads share a session, each with separate debates and batches."""
    with debate_tui.Session(timeout=60) as s:

        def plays(seed):
            end = s.new("primes-small", prover="obfuscator", opponent=even, seed=seed).play()
            opened = s.open("primes-small", ["opponent"], 2, players={"prover": "obfuscator"}, seed=seed)
            return end["reward"], [s.step(opened["batch"], [seed, 3])["slots"][0]["payoff"] for _ in range(2)]

        with ThreadPoolExecutor(8) as pool:
            at_once = list(pool.map(plays, range(16)))
        assert at_once == [plays(seed) for seed in range(16)]
        assert s._mail.is_empty(), s._mail._boxes

        # Only one thread at a time can play a debate.
        asked, go_on = threading.Event(), threading.Event()

        def waits(request):
            asked.set()
            go_on.wait(60)
            return even(request)

        debate = s.new("primes-small", prover="obfuscator", opponent=waits)
        first = threading.Thread(target=debate.play)
        first.start()
        asked.wait(60)
        assert "another thread" in refusal(debate_tui.DebateError, debate.play)
        go_on.set()
        first.join()
        assert debate.play()["outcome"]["outcome"] == "finished"


def forfeits() -> None:
    """A forfeit receives the worst payoff of all replies."""
    from debate_tui.language import worst_payoff

    def gives_up(_):
        raise debate_tui.Forfeit

    with debate_tui.Session(timeout=60) as s:
        for scenario in ("primes-small", "primes-recursive", "law", "parity", "hidden-flaw"):
            lost = s.new(scenario, prover=gives_up, seed=7).play()["outcome"]
            least = {seat: worst_payoff(lost, seat) for seat in ("prover", "opponent", "judge")}
            assert least["judge"] == 0 and least["opponent"] <= least["prover"] <= -1, least
            for seed in range(2):
                payoff = s.new(scenario, judge=Judge(), seed=seed).play()["outcome"]["payoff"]
                assert least["prover"] <= payoff <= -least["opponent"], (scenario, payoff, least)


def abandoned() -> None:
    """Garbage collection ends the process of a session. Unusable sessions raise an error at once."""
    s = debate_tui.Session()
    process = s._process
    debate = s.new("primes-small", prover="obfuscator", opponent=even)
    del s, debate
    gc.collect()
    assert process.returncode == 0, process.returncode

    s = debate_tui.Session()
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        assert "cannot be copied or pickled" in refusal(debate_tui.DebateError, make, s)
    if "fork" in multiprocessing.get_all_start_methods():
        said, saying = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(saying, refusal(debate_tui.DebateError, s.new, "primes", opponent=even).encode())
            finally:
                os._exit(0)
        os.close(saying)
        assert b"another process" in os.read(said, 1000)
        os.close(said)
        os.waitpid(child, 0)
    assert s.new("primes-small", prover="obfuscator", opponent=even).play()
    s.close()
    s.close()
    assert "closed" in refusal(debate_tui.DebateError, s.new, "primes", opponent=even)


class Array:
    """A stand-in for a numpy array or scalar."""

    def __init__(self, value):
        self.value = value

    def tolist(self):
        return self.value


def numbers() -> None:
    """Numbers and seeds may be Python or numpy values."""
    with debate_tui.Session(timeout=60) as s:
        rewards = {
            s.new("primes-small", prover="obfuscator", opponent=lambda _, half=half: {"probability": half}, seed=seed).play()["reward"]
            for seed in ("7", 7, Array(7))
            for half in ("1/2", 0.5, Array(0.5), Fraction(1, 2), Decimal("0.5"))
        }
        assert len(rewards) == 1, rewards
        for seed in (7.5, True, [7], Array([7])):
            assert "`seed` is" in refusal(debate_tui.DebateError, s.new, "primes-small", opponent=even, seed=seed)
        opened = s.open("primes-small", ("opponent",), Array(3), seed=Array(7), players={"prover": "obfuscator"})
        assert len(s.step(opened["batch"], Array([0, None, 2]))["slots"]) == 3
        assert s.simulate("primes-small", n=Array(100), seed=7).data["mean"] == s.simulate("primes-small", n=100, seed="7").data["mean"]
        for reply in ({"probability": float("nan")}, {"probability": object()}):
            debate = s.new("primes-small", prover="obfuscator", opponent=lambda _, reply=reply: reply)
            assert "JSON" in refusal(debate_tui.DebateError, debate.play)
        # Only the sender of an unreadable message gets the error, at once.
        for wrong in ({"number": "first"}, {"blind": 7}):
            assert "bad_json" in refusal(debate_tui.Refused, s.new, "primes-small", opponent=even, **wrong)
            assert "bad_json" in refusal(debate_tui.Refused, s.open, "primes-small", ["opponent"], **wrong)
        assert "bad_json" in refusal(debate_tui.Refused, s.step, opened["batch"], [0.5, 0, 0])
        assert s._mail.is_empty(), s._mail._boxes


def looks(mail, names):
    """Counts the messages that are examined until each waiter has its message, in reverse order."""
    for name in names:
        mail.put({"type": "act", "debate": name})
    seen = 0
    real = mail._open

    def counted(name):
        nonlocal seen
        box = real(name)
        seen += len(box or ())
        return box

    mail._open = counted
    for name in reversed(names):
        assert mail.take((name,))["debate"] == name
    return seen


def linear() -> None:
    """The work for a message is independent of the number of other waiters."""
    from debate_tui.session import _Mail

    counts = [looks(_Mail(), [str(number) for number in range(count)]) for count in (200, 2000)]
    assert counts == [200, 2000], counts
    # Only the waiter of a message is woken.
    mail, woken = _Mail(), []
    with contextlib.ExitStack() as stack:
        for number in range(100):
            stack.enter_context(mail.waiter((str(number),), lambda number=number: woken.append(number)))
        mail.put({"type": "act", "debate": "7"})
        assert woken == [7], woken
        mail.put({"type": "error", "kind": "too_long", "why": "a line"})
        assert len(woken) == 101


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
        # Only one task at a time can play a debate.
        debate = await s.new("primes", prover="obfuscator", opponent=reply)
        results = await asyncio.gather(debate.play(), debate.play(), return_exceptions=True)
        assert [type(result) for result in results] == [dict, debate_tui.DebateError], results
        assert s._mail.is_empty(), s._mail._boxes
        debate = await s.new("primes", prover="obfuscator", opponent=reply)
        s._process.kill()
        try:
            await debate.play()
        except debate_tui.Crashed as error:
            assert error.code == -signal.SIGKILL, error
        else:
            raise AssertionError("an ended program answered")


async def left() -> None:
    """Garbage collection ends the process of an asynchronous session."""
    s = debate_tui.AsyncSession()
    await s.__aenter__()
    process = s._process
    del s
    gc.collect()
    assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGKILL


debates()
inline()
questions()
saves()
commands()
forks()
analyses()
ends()
stuck()
threads()
forfeits()
abandoned()
numbers()
linear()
asyncio.run(left())
asyncio.run(at_once())
print("ok")
