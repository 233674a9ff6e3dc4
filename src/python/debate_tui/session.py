"""Debates that this process controls, over `debate-tui serve --stdio`.

Both kinds of session share the conversations: generators that yield the messages to send and to wait for. The session
sends and receives them, with or without `await`.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import json
import os
import subprocess
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, Union, cast, overload

from .pages import debate_html
from .program import LAST_WORDS, Crashed, DebateError, Forfeit, Refused, Result, command, document, flags, plain, run

if TYPE_CHECKING:
    from .documents import (
        Check,
        EquilibriumReport,
        FromServerAct,
        FromServerEnd,
        FromServerOpened,
        FromServerStarted,
        FromServerStepped,
        MatchReport,
        OptimalReport,
        Report,
        Simulation,
        Solution1,
        SolveReport,
        Theorems,
        Training,
    )

#: The default time limit for an answer of the program, in seconds.
TIMEOUT = 600.0

Reply: TypeAlias = "Mapping[str, Any]"


class Replier(Protocol):
    """The player of a seat."""

    def reply(self, request: FromServerAct) -> Reply | Awaitable[Reply]:
        """Returns the reply to a request, such as `{"probability": "1/2"}`. `request["legal"]` is the JSON Schema of
        replies."""
        ...


#: The player of a seat: the name of a built-in player, a function of the request, or an object with `reply(request)`.
Seat: TypeAlias = Union[str, Callable[["FromServerAct"], Any], Replier]

#: The name of a scenario, or `{"inline": text}` with the text of a scenario.
Scenario: TypeAlias = "str | Mapping[str, str]"

Message: TypeAlias = "dict[str, Any]"
# A step of a conversation: a message to send, or None to wait for the next message for these names.
Want: TypeAlias = "tuple[Message | None, tuple[str, ...]]"
Talk: TypeAlias = "Generator[Want, Any, Any]"

# Numbers for requests that have no handle yet.
_numbers = itertools.count()


class _Begun:
    """A debate: its handles, and the players of this process."""

    def __init__(self, started: FromServerStarted, seats: Mapping[str, Seat]) -> None:
        handles = cast("dict[str, str]", started["debates"])
        self.save = started.get("save")
        self.handles = handles
        self.seats = {handles[seat]: player for seat, player in seats.items()}
        self.names = tuple(handles.values())
        self.end: FromServerEnd | None = None
        #: The pending request after an illegal reply.
        self.pending: FromServerAct | None = None

    def pending_seat(self) -> str | None:
        handle = self.pending and self.pending["debate"]
        return next((seat for seat, own in self.handles.items() if own == handle), None)

    def answer(self, act: FromServerAct) -> Any:
        player = self.seats[act["debate"]]
        if isinstance(player, str):
            raise DebateError("a built-in player has this seat")
        return player(act) if callable(player) else player.reply(act)


def _begin(scenario: Scenario, players: Mapping[str, Seat | None], options: Mapping[str, Any]) -> Talk:
    outside = {seat: player for seat, player in players.items() if player is not None and not isinstance(player, str)}
    name = f"new-{next(_numbers)}"
    new = {
        **options,
        "type": "new",
        "id": name,
        "scenario": scenario,
        "seed": _seed(options),
        "seats": list(outside),
        "players": {seat: player for seat, player in players.items() if isinstance(player, str)},
    }
    yield {key: value for key, value in new.items() if value is not None}, ()
    started = yield None, (name,)
    return _Begun(started, outside)


def _play(begun: _Begun) -> Talk:
    """Plays a debate to its end, and returns its `end` message. Raises `Refused` for an illegal reply."""
    asked: FromServerAct | None = None
    while begun.end is None:
        message: Any = begun.pending or (yield None, begun.names)
        if message["type"] == "end":
            begun.end = message
            # The server sends one `end` message for each seat.
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
    yield {**options, "type": "open", "id": name, "scenario": scenario, "seed": _seed(options)}, ()
    return (yield None, (name,))


def _seed(options: Mapping[str, Any]) -> str | None:
    """Returns the seed as text."""
    seed = plain(options.get("seed"))
    if seed is None or isinstance(seed, str):
        return seed
    if isinstance(seed, int) and not isinstance(seed, bool):
        return str(seed)
    raise DebateError(f"`seed` is {seed!r}; it must be a whole number or a text")


def _line(message: Message) -> bytes:
    """Encodes a message as a line of JSON, with numpy values as Python numbers and lists, and fractions as text."""
    try:
        return json.dumps(message, default=_jsonable, allow_nan=False).encode() + b"\n"
    except ValueError:
        raise DebateError(f"this message contains NaN or infinity, which JSON cannot hold: {message}") from None
    except TypeError as error:
        raise DebateError(f"this message cannot be written as JSON ({error}): {message}") from None


def _jsonable(value: Any) -> Any:
    made = plain(value)
    if made is value:
        raise TypeError(f"{type(value).__name__} is not a JSON type")
    return made


def _step(batch: str, replies: Sequence[int | None], keep: Sequence[int]) -> Talk:
    yield {"type": "step", "batch": batch, "replies": replies, "keep": keep}, ()
    return (yield None, (batch,))


def _fork(batch: str, slots: Sequence[int], seed: Any) -> Talk:
    name = f"fork-{next(_numbers)}"
    yield {"type": "fork", "id": name, "batch": batch, "slots": slots, "seed": _seed({"seed": seed})}, ()
    return (yield None, (name,))


def _leave(handle: str) -> Talk:
    yield {"type": "leave", "debate": handle}, ()


def _names(message: Message) -> list[str]:
    """Returns the names of the debates, batches and requests that a message is for."""
    if message["type"] == "hello":
        return ["hello"]
    names = [message.get(key) for key in ("id", "debate", "batch")]
    return [name for name in names if isinstance(name, str)]


def _checked(message: Message) -> Message:
    if message["type"] == "error":
        raise Refused(message["kind"], message["why"])
    return message


class _Mail:
    """The received messages that no thread or task has taken yet, by the names that they are for.

    Threads and tasks wait here. A waiter is a function that is called when a message for it, or the end, arrives.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        # A letter is a list of a message and its number. Taking a message empties its letter, which may be in several boxes.
        self._boxes: dict[str, deque[list[Any]]] = {}
        # Errors without a name. The next waiter takes them.
        self._unnamed: deque[list[Any]] = deque()
        self._waiters: dict[str, dict[int, Callable[[], None]]] = {}
        self._claimed: set[str] = set()
        self._end: BaseException | None = None

    def put(self, message: Message) -> None:
        """Stores a message and wakes its waiter."""
        names = _names(message)
        letter: list[Any] = [next(self._numbers), message]
        with self._lock:
            for name in names:
                self._boxes.setdefault(name, deque()).append(letter)
            if not names and message["type"] == "error":
                self._unnamed.append(letter)
                names = list(self._waiters)
            self._wake(names)

    def end(self, error: BaseException) -> None:
        """Records that no more messages will arrive, and wakes every waiter."""
        with self._lock:
            self._end = self._end or error
            self._wake(list(self._waiters))

    def _wake(self, names: list[str]) -> None:
        for name in names:
            for wake in self._waiters.get(name, {}).values():
                wake()

    def take(self, names: tuple[str, ...]) -> Message | None:
        """Removes and returns the first message for one of these names; `None` if there is no message. After the last
        message, raises the error that ended the session."""
        with self._lock:
            boxes = [box for name in names if (box := self._open(name))]
            if self._unnamed:
                boxes.append(self._unnamed)
            if boxes:
                letter = min(boxes, key=lambda box: box[0][0]).popleft()
                message: Message = letter[1]
                letter.clear()
                return message
            if self._end is not None:
                raise self._end
            return None

    def _open(self, name: str) -> deque[list[Any]] | None:
        """Returns the box of a name, without taken letters at its front; `None` if it has no message."""
        box = self._boxes.get(name)
        while box and not box[0]:
            box.popleft()
        if box is not None and not box:
            del self._boxes[name]
        return box or None

    @contextlib.contextmanager
    def waiter(self, names: tuple[str, ...], wake: Callable[[], None]) -> Generator[None]:
        """Calls `wake` for each message for one of these names."""
        number = next(_numbers)
        with self._lock:
            for name in names:
                self._waiters.setdefault(name, {})[number] = wake
        try:
            yield
        finally:
            with self._lock:
                for name in names:
                    waiters = self._waiters[name]
                    del waiters[number]
                    if not waiters:
                        del self._waiters[name]

    @contextlib.contextmanager
    def claim(self, names: tuple[str, ...]) -> Generator[None]:
        """Refuses a second thread or task that plays the same debate or steps the same batch."""
        with self._lock:
            if not self._claimed.isdisjoint(names):
                raise DebateError(
                    "another thread or task uses this debate or batch; wait for it, or begin one debate or batch for each thread"
                )
            self._claimed.update(names)
        try:
            yield
        finally:
            with self._lock:
                self._claimed.difference_update(names)

    def is_empty(self) -> bool:
        """Returns True if all messages were taken."""
        with self._lock:
            names = list(self._boxes)
            return not self._unnamed and not any(self._open(name) for name in names)


