"""Work spread over machines by Ray: `simulate`, `search` and `match` in parts, merged exactly.

    from debate_tui import cluster
    report = cluster.run(["simulate", "primes", "-n", "1e8", "--seed", "7"], parts=64)

The document is that of `debate-tui … --json` in one process, but for how long it took (`TIMES`), whatever machine died on
the way: Ray plays a part again whose worker is lost.
"""

from __future__ import annotations

import io
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .program import LAST_WORDS, Crashed, DebateError, Refused, command, run as printed

#: Fields that say how long it took, and on how much.
TIMES = ("seconds", "debates_per_second", "threads")
#: The commands that have parts.
COMMANDS = ("simulate", "search", "match")
#: How often Ray plays a part whose worker is lost.
RETRIES = 10


def part(job: Sequence[str], number: int, parts: int) -> bytes:
    """Plays one part of a job here: what it wrote, of a match an archive of its saves."""
    words = [command(), *job, "--shard", f"{number}/{parts}", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        if job[0] == "match":
            words += ["--saves", folder]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
        err = done.stderr.decode("utf-8", "replace")
        if done.returncode == 2:
            raise Refused("bad_input", err.strip().removeprefix("debate-tui: "))
        if done.returncode:
            raise Crashed(done.returncode, err[-LAST_WORDS:])
        if job[0] != "match":
            return done.stdout
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
            for save in sorted(Path(folder).glob("*.ron")):
                out.write(save, save.name)
        return archive.getvalue()


def merge(job: Sequence[str], files: Sequence[Path]) -> Any:
    """The document of a job whose parts are in these files."""
    if job[0] != "match":
        return printed(["merge", *map(str, files)])
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            with zipfile.ZipFile(file) as archive:
                for name in archive.namelist():
                    # Saves of two parts may have the same name.
                    (Path(folder) / f"{file.name}-{name}").write_bytes(archive.read(name))
        return printed([*job, "--dry-run", "--saves", folder])


def run(
    job: Sequence[str],
    address: str | None = "auto",
    parts: int = 16,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    cpus: float = 1,
    runtime_env: dict[str, Any] | None = None,
) -> Any:
    """Plays a job on the Ray cluster at an address and returns its document.

    `job`: the words of a command without `--json` and `--shard`; a simulation and a match need `--seed`. `parts`: more of
    them than workers, so that a lost worker costs little. `folder`: where parts are kept as they come in; those that are
    there are not played again, so the same call goes on where it was stopped. `progress` is told how many parts of how
    many are there. `cpus`: what a part takes; it plays on as many threads. `runtime_env` is Ray's: files that the job names
    go into its `working_dir`.
    """
    if not job or job[0] not in COMMANDS:
        raise DebateError(f"a job is one of {COMMANDS} with its flags")
    ray: Any = import_module("ray")
    threads = {"match": "--jobs"}.get(job[0], "--threads")
    words = [*job, threads, str(max(1, int(cpus)))]
    environment = dict(runtime_env or {})
    if named := os.environ.get("DEBATE_TUI"):
        environment["env_vars"] = {"DEBATE_TUI": named, **environment.get("env_vars", {})}
    begun = not ray.is_initialized()
    if begun:
        ray.init(address=address, log_to_driver=False, runtime_env=environment)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            kept = Path(folder or temporary)
            kept.mkdir(parents=True, exist_ok=True)
            files = [kept / f"part-{number}-of-{parts}" for number in range(1, parts + 1)]
            task: Any = ray.remote(num_cpus=cpus, max_retries=RETRIES)(part)
            waiting: dict[Any, Path] = {
                task.remote(words, number, parts): file for number, file in enumerate(files, 1) if not file.exists()
            }
            while True:
                if progress:
                    progress(parts - len(waiting), parts)
                if not waiting:
                    return merge(job, files)
                ready, _ = ray.wait(list(waiting), num_returns=1)
                file = waiting.pop(ready[0])
                whole = file.with_suffix(".new")
                whole.write_bytes(ray.get(ready[0]))
                # It appears whole or not at all.
                whole.replace(file)
    finally:
        if begun:
            ray.shutdown()
