"""Prints a table of games between all strategies: the program, HiGHS and OpenSpiel, each with its value, the gap that it
certifies, its seconds and its megabytes.

    pip install highspy open_spiel cvxpy ecos numpy scipy
    DEBATE_TUI=target/release/debate-tui python tests/bench/games.py [SECONDS]

Every solver runs in a process of its own, which is ended after SECONDS (60 by default). HiGHS and OpenSpiel solve the
whole game that `export --to efg` writes. The program's seconds include reading the scenario and building the game; those
of HiGHS and OpenSpiel include reading the file. The seconds of the solver alone are in brackets.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

import games

# Larger games are not exported.
MOST_NODES = 300_000


def by_highs(path):
    """Returns the value, the gap between the primal and the dual objective, and the seconds of the solver."""
    import highspy
    import numpy
    from scipy.sparse import vstack

    program = games.linear_program(games.read(path))
    rows = vstack([program.least, program.equal]).tocsr()
    count = program.least.shape[0]
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = rows.shape[1], rows.shape[0]
    model.col_cost_ = program.costs
    model.col_lower_ = numpy.array([-highspy.kHighsInf if low is None else low for low, _ in program.bounds])
    model.col_upper_ = numpy.full(rows.shape[1], highspy.kHighsInf)
    model.row_lower_ = numpy.concatenate([numpy.full(count, -highspy.kHighsInf), program.right])
    model.row_upper_ = numpy.concatenate([numpy.zeros(count), program.right])
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = rows.indptr, rows.indices, rows.data
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.passModel(model)
    started = time.perf_counter()
    solver.run()
    seconds = time.perf_counter() - started
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal, solver.getModelStatus()
    primal = solver.getInfo().objective_function_value
    duals = numpy.array(solver.getSolution().row_dual)
    gap = abs(primal - duals[count:] @ program.right)
    return -primal / program.scale, gap / program.scale, seconds


def by_open_spiel(path):
    """Returns the value, the gap between the values of both players' programs, and the seconds of the solver."""
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(f"efg_game(filename={path})")
    started = time.perf_counter()
    first, second, *_ = sequence_form_lp.solve_zero_sum_game(game)
    return first, abs(first + second), time.perf_counter() - started


def child(solver, path):
    value, gap, alone = {"HiGHS": by_highs, "OpenSpiel": by_open_spiel}[solver](Path(path))
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"value": value, "gap": gap, "alone": alone, "megabytes": kilobytes / 1024}))


def row(game, nodes, solver, value, gap, seconds, megabytes):
    print(f"| {game} | {nodes} | {solver} | {value} | {gap} | {seconds} | {megabytes} |", flush=True)


def compared(name, words, path, limit):
    """Prints the rows of a game. Returns an error if the values differ."""
    lower, upper, _, seconds, megabytes = games.solved(*words)
    path.unlink(missing_ok=True)
    export = [os.environ["DEBATE_TUI"], "export", *words, "--most-nodes", str(MOST_NODES)]
    written = subprocess.run([*export, "--to", "efg", "--out", str(path)], capture_output=True)
    has_file = written.returncode == 0
    nodes = f"{path.read_text().count(chr(10)) - 1:,}" if has_file else "above 300,000"
    row(name, nodes, "here", f"{lower:.10f}", f"{upper - lower:.0e}", f"{seconds:.2f}", f"{megabytes:.0f}")
    for solver in ("HiGHS", "OpenSpiel") if has_file else ():
        started = time.perf_counter()
        command = [sys.executable, __file__, "--child", solver, str(path)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=limit)
        except subprocess.TimeoutExpired:
            row(name, nodes, solver, "-", "-", f"more than {limit}", "-")
            continue
        seconds = time.perf_counter() - started
        if done.returncode < 0:
            # The system ended the solver, for example because it needed too much memory.
            row(name, nodes, solver, "-", "-", f"ended by signal {-done.returncode}", "-")
            continue
        assert done.returncode == 0, done.stderr.decode()
        # The solvers may print before the result.
        found = json.loads(done.stdout.splitlines()[-1])
        # OpenSpiel stops at the accuracy of its solver.
        most = {"HiGHS": games.SMALL, "OpenSpiel": 1e-3}[solver]
        assert lower - most < found["value"] < upper + most, (name, solver, found, lower, upper)
        times = f"{seconds:.2f} ({found['alone']:.2f})"
        row(name, nodes, solver, f"{found['value']:.10f}", f"{found['gap']:.0e}", times, f"{found['megabytes']:.0f}")


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(*sys.argv[2:])
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    print("| game | nodes | solver | value | gap | seconds (solver alone) | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, words, grid in games.TIMED:
            said = ["--grid", grid] if grid else []
            compared(name, [*words, *said], Path(folder, "game.efg"), limit)


if __name__ == "__main__":
    main()