class _Uncopied:
    """Refuses copies and pickles, because a session controls a process."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise DebateError(
            "a session controls a process and cannot be copied or pickled; begin one in each process"
        )


def _read(out: IO[bytes], mail: _Mail, crash: Callable[[], Crashed]) -> None:
    """Puts each line of the program into the mail. Holds no reference to the session, so that an unused session can be
    collected."""
    try:
        with out:
            pending = b""
            while chunk := out.read(1 << 20):
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    mail.put(json.loads(line))
    except Exception as error:
        mail.end(error)
    else:
        mail.end(crash())


def _crash(process: subprocess.Popen[bytes], errors: IO[bytes]) -> Crashed:
    code: int | None = None
    with contextlib.suppress(subprocess.TimeoutExpired):
        code = process.wait(10)
    try:
        return Crashed(code, _end_of(errors))
    except ValueError:  # the session and this file were closed
        return Crashed(code, "")


def _end_process(process: subprocess.Popen[bytes], reader: threading.Thread, errors: IO[bytes], owner: int) -> None:
    """Ends the program of a session that is closed or was collected."""
    if os.getpid() != owner:
        return  # a forked process has copies of the pipes, but the program belongs to its parent
    assert process.stdin is not None
    # A forked process may hold the pipe open, so closing it is not enough.
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(b'{"type":"bye"}\n')
    with contextlib.suppress(OSError, ValueError):
        process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if reader is not threading.current_thread():
        reader.join(5)
    errors.close()


class Session(_Uncopied):
    """A running program. Use it in a `with` statement, which ends the program. Threads may share a session, each with
    separate debates and batches.

    `options` are flags of `serve`, such as `scenarios="folder"` or `saves="folder"`. `timeout`: the time limit for each
    answer of the program, in seconds.
    """

    def __init__(self, timeout: float = TIMEOUT, **options: Any) -> None:
        self.timeout = timeout
        self._mail = _Mail()
        self._owner = os.getpid()
        self._sending = threading.Lock()
        errors: IO[bytes] = tempfile.TemporaryFile()
        words = [command(), "serve", "--stdio", *flags(options)]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0)
        assert process.stdout is not None
        crash = lambda: _crash(process, errors)  # noqa: E731
        reader = threading.Thread(target=_read, args=(process.stdout, self._mail, crash), daemon=True)
        self._process = process
        self._crash = crash
        self._end = weakref.finalize(self, _end_process, process, reader, errors, self._owner)
        reader.start()
        try:
            self._receive(("hello",))
        except BaseException:
            self.close()
            raise

    def _receive(self, names: tuple[str, ...]) -> Message:
        """Waits for the next message for one of these names."""
        arrived = threading.Event()
        with self._mail.waiter(names, arrived.set):
            while (message := self._mail.take(names)) is None:
                if not arrived.wait(self.timeout):
                    self._process.kill()
                    raise TimeoutError(f"debate-tui did not answer within {self.timeout} seconds")
                arrived.clear()
            return message

    def _send(self, message: Message) -> None:
        if os.getpid() != self._owner:
            raise DebateError("this session was begun by another process; begin one in this process")
        if not self._end.alive:
            raise DebateError("this session is closed")
        assert self._process.stdin is not None
        line = memoryview(_line(message))
        try:
            with self._sending:
                # A pipe may take only a part of a long line.
                while line:
                    line = line[self._process.stdin.write(line) or 0 :]
        except (BrokenPipeError, ValueError, OSError) as error:
            raise self._crash() from error

    def _talk(self, talk: Talk, begun: _Begun | None = None, claims: tuple[str, ...] = ()) -> Any:
        """Runs a conversation and returns its result."""
        answer: Any = None
        try:
            with self._mail.claim(claims), contextlib.closing(talk):
                while True:
                    message, names = talk.send(answer)
                    answer = None
                    if message is None:
                        answer = _checked(self._receive(names))
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
        """Begins a debate. A seat is the name of a built-in player, a function or an object with `reply`; `None` means
        the scenario's player. `options` are fields of the message `new`: `seed`, `number`, `instance`, `protocol`,
        `blind`, `text`, `history`."""
        players = {"prover": prover, "opponent": opponent, "judge": judge}
        return Debate(self, self._talk(_begin(scenario, players, {"save": save, **options})))

    def open(self, scenario: Scenario, seats: Sequence[str], count: int = 1, points: int = 21, **options: Any) -> FromServerOpened:
        """Begins a batch of `count` debates that are stepped together. `players` names the players of the other
        seats."""
        return self._talk(_batch(scenario, {"seats": list(seats), "count": count, "points": points, **options}))

    def step(self, batch: str, replies: Sequence[int | None], keep: Sequence[int] = ()) -> FromServerStepped:
        """Sends each debate of a batch the index of its reply; `None` begins the next debate. The debates with the
        indices in `keep` do not change. Both may be numpy arrays."""
        return self._talk(_step(batch, replies, keep), claims=(batch,))

    def fork(self, batch: str, slots: Sequence[int], seed: int | str | None = None) -> FromServerOpened:
        """Begins a batch with copies of these debates of a batch, for a search from their states. A debate may be
        copied more than once. By default a copy has the later coins of its original. With `seed`, copies are the
        debates 0, 1, … under this seed, so their later coins differ. `leave` ends the batch of copies.

        Copies have the instance of the original, which the seats may not know."""
        return self._talk(_fork(batch, slots, seed))

    def leave(self, handle: str) -> None:
        """Leaves a debate, or ends a batch."""
        self._talk(_leave(handle))

    @overload
    def solve(self, scenario: str, *, sweep: None = None, **options: Any) -> Result[SolveReport]: ...

    @overload
    def solve(self, scenario: str, *, sweep: str, **options: Any) -> Result[Solution1]: ...

    def solve(self, scenario: str, *, sweep: str | None = None, **options: Any) -> Result[Any]:
        """Computes exact values with `debate-tui solve`. Options are flags, such as `prover="best-response"`. `sweep`
        gives one report for each value of a parameter."""
        return Result(run(["solve", scenario, *flags({"sweep": sweep, **options})], self.timeout), "points")

    def simulate(self, scenario: str, **options: Any) -> Result[Simulation]:
        """Plays many debates of built-in players with `debate-tui simulate`; options such as `n=1000, seed="7"`."""
        return Result(run(["simulate", scenario, *flags(options)], self.timeout))

    def check(self, scenario: str, **options: Any) -> Result[Check]:
        """Checks the soundness and stability of a scenario with `debate-tui check`."""
        return Result(run(["check", scenario, *flags(options)], self.timeout))

    def report(self, *paths: str, **options: Any) -> Result[Report]:
        """Summarises the judgements of debates with `debate-tui report`."""
        return Result(run(["report", *paths, *flags(options)], self.timeout), "conditions")

    @overload
    def equilibrium(self, scenario: str, *, all: Literal[True], **options: Any) -> Result[OptimalReport]: ...

    @overload
    def equilibrium(self, scenario: str, *, all: Literal[False] = False, **options: Any) -> Result[EquilibriumReport]: ...

    def equilibrium(self, scenario: str, *, all: bool = False, **options: Any) -> Result[Any]:
        """Computes the payoffs of every prover against every opponent with `debate-tui equilibrium`. `all=True` bounds
        the value over all strategies instead."""
        return Result(run(["equilibrium", scenario, *flags({"all": all, **options})], self.timeout), "provers")

    def match(self, plan: str | os.PathLike[str] | None = None, **options: Any) -> Result[MatchReport]:
        """Plays a match with `debate-tui match`, from a plan file or from options such as
        `scenario="primes", opponent=["bayes", "calibrated"], seed="7", n=10`. Saves of earlier calls are not played
        again. Plays no longer than the `timeout` of the session."""
        words = [] if plan is None else [os.fspath(plan)]
        return Result(run(["match", *words, *flags(options)], self.timeout), "matchups")

    def theorems(self, name: str | None = None, **options: Any) -> Result[Theorems]:
        """Lists the statements of the papers with their outcomes. `run=True` checks their figures."""
        words = [] if name is None else [name]
        return Result(run(["theorems", *words, *flags(options)], self.timeout))

    def train(self, scenario: str, delta: str | float, **options: Any) -> Result[Training]:
        """Trains an estimator with `debate-tui train`. `out="FILE"` writes it, for the player `trained(FILE)`."""
        return Result(run(["train", scenario, *flags({"delta": delta, **options})], self.timeout), "rounds")

    def close(self) -> None:
        """Ends the program and abandons unfinished debates. Garbage collection closes a session too."""
        self._end()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Debate:
    """A debate that a `Session` began."""

    def __init__(self, session: Session, begun: _Begun) -> None:
        self._session = session
        self._begun = begun
        #: The path of the save, if the debate is saved.
        self.save = begun.save

    @property
    def pending(self) -> str | None:
        """The seat that must reply again after an illegal reply; `None` if no reply was illegal."""
        return self._begun.pending_seat()

    def play(self) -> FromServerEnd:
        """Asks the players of this process until the debate is over. Raises `Refused` for an illegal reply; call it
        again to continue."""
        talk = _play(self._begun)
        return self._session._talk(talk, self._begun, self._begun.names)  # pyright: ignore[reportPrivateUsage]

    def _repr_html_(self) -> str:
        return debate_html(self.save, self._begun.end)


class AsyncSession(_Uncopied):
    """A session with coroutines: `async with AsyncSession() as s`. Several tasks can play debates at the same time."""

    def __init__(self, timeout: float = TIMEOUT, **options: Any) -> None:
        self.timeout = timeout
        self._words = [command(), "serve", "--stdio", *flags(options)]
        self._mail = _Mail()
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> AsyncSession:
        if self._process is not None:
            raise DebateError("this session has already begun; create another one")
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._words, stdin=pipe, stdout=pipe, stderr=self._errors, limit=1 << 26
        )
        weakref.finalize(self, _kill, self._process, os.getpid())
        assert self._process.stdout is not None
        if not await asyncio.wait_for(self._process.stdout.readline(), self.timeout):
            raise Crashed(await self._process.wait(), _end_of(self._errors))
        self._loop = asyncio.get_running_loop()
        self._reader = asyncio.create_task(_read_async(self._process, self._mail, self._errors))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None or self._reader is None:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError, RuntimeError):
            # A forked process may hold the pipe open, so closing it is not enough.
            self._process.stdin.write(b'{"type":"bye"}\n')
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 5)
        except asyncio.TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reader
        self._errors.close()

    async def _receive(self, names: tuple[str, ...]) -> Message:
        arrived = asyncio.Event()
        with self._mail.waiter(names, arrived.set):
            while (message := self._mail.take(names)) is None:
                await arrived.wait()
                arrived.clear()
            return message

    async def _talk(self, talk: Talk, begun: _Begun | None = None, claims: tuple[str, ...] = ()) -> Any:
        if self._process is None or self._process.stdin is None or self._loop is None:
            raise DebateError("this session has not begun; use it in `async with`")
        if self._loop is not asyncio.get_running_loop():
            raise DebateError("this session belongs to another event loop; begin one in each event loop")
        answer: Any = None
        try:
            with self._mail.claim(claims), contextlib.closing(talk):
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
                        self._process.stdin.write(_line(message))
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
        self, scenario: Scenario, seats: Sequence[str], count: int = 1, points: int = 21, **options: Any
    ) -> FromServerOpened:
        """Begins a batch, as `Session.open`."""
        return await self._talk(_batch(scenario, {"seats": list(seats), "count": count, "points": points, **options}))

    async def step(
        self, batch: str, replies: Sequence[int | None], keep: Sequence[int] = ()
    ) -> FromServerStepped:
        """Steps a batch, as `Session.step`."""
        return await self._talk(_step(batch, replies, keep), claims=(batch,))

    async def fork(self, batch: str, slots: Sequence[int], seed: int | str | None = None) -> FromServerOpened:
        """Copies debates of a batch, as `Session.fork`."""
        return await self._talk(_fork(batch, slots, seed))

    async def leave(self, handle: str) -> None:
        """Leaves a debate, or ends a batch."""
        await self._talk(_leave(handle))

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

    @overload
    async def solve(self, scenario: str, *, sweep: None = None, **options: Any) -> Result[SolveReport]: ...

    @overload
    async def solve(self, scenario: str, *, sweep: str, **options: Any) -> Result[Solution1]: ...

    async def solve(self, scenario: str, *, sweep: str | None = None, **options: Any) -> Result[Any]:
        """As `Session.solve`."""
        return Result(await self._run(["solve", scenario, *flags({"sweep": sweep, **options})]), "points")

    async def simulate(self, scenario: str, **options: Any) -> Result[Simulation]:
        """As `Session.simulate`."""
        return Result(await self._run(["simulate", scenario, *flags(options)]))

    async def check(self, scenario: str, **options: Any) -> Result[Check]:
        """As `Session.check`."""
        return Result(await self._run(["check", scenario, *flags(options)]))

    async def report(self, *paths: str, **options: Any) -> Result[Report]:
        """As `Session.report`."""
        return Result(await self._run(["report", *paths, *flags(options)]), "conditions")

    @overload
    async def equilibrium(self, scenario: str, *, all: Literal[True], **options: Any) -> Result[OptimalReport]: ...

    @overload
    async def equilibrium(
        self, scenario: str, *, all: Literal[False] = False, **options: Any
    ) -> Result[EquilibriumReport]: ...

    async def equilibrium(self, scenario: str, *, all: bool = False, **options: Any) -> Result[Any]:
        """As `Session.equilibrium`."""
        return Result(await self._run(["equilibrium", scenario, *flags({"all": all, **options})]), "provers")

    async def match(self, plan: str | os.PathLike[str] | None = None, **options: Any) -> Result[MatchReport]:
        """As `Session.match`."""
        words = [] if plan is None else [os.fspath(plan)]
        return Result(await self._run(["match", *words, *flags(options)]), "matchups")

    async def theorems(self, name: str | None = None, **options: Any) -> Result[Theorems]:
        """As `Session.theorems`."""
        words = [] if name is None else [name]
        return Result(await self._run(["theorems", *words, *flags(options)]))

    async def train(self, scenario: str, delta: str | float, **options: Any) -> Result[Training]:
        """As `Session.train`."""
        return Result(await self._run(["train", scenario, *flags({"delta": delta, **options})]), "rounds")


class AsyncDebate:
    """A debate that an `AsyncSession` began."""

    def __init__(self, session: AsyncSession, begun: _Begun) -> None:
        self._session = session
        self._begun = begun
        self.save = begun.save

    @property
    def pending(self) -> str | None:
        """The seat that must reply again after an illegal reply; `None` if no reply was illegal."""
        return self._begun.pending_seat()

    async def play(self) -> FromServerEnd:
        """As `Debate.play`."""
        talk = _play(self._begun)
        return await self._session._talk(talk, self._begun, self._begun.names)  # pyright: ignore[reportPrivateUsage]

    def _repr_html_(self) -> str:
        return debate_html(self.save, self._begun.end)


async def _read_async(process: asyncio.subprocess.Process, mail: _Mail, errors: IO[bytes]) -> None:
    """Puts each line of the program into the mail. Holds no reference to the session, so that an unused session can be
    collected."""
    assert process.stdout is not None
    try:
        while line := await process.stdout.readline():
            mail.put(json.loads(line))
    except Exception as error:
        mail.end(error)
    else:
        mail.end(Crashed(await process.wait(), _end_of(errors)))


def _kill(process: asyncio.subprocess.Process, owner: int) -> None:
    """Kills the program of a garbage-collected session."""
    if os.getpid() == owner and process.returncode is None:
        with contextlib.suppress(ProcessLookupError, RuntimeError):
            process.kill()


def _end_of(file: IO[bytes]) -> str:
    """Returns the end of a file of stderr."""
    size = file.seek(0, 2)
    file.seek(max(0, size - LAST_WORDS))
    return file.read().decode("utf-8", "replace")
