"""The program: where it is, its commands that print one JSON document, and how it fails."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

Document = TypeVar("Document")

#: The bytes of the last words that an exception keeps.
LAST_WORDS = 4000


class DebateError(Exception):
    """Anything that goes wrong."""


class Refused(DebateError):
    """The program refused what was asked of it. `kind` is one of its kinds of error, such as `bad_request`."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(kind, why)
        self.kind = kind
        self.why = why

    def __str__(self) -> str:
        return f"{self.kind}: {self.why}"


class Crashed(DebateError):
    """The program ended when it should not have. `last_words` is the end of its stderr."""

    def __init__(self, code: int | None, last_words: str) -> None:
        super().__init__(code, last_words)
        self.code = code
        self.last_words = last_words

    def __str__(self) -> str:
        return f"debate-tui ended (exit code {self.code}): {self.last_words.strip() or 'it said nothing'}"


class Forfeit(DebateError):
    """A seat raises it to give up, and has lost. `fault`: `illegal`, `timeout`, `model_refusal` or `bug`."""

    def __init__(self, fault: str = "illegal") -> None:
        super().__init__(fault)
        self.fault = fault


def command() -> str:
    """The path of the program: `DEBATE_TUI` in the environment, else beside this package, else on the path."""
    if named := os.environ.get("DEBATE_TUI"):
        return named
    suffix = ".exe" if os.name == "nt" else ""
    beside = Path(sysconfig.get_path("scripts")) / f"debate-tui{suffix}"
    found = str(beside) if beside.exists() else shutil.which("debate-tui")
    if found is None:
        raise DebateError("there is no debate-tui on the path; `pip install debate-tui`, or name it in DEBATE_TUI")
    return found


class Result(Generic[Document]):
    """What a command printed. `data` is the document, as `debate-tui schema` describes it."""

    def __init__(self, data: Document, rows: str | None = None) -> None:
        self.data = data
        self._rows = rows

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the document's table: of a list its entries, else of the field that lists them, else the document."""
        data: Any = self.data
        if self._rows and isinstance(data, dict):
            data = cast("dict[str, Any]", data).get(self._rows, data)
        return cast("list[dict[str, Any]]", data if isinstance(data, list) else [data])

    def frame(self) -> Any:
        """The rows as a data frame of pandas, or of polars where pandas is not installed."""
        for library, read in (("pandas", "json_normalize"), ("polars", "json_normalize")):
            try:
                return getattr(importlib.import_module(library), read)(self.rows())
            except ModuleNotFoundError:
                continue
        raise DebateError("a frame needs pandas or polars: `pip install pandas`")

    def __repr__(self) -> str:
        return f"Result({self.data!r})"


def flags(options: Mapping[str, Any]) -> list[str]:
    """Options as flags: `true_bob=True` is `--true-bob`, `n=100` is `-n 100`, a list is one flag for each."""
    words: list[str] = []
    for name, value in options.items():
        flag = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
        each = cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else [value]
        for one in each:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words += [flag, str(one)]
    return words


def run(arguments: Sequence[str], timeout: float | None = None) -> Any:
    """The JSON document that a command prints; `--json` is added. A refusal is `Refused`, any other failure `Crashed`.

    Raises `subprocess.TimeoutExpired` after so many seconds, and ends the program then.
    """
    done = subprocess.run(
        [command(), *arguments, "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
    )
    return document(done.returncode, done.stdout, done.stderr)


def document(code: int | None, out: str, err: str) -> Any:
    """What a command printed that ended with this code: 1 says that the answer is no."""
    if code == 2:
        raise Refused("bad_input", err.strip().removeprefix("debate-tui: "))
    if code not in (0, 1) or not out.strip():
        raise Crashed(code, err[-LAST_WORDS:])
    return json.loads(out)
