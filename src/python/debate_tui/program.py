"""The program: where it is, its commands that print one JSON document, and how it fails."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast

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
        """The rows of the document's table: of a list its entries, else of the field that lists them (points of a sweep,
        conditions of a report), else the document."""
        data: Any = self.data
        if self._rows and isinstance(data, dict):
            data = cast("dict[str, Any]", data).get(self._rows, data)
        return cast("list[dict[str, Any]]", data if isinstance(data, list) else [data])

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """A data frame with scalar columns: of pandas, or of polars if pandas is not installed, or of the library named.

        A row is a round of each side of `solve` and `simulate`, a point of a sweep, a scenario of `check`, or a condition of
        `report`. `round` is the number of rounds after it, also in the row of the initial round (`is_initial`). `side` is
        "first" or "versus". Nested fields have a dot in their names; the ends of an interval are `.low` and `.high`. Other
        lists are left out: `data` has them.
        """
        return _frame(_tidy(self.rows()), library)

    def __repr__(self) -> str:
        return f"Result({self.data!r})"


def plain(value: Any) -> Any:
    """A scalar or an array of numpy as a number or a list of Python, a fraction or a decimal as a text; else the value."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value) if isinstance(value, (Fraction, Decimal)) else value


def _tidy(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of scalars, all with the same columns."""
    rows: list[dict[str, Any]] = []
    for document in documents:
        # The points of a sweep have rounds too, but a row each.
        if "by_round" in document and len(documents) == 1:
            rows += _rounds(document)
        else:
            rows.append(_scalars(document))
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows]


def _rounds(document: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each round of each side of a document."""
    versus: dict[str, Any] | None = document.get("versus")
    shared = {name: value for name, value in document.items() if name != "versus"}
    sides = {"first": shared}
    if versus is not None:
        sides["versus"] = {**shared, **versus}
    rows: list[dict[str, Any]] = []
    for side, whole in sides.items():
        whole = dict(whole)
        rounds: list[dict[str, Any]] = whole.pop("by_round")
        columns = {"side": side, **_scalars(whole)}
        numbers = [one["round"] for one in rounds if one["round"] != "init"]
        for one in rounds:
            is_initial = one["round"] == "init"
            number = max(numbers, default=-1) + 1 if is_initial else one["round"]
            rows.append({**columns, **_scalars(one), "round": number, "is_initial": is_initial})
    return rows


def _scalars(document: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The scalars of a document and of the documents in it."""
    columns: dict[str, Any] = {}
    for name, value in document.items():
        is_interval = name.endswith("95") or name == "break_even"
        if isinstance(value, dict):
            columns.update(_scalars(cast("dict[str, Any]", value), f"{prefix}{name}."))
        elif is_interval:
            low, high = cast("list[Any]", value) if isinstance(value, list) else (None, None)
            columns.update({f"{prefix}{name}.low": low, f"{prefix}{name}.high": high})
        elif not isinstance(value, list):
            columns[prefix + name] = value
    return columns


def _frame(rows: list[dict[str, Any]], library: str | None) -> Any:
    for name in [library] if library else ["pandas", "polars"]:
        try:
            module: Any = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        # polars looks at the first 100 rows for the type of a column unless it is told otherwise.
        return module.DataFrame(rows, **({"infer_schema_length": None} if name == "polars" else {}))
    raise DebateError(f"a frame needs {library or 'pandas or polars'}: `pip install {library or 'pandas'}`")


def flags(options: Mapping[str, Any]) -> list[str]:
    """Options as flags: `true_bob=True` is `--true-bob`, `n=100` is `-n 100`, a list is one flag for each."""
    words: list[str] = []
    for name, value in options.items():
        flag = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
        value = plain(value)
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


def reason(err: str) -> str:
    """The reasons on the stderr of a command with `--json`: one line of JSON each."""
    reasons: list[str] = []
    for line in err.splitlines():
        try:
            parts = json.loads(line)
        except ValueError:
            return err.strip()
        reasons += [part["message"] for part in parts.values()]
    return "\n".join(reasons)


def document(code: int | None, out: str, err: str) -> Any:
    """What a command printed that ended with this code: 1 says that the answer is no."""
    if code == 2:
        raise Refused("bad_input", reason(err))
    if code not in (0, 1) or not out.strip():
        raise Crashed(code, reason(err)[-LAST_WORDS:])
    return json.loads(out)
