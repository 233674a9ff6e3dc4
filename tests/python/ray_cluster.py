"""Runs jobs on three local Ray workers and kills one. The document equals that of one process."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import ray

import debate_tui
from debate_tui import cluster

PORT = os.environ.get("RAY_TEST_PORT", "46379")
JOBS = {
    "simulate": ["simulate", "primes-small", "-n", "30000", "--seed", "7", "--versus", "opponent=random"],
    "search": ["search", "completeness", "--width", "2"],
    "match": ["match", "--scenario", "primes-small", "--opponent", "bayes", "--opponent", "even", "--seed", "7", "-n", "60"],
}
PARTS = 6


def start(*words: str) -> subprocess.Popen:
    """Starts a node of the cluster in a separate process group, so that all of it can be killed. Returns when it runs."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--node-ip-address=127.0.0.1", "--disable-usage-stats", *words]
    node = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, encoding="utf-8"
    )
    lines = []
    for line in node.stdout:
        lines.append(line)
        if "Ray runtime started" in line:
            return node
    raise AssertionError("".join(lines))


def processes_of(root: int) -> list[int]:
    """Returns a process and all its descendants."""
    table = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, encoding="ascii", check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in table.splitlines()]
    found = [root]
    for parent in found:
        found += [pid for pid, own in pairs if own == parent]
    return found


def kill(node: subprocess.Popen) -> None:
    for process in processes_of(node.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    node.wait()


def without_times(document: dict) -> dict:
    return {name: value for name, value in document.items() if name not in cluster.TIMES}


with tempfile.TemporaryDirectory(prefix="ray") as folder:
    head = [
        "--head", f"--port={PORT}", "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={folder}",
        "--object-store-memory=100000000",
    ]
    nodes = [start(*head)]
    address = f"127.0.0.1:{PORT}"
    try:
        nodes += [start(f"--address={address}", "--num-cpus=1", "--object-store-memory=80000000") for _ in range(3)]
        ray.init(address=address, log_to_driver=False)
        for name, job in JOBS.items():
            seen = []

            def progress(done: int, of: int) -> None:
                seen.append(done)
                # Kills a worker during the first job.
                if done == 2 and len(nodes) == 4:
                    kill(nodes.pop())

            with tempfile.TemporaryDirectory() as parts:
                begun = time.perf_counter()
                document = cluster.run(job, address, parts=PARTS, folder=parts, progress=progress)
                seconds = time.perf_counter() - begun
                assert seen[-1] == PARTS and len(list(Path(parts).glob("part-*"))) == PARTS, seen
                # Saved shards are not run again.
                seen.clear()
                again = cluster.run(job, address, parts=PARTS, folder=parts, progress=progress)
                assert without_times(again) == without_times(document)
                assert seen == [PARTS], seen
            alone = debate_tui.run([*job, "--saves", folder] if name == "match" else job)
            assert without_times(document) == without_times(alone), (document, alone)
            print(f"{name}: the same document of {PARTS} parts, in {seconds:.1f} s")
        alive = [node["Alive"] for node in ray.nodes()]
        assert sorted(alive) == [False, True, True, True], alive
    finally:
        ray.shutdown()
        for node in reversed(nodes):
            kill(node)
print(f"ray {version('ray')}")
print("ok")
