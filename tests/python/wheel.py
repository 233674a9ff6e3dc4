"""Tests an installed wheel: the program draws its first frame in a terminal, and the module plays a debate.

Run it with a Python that has only the wheel installed, outside the repository, without Rust in PATH.
"""

import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

import debate_tui

program = debate_tui.command()
assert Path(program).parent == Path(sys.executable).parent, program
assert not shutil.which("cargo"), "Rust is on the path"

begun = time.perf_counter()
child, terminal = pty.fork()
if child == 0:
    os.execve(program, [program, "primes", "--seed", "7"], {**os.environ, "TERM": "xterm-256color"})
ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
screen = b""
while b"Bob" not in screen:
    ready, _, _ = select.select([terminal], [], [], 60)
    assert ready, f"no frame within a minute: {screen!r}"
    screen += os.read(terminal, 1 << 16)
frame = time.perf_counter() - begun
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)

helped = subprocess.run([program, "mcp", "--help"], capture_output=True, text=True)
assert helped.returncode == 0 and "--saves" in helped.stdout, helped

with debate_tui.Session() as s:
    end = s.new("primes", prover="obfuscator", opponent=lambda request: {"probability": "1/2"}).play()
    assert end["outcome"]["outcome"] == "finished", end
print(f"the first frame after {frame * 1000:.0f} ms, and a debate of the module")
