"""Debates that this process drives, over `debate-tui serve --stdio`.

What is said is the same for both kinds of session: a generator says which message it wants next and what to send, and
a session with or without `await` does so.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Awaitable, Callable, Generator, Mapping
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeAlias, Union, cast

from .program import LAST_WORDS, Crashed, DebateError, Forfeit, Refused, Result, command, document, flags, run

if TYPE_CHECKING:
    from .documents import (
        Check,
        FromServerAct,
        FromServerEnd,
        FromServerOpened,
        FromServerStarted,
        FromServerStepped,
        Report,
        Simulation,
        Solution,
    )

#: Seconds within which the program must answer.
TIMEOUT = 600.0

Reply: TypeAlias = "Mapping[str, Any]"


class Replier(Protocol):
    """Somebody who sits in a seat."""

    def reply(self, request: FromServerAct) -> Reply | Awaitable[Reply]:
        """The reply to a request, such as `{"probability": "1/2"}`. `request["legal"]` is its JSON Schema."""
        ...


#: Who sits in a seat: the name of a built-in player, a function of the request, or an object with `reply(request)`.
Seat: TypeAlias = Union[str, Callable[["FromServerAct"], Any], Replier]

#: A scenario by name, or `{"inline": text}`: the scenario itself.
Scenario: TypeAlias = "str | Mapping[str, str]"

Message: TypeAlias = "dict[str, Any]"
# What a conversation wants: a message to be sent, or (None) the next one for these names.
Want: TypeAlias = "tuple[Message | None, tuple[str, ...]]"
Talk: TypeAlias = "Generator[Want, Any, Any]"

# Numbers for what has no handle yet.
_numbers = itertools.count()


class _Begun:
    """A debate: its handles and those who sit in its seats here."""

    def __init__(self, started: FromServerStarted, seats: Mapping[str, Seat]) -> None:
        handles = cast("dict[str, str]", started["debates"])
        self.save = started.get("save")
        self.handles = handles
        self.seats = {handles[seat]: player for seat, player in seats.items()}
        self.names = tuple(handles.values())
        self.end: FromServerEnd | None = None
        #: A request whose reply was not legal: it stands.
        self.pending: FromServerAct | None = None

    def pending_seat(self) -> str | None:
        handle = self.pending and self.pending["debate"]
        return next((seat for seat, own in self.handles.items() if own == handle), None)

    def answer(self, act: FromServerAct) -> Any:
        player = self.seats[act["debate"]]
        if isinstance(player, str):
            raise DebateError("this seat is built in")
        return player(act) if callable(player) else player.reply(act)


def _begin(scenario: Scenario, players: Mapping[str, Seat | None], options: Mapping[str, Any]) -> Talk:
    outside = {seat: player for seat, player in players.items() if player is not None and not isinstance(player, str)}
    name = f"new-{next(_numbers)}"
    new = {
        **options,
        "type": "new",
        "id": name,
        "scenario": scenario,
        "seats": list(outside),
        "players": {seat: player for seat, player in players.items() if isinstance(player, str)},
    }
    yield {key: value for key, value in new.items() if value is not None}, ()
    started = yield None, (name,)
    return _Begun(started, outside)


def _play(begun: _Begun) -> Talk:
    """Plays a debate to its end, and returns the message of its end. A reply that is not legal is refused."""
    asked: FromServerAct | None = None
    while begun.end is None:
        message: Any = begun.pending or (yield None, begun.names)
        if message["type"] == "end":
            begun.end = message
            # Each seat is told.
            for _ in begun.names[1:]:
                yield None, begun.names
        elif message["type"] == "act":
            begun.pending = message
            reply = yield {"answer": message}, ()
            begun.pending, asked = None, message
            if isinstance(reply, Forfeit):
                yield {"type": "forfeit", "debate": message["debate"], "fault": reply.fault}, ()
            else:
                yield {"type": "reply", "debate": message["debate"], "id": message["id"], "reply": reply}, ()
        else:
            begun.pending = asked
            raise Refused("illegal", message["why"])
    return begun.end


def _batch(scenario: Scenario, options: Mapping[str, Any]) -> Talk:
    name = f"open-{next(_numbers)}"
    yield {**options, "type": "open", "id": name, "scenario": scenario}, ()
    return (yield None, (name,))


def _step(batch: str, replies: list[int | None]) -> Talk:
    yield {"type": "step", "batch": batch, "replies": replies}, ()
    return (yield None, (batch,))


def _names(message: Message) -> list[str]:
    """Whom a message is for."""
    names = [message.get(key) for key in ("id", "debate", "batch")]
    return [name for name in names if isinstance(name, str)]


def _checked(message: Message) -> Message:
    if message["type"] == "error":
        raise Refused(message["kind"], message["why"])
    return message


class _Mail:
    """Messages that somebody else waits for."""

    def __init__(self) -> None:
        self.waiting: list[Message] = []

    def take(self, names: tuple[str, ...]) -> Message | None:
        for place, message in enumerate(self.waiting):
            own = _names(message)
            # An error that names nobody is everybody's.
            if set(own) & set(names) or (message["type"] == "error" and not own):
                return self.waiting.pop(place)
        return None


class Session:
    """A running program. Use it in a `with` statement, which ends it.

    `options` are flags of `serve`, such as `scenarios="folder"` or `saves="folder"`. `timeout`: the seconds within which
    the program must answer.
    """

    def __init__(self, timeout: float = TIMEOUT, **options: Any) -> None:
        self.timeout = timeout
        self._mail = _Mail()
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        words = [command(), "serve", "--stdio", *flags(options)]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._next()
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as out:
            pending = b""
            while chunk := out.read(1 << 20):
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    self._lines.put(line)
        # The end.
        self._lines.put(b"")

    def _next(self) -> Message:
        try:
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty:
            self._process.kill()
            raise TimeoutError(f"debate-tui has not answered within {self.timeout} seconds") from None
        if not line:
            self._lines.put(b"")
            raise self._crash()
        return json.loads(line)

    def _crash(self) -> Crashed:
        code: int | None = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(10)
        return Crashed(code, _end_of(self._errors))

    def _send(self, message: Message) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
        except (BrokenPipeError, ValueError, OSError) as error:
            raise self._crash() from error

    def _talk(self, talk: Talk, begun: _Begun | None = None) -> Any:
        """Does what a conversation wants."""
        answer: Any = None
        try:
            while True:
                message, names = talk.send(answer)
                answer = None
                if message is None:
                    while (answer := self._mail.take(names)) is None:
                        self._mail.waiting.append(self._next())
                    _checked(answer)
                elif "answer" in message:
                    assert begun is not None
                    try:
                        answer = begun.answer(message["answer"])
                    except Forfeit as given_up:
                        answer = given_up
                else:
                    self._send(message)
        except StopIteration as stop:
            return stop.value

    def new(
        self,
        scenario: Scenario,
        prover: Seat | None = None,
        opponent: Seat | None = None,
        judge: Seat | None = None,
        *,
        save: bool = False,
        **options: Any,
    ) -> Debate:
        """Begins a debate. A seat is the name of a built-in player, a function or an object with `reply`; `None` is as
        the scenario says. `options` are fields of the message `new`: `seed`, `number`, `instance`, `protocol`, `blind`,
        `text`, `history`."""
        players = {"prover": prover, "opponent": opponent, "judge": judge}
        return Debate(self, self._talk(_begin(scenario, players, {"save": save, **options})))

    def open(self, scenario: Scenario, seats: list[str], count: int = 1, points: int = 21, **options: Any) -> FromServerOpened:
        """Begins a batch: `count` debates that are stepped together. `players` names the others."""
        return self._talk(_batch(scenario, {"seats": seats, "count": count, "points": points, **options}))

    def step(self, batch: str, replies: list[int | None]) -> FromServerStepped:
        """Gives each debate of a batch the place of its reply; `None` begins the next debate in its place."""
        return self._talk(_step(batch, replies))

    def leave(self, handle: str) -> None:
        """Leaves a debate, or ends a batch."""
        self._send({"type": "leave", "debate": handle})

    def solve(self, scenario: str, **options: Any) -> Result[Solution]:
        """Exact values: `debate-tui solve`. Options are flags: `prover="best-response"`."""
        return Result(run(["solve", scenario, *flags(options)], self.timeout))

    def simulate(self, scenario: str, **options: Any) -> Result[Simulation]:
        """Many debates of built-in players: `debate-tui simulate`, with `n=1000, seed="7"`."""
        return Result(run(["simulate", scenario, *flags(options)], self.timeout))

    def check(self, scenario: str, **options: Any) -> Result[Check]:
        """Whether a scenario is sound and stable: `debate-tui check`."""
        return Result(run(["check", scenario, *flags(options)], self.timeout))

    def report(self, *paths: str, **options: Any) -> Result[Report]:
        """What judges made of debates: `debate-tui report`."""
        return Result(run(["report", *paths, *flags(options)], self.timeout), "conditions")

    def close(self) -> None:
        """Ends the program; debates under way are left."""
        with contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(5)
        self._errors.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Debate:
    """A debate that a `Session` began."""

    def __init__(self, session: Session, begun: _Begun) -> None:
        self._session = session
        self._begun = begun
        #: The path of its save, if one is kept.
        self.save = begun.save

    @property
    def pending(self) -> str | None:
        """The seat whose request stands because its last reply was not legal."""
        return self._begun.pending_seat()

    def play(self) -> FromServerEnd:
        """Asks those who sit here until the debate is over. `Refused` is raised for an illegal reply; play again to go on."""
        return self._session._talk(_play(self._begun), self._begun)  # pyright: ignore[reportPrivateUsage]


class AsyncSession:
    """The same with `await`: `async with AsyncSession() as s`. Debates are played at once, each by a task of its own."""

    def __init__(self, timeout: float = TIMEOUT, **options: Any) -> None:
        self.timeout = timeout
        self._words = [command(), "serve", "--stdio", *flags(options)]
        self._mail = _Mail()
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._arrived = asyncio.Condition()
        self._end: DebateError | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> AsyncSession:
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._words, stdin=pipe, stdout=pipe, stderr=self._errors, limit=1 << 26
        )
        assert self._process.stdout is not None
        if not await asyncio.wait_for(self._process.stdout.readline(), self.timeout):
            raise Crashed(await self._process.wait(), _end_of(self._errors))
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None or self._reader is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 5)
        except asyncio.TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reader
        self._errors.close()

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        while line := await self._process.stdout.readline():
            async with self._arrived:
                self._mail.waiting.append(json.loads(line))
                self._arrived.notify_all()
        code = await self._process.wait()
        async with self._arrived:
            self._end = Crashed(code, _end_of(self._errors))
            self._arrived.notify_all()

    async def _receive(self, names: tuple[str, ...]) -> Message:
        async with self._arrived:
            while (message := self._mail.take(names)) is None:
                if self._end is not None:
                    raise self._end
                await self._arrived.wait()
            return message

    async def _talk(self, talk: Talk, begun: _Begun | None = None) -> Any:
        assert self._process is not None and self._process.stdin is not None, "use it in `async with`"
        answer: Any = None
        try:
            while True:
                message, names = talk.send(answer)
                answer = None
                if message is None:
                    answer = _checked(await asyncio.wait_for(self._receive(names), self.timeout))
                elif "answer" in message:
                    assert begun is not None
                    try:
                        answer = begun.answer(message["answer"])
                        if inspect.isawaitable(answer):
                            answer = await answer
                    except Forfeit as given_up:
                        answer = given_up
                else:
                    self._process.stdin.write(json.dumps(message).encode() + b"\n")
                    with contextlib.suppress(ConnectionError):
                        await self._process.stdin.drain()
        except StopIteration as stop:
            return stop.value

    async def new(
        self,
        scenario: Scenario,
        prover: Seat | None = None,
        opponent: Seat | None = None,
        judge: Seat | None = None,
        *,
        save: bool = False,
        **options: Any,
    ) -> AsyncDebate:
        """Begins a debate, as `Session.new`; functions and `reply` may be coroutines."""
        players = {"prover": prover, "opponent": opponent, "judge": judge}
        return AsyncDebate(self, await self._talk(_begin(scenario, players, {"save": save, **options})))

    async def open(
        self, scenario: Scenario, seats: list[str], count: int = 1, points: int = 21, **options: Any
    ) -> FromServerOpened:
        """Begins a batch, as `Session.open`."""
        return await self._talk(_batch(scenario, {"seats": seats, "count": count, "points": points, **options}))

    async def step(self, batch: str, replies: list[int | None]) -> FromServerStepped:
        """Steps a batch, as `Session.step`."""
        return await self._talk(_step(batch, replies))

    async def _run(self, arguments: list[str]) -> Any:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            command(), *arguments, "--json", stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(), self.timeout)
        except BaseException:
            process.kill()
            await process.wait()
            raise
        return document(process.returncode, out.decode(), err.decode(errors="replace"))

    async def solve(self, scenario: str, **options: Any) -> Result[Solution]:
        """As `Session.solve`."""
        return Result(await self._run(["solve", scenario, *flags(options)]))

    async def simulate(self, scenario: str, **options: Any) -> Result[Simulation]:
        """As `Session.simulate`."""
        return Result(await self._run(["simulate", scenario, *flags(options)]))

    async def check(self, scenario: str, **options: Any) -> Result[Check]:
        """As `Session.check`."""
        return Result(await self._run(["check", scenario, *flags(options)]))

    async def report(self, *paths: str, **options: Any) -> Result[Report]:
        """As `Session.report`."""
        return Result(await self._run(["report", *paths, *flags(options)]), "conditions")


class AsyncDebate:
    """A debate that an `AsyncSession` began."""

    def __init__(self, session: AsyncSession, begun: _Begun) -> None:
        self._session = session
        self._begun = begun
        self.save = begun.save

    @property
    def pending(self) -> str | None:
        """The seat whose request stands because its last reply was not legal."""
        return self._begun.pending_seat()

    async def play(self) -> FromServerEnd:
        """As `Debate.play`."""
        return await self._session._talk(_play(self._begun), self._begun)  # pyright: ignore[reportPrivateUsage]


def _end_of(file: IO[bytes]) -> str:
    """The last words in a file of stderr."""
    size = file.seek(0, 2)
    file.seek(max(0, size - LAST_WORDS))
    return file.read().decode("utf-8", "replace")
