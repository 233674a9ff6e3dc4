"""Runs shards of `simulate`, `search` and `match` on a Ray cluster and merges them exactly.

    from debate_tui import cluster
    report = cluster.run(["simulate", "primes", "-n", "1e8", "--seed", "7"], parts=64)

The result equals the document of `debate-tui … --json` in one process, except for the fields in `TIMES`. If a worker is
lost, Ray runs its shard again.
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

#: Fields with durations, speeds and the number of threads.
TIMES = ("seconds", "debates_per_second", "threads")
#: The commands that can run in shards.
COMMANDS = ("simulate", "search", "match")
#: The maximum number of times that Ray runs a shard again after losing its worker.
RETRIES = 10


def part(job: Sequence[str], number: int, parts: int) -> bytes:
    """Runs one shard of a job in this process. Returns its output, or for a match a ZIP archive of its saves."""
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
    """Merges the shards in these files and returns the document of the job."""
    if job[0] != "match":
        return printed(["merge", *map(str, files)])
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            with zipfile.ZipFile(file) as archive:
                for name in archive.namelist():
                    # Saves of two shards may have the same name.
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
    """Runs a job on the Ray cluster at an address and returns its document.

    `job`: the words of a command without `--json` and `--shard`; `simulate` and `match` need `--seed`. `parts`: the
    number of shards; use more shards than workers, so that a lost worker costs little. `folder`: the folder in which
    finished shards are saved; a repeated call skips the shards that it finds there. `progress(done, parts)` is called
    after each shard. `cpus`: the CPUs and threads of one shard. `runtime_env`: the runtime environment of Ray; files
    that the job names belong in its `working_dir`.
    """
    if not job or job[0] not in COMMANDS:
        raise DebateError(f"`job` must begin with one of {COMMANDS}, followed by its flags")
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
                # Renamed when complete, so that a partial file is never taken for a finished shard.
                whole.replace(file)
    finally:
        if begun:
            ray.shutdown()
