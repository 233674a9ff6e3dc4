"""Finds the program, runs commands that print one JSON document, and defines the exceptions."""

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

#: The maximum length of stderr in an exception.
LAST_WORDS = 4000


class DebateError(Exception):
    """The base class of all exceptions of this package."""


class Refused(DebateError):
    """The program refused a request. `kind` is a kind of error, such as `bad_request`."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(kind, why)
        self.kind = kind
        self.why = why

    def __str__(self) -> str:
        return f"{self.kind}: {self.why}"


class Crashed(DebateError):
    """The program ended unexpectedly. `last_words` is the end of its stderr."""

    def __init__(self, code: int | None, last_words: str) -> None:
        super().__init__(code, last_words)
        self.code = code
        self.last_words = last_words

    def __str__(self) -> str:
        return f"debate-tui ended (exit code {self.code}): {self.last_words.strip() or 'it printed no error'}"


class Forfeit(DebateError):
    """Raised by a seat to give up and lose the debate. `fault`: `illegal`, `timeout`, `model_refusal` or `bug`."""

    def __init__(self, fault: str = "illegal") -> None:
        super().__init__(fault)
        self.fault = fault


def command() -> str:
    """Returns the path of the program: the environment variable `DEBATE_TUI`, else the installed script, else the one
    in PATH."""
    if named := os.environ.get("DEBATE_TUI"):
        return named
    suffix = ".exe" if os.name == "nt" else ""
    beside = Path(sysconfig.get_path("scripts")) / f"debate-tui{suffix}"
    found = str(beside) if beside.exists() else shutil.which("debate-tui")
    if found is None:
        raise DebateError("debate-tui is not in PATH; run `pip install debate-tui`, or set DEBATE_TUI to its path")
    return found


class Result(Generic[Document]):
    """The output of a command. `data` is the document, as `debate-tui schema` describes it."""

    def __init__(self, data: Document, rows: str | None = None) -> None:
        self.data = data
        self._rows = rows

    def rows(self) -> list[dict[str, Any]]:
        """Returns the rows of the document's table: the entries of a list, the points of a sweep, the conditions of a
        report, the provers of an equilibrium, or the document as a single row."""
        data: Any = self.data
        if self._rows == "provers" and "provers" in data:
            return _payoffs(cast("dict[str, Any]", data))
        if self._rows and isinstance(data, dict):
            data = cast("dict[str, Any]", data).get(self._rows, data)
        return cast("list[dict[str, Any]]", data if isinstance(data, list) else [data])

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Returns a data frame with scalar columns, of the named library; the default is pandas, or polars if pandas is
        missing.

        A row is a round of one side of `solve` and `simulate`, a point of a sweep, a scenario of `check`, a condition
        of `report`, a prover of `equilibrium`, a row of the table of `match`, a statement, or a round of `train`. `round` is the number of later rounds, also in the row of the initial round
        (`is_initial`). `side` is "first" or "versus". Names of nested fields contain a dot; the ends of an interval are
        `.low` and `.high`. The frame omits other lists, which `data` has.
        """
        return _frame(_tidy(self.rows()), library)

    def __repr__(self) -> str:
        return f"Result({self.data!r})"

    def _repr_html_(self) -> str:
        from .pages import table_html

        return table_html(_tidy(self.rows()))


def _payoffs(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns one row for each prover, with its payoff against each opponent."""
    rows: list[dict[str, Any]] = []
    for number, prover in enumerate(table["provers"]):
        payoffs = dict(zip(table["opponents"], table["payoff"][number]))
        best, correct = table["best_replies"][number], table["answer_correct"][number]
        rows.append({"prover": prover, **payoffs, "best_reply": best, "answer_correct": correct})
    return rows


def plain(value: Any) -> Any:
    """Converts numpy scalars and arrays to Python numbers and lists, and fractions and decimals to text. Returns other
    values unchanged."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value) if isinstance(value, (Fraction, Decimal)) else value


def _tidy(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns rows of scalars with equal columns."""
    rows: list[dict[str, Any]] = []
    for document in documents:
        # A point of a sweep has rounds too, but gets one row.
        if "by_round" in document and len(documents) == 1:
            rows += _rounds(document)
        else:
            rows.append(_scalars(document))
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows]


def _rounds(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns one row for each round of each side of a document."""
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
    """Returns the scalars of a document and of its nested documents."""
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
        # By default polars infers the type of a column from the first 100 rows.
        return module.DataFrame(rows, **({"infer_schema_length": None} if name == "polars" else {}))
    raise DebateError(f"a frame needs {library or 'pandas or polars'}: `pip install {library or 'pandas'}`")


def flags(options: Mapping[str, Any]) -> list[str]:
    """Converts options to flags: `true_bob=True` to `--true-bob`, `n=100` to `-n 100`, a list to one flag for each
    entry."""
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
    """Runs a command with `--json` and returns the JSON document that it prints.

    Raises `Refused` for refused input, and `Crashed` for any other failure. After `timeout` seconds, ends the program
    and raises `subprocess.TimeoutExpired`.
    """
    done = _completed([*arguments, "--json"], timeout)
    return document(done.returncode, done.stdout, done.stderr)


def text_of(arguments: Sequence[str], timeout: float | None = None) -> str:
    """Runs a command and returns the text that it prints. Raises the exceptions of `run`."""
    done = _completed(arguments, timeout)
    if done.returncode == 2:
        raise Refused("bad_input", done.stderr.strip())
    # Code 1 is a negative result, such as a save that differs.
    if done.returncode not in (0, 1) or not done.stdout:
        raise Crashed(done.returncode, done.stderr[-LAST_WORDS:])
    return done.stdout


def _completed(arguments: Sequence[str], timeout: float | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command(), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
    )


def reason(err: str) -> str:
    """Returns the error messages from the stderr of a command with `--json`, which has one line of JSON for each."""
    reasons: list[str] = []
    for line in err.splitlines():
        try:
            parts = json.loads(line)
        except ValueError:
            return err.strip()
        reasons += [part["message"] for part in parts.values()]
    return "\n".join(reasons)


def document(code: int | None, out: str, err: str) -> Any:
    """Parses the output of a command that ended with this exit code. Code 1 is a negative result and not a failure."""
    if code == 2:
        raise Refused("bad_input", reason(err))
    if code not in (0, 1) or not out.strip():
        raise Crashed(code, reason(err)[-LAST_WORDS:])
    return json.loads(out)
