"""Runs the job array of the guide on a one-node Slurm with daemons as plain processes.

The document equals that of one process.
"""

import contextlib
import getpass
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import debate_tui
from debate_tui import cluster

GUIDE = Path(__file__).parents[2] / "src/guide/cluster.md"
HOST = socket.gethostname().split(".")[0]
USER = getpass.getuser()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def configuration(folder: Path) -> str:
    return f"""
ClusterName=test
SlurmctldHost={HOST}(127.0.0.1)
SlurmUser={USER}
SlurmdUser={USER}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MailProg=/bin/true
NodeName={HOST} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes={HOST} Default=YES MaxTime=INFINITE State=UP
"""


def wait_for(what: str, ready, daemons) -> None:
    until = time.monotonic() + 60
    while not ready():
        for name, daemon in daemons:
            assert daemon.poll() is None, f"{name} has ended"
        assert time.monotonic() < until, f"{what} within a minute"
        time.sleep(0.1)


def says(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, encoding="utf-8")
    return done.stdout if done.returncode == 0 else ""


with tempfile.TemporaryDirectory(prefix="slurm") as name, contextlib.ExitStack() as stack:
    folder = Path(name)
    for inner in ("state", "spool"):
        (folder / inner).mkdir()
    conf = folder / "slurm.conf"
    conf.write_text(configuration(folder))
    os.environ["SLURM_CONF"] = str(conf)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    folder.chmod(0o755)
    daemons = []

    def start(*words: str) -> None:
        path = shutil.which(words[0], path=f"{os.environ['PATH']}:/usr/sbin")
        with (folder / f"{words[0]}.out").open("wb") as out:
            daemon = subprocess.Popen([path, *words[1:]], stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        daemons.append((words[0], daemon))
        stack.callback(daemon.wait)
        stack.callback(daemon.terminate)

    start(
        "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
        f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munged.seed", f"--log-file={folder}/munged.log",
    )
    wait_for("the socket of munged", (folder / "munge.socket").exists, daemons)
    start("slurmctld", "-D", "-f", str(conf))
    start("slurmd", "-D", "-f", str(conf), "-N", HOST)
    wait_for("an idle node", lambda: "idle" in says("sinfo", "--noheader", "--format=%T"), daemons)

    script, merge = re.findall(r"```text\n(.*?)```", GUIDE.read_text().split("## Slurm")[1].split("## Kubernetes")[0], re.S)
    for old, new in {"1-64": "1-3", "cpus-per-task=4": "cpus-per-task=1", "1e8": "30000"}.items():
        assert old in script, old
        script = script.replace(old, new)
    work = folder / "work"
    work.mkdir()
    (work / "simulation.sh").write_text(script)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    (folder / "debate-tui").symlink_to(debate_tui.command())
    subprocess.run(["sh", "-e", "-c", merge], cwd=work, env=environment, check=True, stdout=subprocess.DEVNULL)
    wait_for("an empty queue", lambda: says("sinfo", "--noheader", "--format=%T") and not says("squeue", "--noheader").strip(), daemons)
    logs = "".join(path.read_text() for path in work.glob("slurm-*.out"))
    assert len(list(work.glob("part-*"))) == 3, logs
    document = json.loads((work / "simulation.json").read_text())
    alone = debate_tui.run(["simulate", "primes", "-n", "30000", "--seed", "7"])
    for times in cluster.TIMES:
        document.pop(times, None), alone.pop(times, None)
    assert document == alone, (document, alone)
    print(f"{says('sinfo', '--version').strip()}: the same document of three array tasks")
print("ok")
