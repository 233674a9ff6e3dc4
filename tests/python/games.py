"""Solves games between all strategies independently of the program, which `DEBATE_TUI` names.

Builds the game tree of PE Figure 2 from the text of the paper, for fifty random games. scipy's HiGHS solves the linear
program of the sequence form. Games that the program exports are solved in the same way, and by OpenSpiel if it is installed.
With `--times`, prints the times and the memory of all games, among them fifty larger random games with public bets.
"""

import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, lil_matrix

GAMES = 50
SMALL = 1e-9
sys.setrecursionlimit(100_000)

# A node is ("end", payoff), ("chance", [(probability, node)]) or ("move", player, information set, [node]).


class LinearProgram(NamedTuple):
    """Minimise costs · x, with least · x ≤ 0, equal · x = right and bounds. The value of the game is −costs · x / scale."""

    costs: numpy.ndarray
    least: csr_matrix
    equal: csr_matrix
    right: numpy.ndarray
    bounds: list
    scale: float


def linear_program(root):
    """Returns the linear program of player 0 in sequence form (Koller, Megiddo and von Stengel 1994)."""
    sequences = [{(): 0}, {(): 0}]
    parents = [{}, {}]
    payoffs = {}

    def walk(node, chance, own):
        kind = node[0]
        if kind == "end":
            key = tuple(own)
            payoffs[key] = payoffs.get(key, 0) + chance * node[1]
        elif kind == "chance":
            for share, after in node[1]:
                walk(after, chance * share, own)
        else:
            _, player, place, each = node
            parent, count = parents[player].setdefault(place, (own[player], len(each)))
            assert (parent, count) == (own[player], len(each)), "perfect recall"
            for action, after in enumerate(each):
                sequence = sequences[player].setdefault((place, action), len(sequences[player]))
                walk(after, chance, [*own[:player], sequence, *own[player + 1 :]])

    walk(root, Fraction(1), [0, 0])
    columns, places = len(sequences[0]), [list(sets) for sets in parents]
    scale = 1 / float(max((abs(payoff) for payoff in payoffs.values()), default=1) or 1)
    # Variables: player 0's plan x, then player 1's best payoff from each of its sets on. The first of these is the value.
    variables = columns + 1 + len(places[1])
    at = {place: columns + 1 + number for number, place in enumerate(places[1])}
    equal, right = lil_matrix((len(places[0]) + 1, variables)), numpy.zeros(len(places[0]) + 1)
    equal[0, 0], right[0] = 1, 1
    for row, place in enumerate(places[0], 1):
        parent, count = parents[0][place]
        equal[row, parent] = -1
        for action in range(count):
            equal[row, sequences[0][place, action]] = 1
    least = lil_matrix((len(sequences[1]), variables))
    least[0, columns] = 1
    for place, (parent, count) in parents[1].items():
        least[parent, at[place]] -= 1
        for action in range(count):
            least[sequences[1][place, action], at[place]] += 1
    for (own, other), payoff in payoffs.items():
        least[other, own] -= float(payoff) * scale
    costs = numpy.zeros(variables)
    costs[columns] = -1
    bounds = [(0, None)] * columns + [(None, None)] * (variables - columns)
    return LinearProgram(costs, least.tocsr(), equal.tocsr(), right, bounds, scale)


def program(root):
    """Returns the value to player 0, and the seconds that HiGHS takes."""
    costs, least, equal, right, bounds, scale = linear_program(root)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    zeros = numpy.zeros(least.shape[0])
    started = time.perf_counter()
    found = linprog(costs, least, zeros, equal, right, bounds, "highs", options=tight)
    seconds = time.perf_counter() - started
    assert found.status == 0, found.message
    return -found.fun / scale, seconds


GATES = {
    "All": all,
    "Any": any,
    "Xor": lambda z: sum(z) % 2 == 1,
    "Majority": lambda z: 2 * sum(z) > len(z),
}


class Debate:
    """The game of PE Figure 2 on a tree of claims: a gate and subclaims, or None and the number of a leaf."""

    def __init__(self, tree, worlds, epsilon, rho, grid, flip, knows, public=False):
        self.tree, self.worlds, self.grid, self.flip = tree, worlds, grid, flip
        self.public = public
        self.knows, self.ratio = knows, epsilon * (1 - rho) / 4
        self.depth = self.deep(tree)

    def deep(self, claim):
        return 0 if claim[0] is None else 1 + max(map(self.deep, claim[1]))

    def truth(self, claim, world):
        if claim[0] is None:
            return world[claim[1]]
        return GATES[claim[0]]([self.truth(below, world) for below in claim[1]])

    def root(self):
        weights = sum(weight for weight, _ in self.worlds)
        each = []
        for number, (weight, world) in enumerate(self.worlds):
            seen = tuple((number if knows == "everything" else -1,) for knows in self.knows)
            each.append((Fraction(weight, weights), self.answer(world, seen)))
        return ("chance", each)

    @staticmethod
    def told(seen, what, to=(0, 1)):
        return tuple(each + (what,) if player in to else each for player, each in enumerate(seen))

    def move(self, player, seen, replies, after, hidden=False):
        """Adds a debater's move. A hidden move is visible only to its own seat."""
        to = (player,) if hidden else (0, 1)
        each = [after(reply, self.told(seen, reply, to)) for reply in replies]
        return ("move", player, seen[player], each)

    def coin(self, p, seen, after):
        each = [(p, True), (1 - p, False)]
        return ("chance", [(share, after(z, self.told(seen, z))) for share, z in each if share])

    def answer(self, world, seen):
        """Builds steps 1 to 3: Bob gives p_d before he sees the answer."""

        def answered(a, seen):
            def said(p, seen):
                def fell(z, seen):
                    first = self.ratio ** (self.depth + 1) * (z == a)
                    return self.claim(self.tree, p, self.depth, world, seen, first)

                return self.coin(p, self.told(seen, ("answer", a)), fell)

            return self.move(1, seen, self.grid, said)

        return self.move(0, seen, (True, False), answered, hidden=True)

    def claim(self, claim, p, k, world, seen, paid):
        """Builds steps 4 to 8 of a round, or 9 to 12 at a leaf, which is round 0 at any depth."""
        if claim[0] is None:
            truth = world[claim[1]]
            yes = 1 - self.flip if truth else self.flip
            bet = lambda a, _: ("end", paid + a * (yes - p))
            return self.move(0, seen, (-1, 0, 1), bet, hidden=True)

        def betted(bet, seen):
            return self.estimates(claim, p, k, world, seen, paid, bet, [], [])

        return self.move(0, seen, (-1, 0, 1), betted, hidden=not self.public)

    def estimates(self, claim, p, k, world, seen, paid, bet, numbers, coins):
        if len(numbers) < len(claim[1]):

            def said(b, seen):
                more = lambda z, seen: self.estimates(
                    claim, p, k, world, seen, paid, bet, [*numbers, b], [*coins, z]
                )
                return self.coin(b, seen, more)

            return self.move(1, seen, self.grid, said)
        paid = paid + self.ratio**k * bet * (GATES[claim[0]](coins) - p)
        if not self.public:
            # The reward of the round reveals the bet.
            seen = self.told(seen, ("bet", bet))
        if len(numbers) == 1:
            return self.claim(claim[1][0], numbers[0], k - 1, world, seen, paid)
        goes_on = lambda j, seen: self.claim(claim[1][j], numbers[j], k - 1, world, seen, paid)
        return self.move(0, seen, range(len(numbers)), goes_on)


def written(claim, name, texts):
    """Returns the claims of a tree in the form of a scenario, with leaves by number."""
    if claim[0] is None:
        texts.append(f'"l{claim[1]}": Claim(text: "l{claim[1]}", truth: true)')
        return f"l{claim[1]}"
    names = [written(below, f"{name}{at}", texts) for at, below in enumerate(claim[1])]
    quoted = ", ".join(f'"{below}"' for below in names)
    texts.append(f'"{name}": Claim(text: "{name}", supports: [Support(gate: {claim[0]}, on: [{quoted}])])')
    return name


def scenario(debate, epsilon, rho):
    texts, worlds = [], []
    root = written(debate.tree, "c", texts)
    for number, (weight, world) in enumerate(debate.worlds):
        truths = ", ".join(f'"l{leaf}": {str(truth).lower()}' for leaf, truth in enumerate(world))
        worlds.append(f'World(name: "w{number}", weight: {weight}, truths: {{{truths}}})')
    return (
        f'Scenario(format: 1, title: "Random", problem: Argument(root: "{root}", claims: {{{", ".join(texts)}}}, '
        f'worlds: [{", ".join(worlds)}]), protocol: ProverEstimator(epsilon: "{epsilon}", rho: "{rho}"'
        f"{', direction: Public' if debate.public else ''}))"
    )


def measured(*words):
    """Runs the program. Returns its output, the seconds and the megabytes that it took."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([os.environ["DEBATE_TUI"], *words], stdout=out, stderr=err)
        kilobytes = 0
        # The usage that `wait4` reports includes the memory of this process before the program starts.
        while child.poll() is None:
            try:
                status = Path(f"/proc/{child.pid}/status").read_text()
            except OSError:
                status = ""
            peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
            kilobytes = max([kilobytes, *map(int, peaks)])
            time.sleep(0.005)
        seconds = time.perf_counter() - started
        out.seek(0)
        err.seek(0)
        assert child.returncode == 0, (words, err.read())
        return out.read().decode(), seconds, kilobytes / 1024


def run(*words):
    return measured(*words)[0]


def solved(*words):
    """Returns the bracket and its width as a share of the range, with the seconds and the megabytes."""
    out, seconds, megabytes = measured("equilibrium", *words, "--all", "--json")
    found = json.loads(out)
    assert found["lower"] <= found["upper"], found
    return found["lower"], found["upper"], found["width_of_range"], seconds, megabytes


def bracket(*words):
    lower, upper, *_ = solved(*words)
    assert upper <= lower + 1e-9, (words, lower, upper)
    return lower, upper


def drawn(numbers):
    """Returns a random small game with the numbers of its scenario."""
    epsilon, rho = numbers.choice([("1/4", "1/2"), ("1/10", "1/2"), ("9/20", "1/9")])
    leaf = itertools.count()
    shape = numbers.choice(["one", "two", "two", "three", "chain"])
    leaves = {"one": 1, "two": 2, "three": 3, "chain": 1}[shape]
    tree = (numbers.choice(list(GATES)), [(None, next(leaf)) for _ in range(leaves)])
    if shape == "chain":
        tree = (numbers.choice(["All", "Any"]), [tree])
    worlds = [
        (numbers.randint(1, 3), [numbers.random() < 0.5 for _ in range(leaves)])
        for _ in range(numbers.randint(1, 3 if leaves < 3 else 2))
    ]
    grid = numbers.choice([(0, 1), (0, Fraction(1, 2), 1)] if leaves < 3 else [(0, 1)])
    flip = numbers.choice([Fraction(0), Fraction(1, 10)])
    knows = [numbers.choice(["everything", "nothing"]) for _ in range(2)]
    grid = [Fraction(p) for p in grid]
    return Debate(tree, worlds, Fraction(epsilon), Fraction(rho), grid, flip, knows), epsilon, rho


def random_games(folder):
    numbers, worst = random.Random(37), 0.0
    for _ in range(GAMES):
        debate, epsilon, rho = drawn(numbers)
        path = Path(folder, "game.ron")
        path.write_text(scenario(debate, epsilon, rho))
        knows = ["--prover-knows", debate.knows[0], "--opponent-knows", debate.knows[1]]
        grid = ",".join(map(str, debate.grid))
        lower, upper = bracket(str(path), *knows, "--grid", grid, "--judge", f"noisy({debate.flip})")
        value, _ = program(debate.root())
        worst = max(worst, lower - value, value - upper)
        assert worst < SMALL, (value, lower, upper, path.read_text(), knows, grid, debate.flip)
    print(f"{GAMES} random games: HiGHS and the bracket are at most {worst:.1e} apart")


def read(path):
    """Reads a game in extensive form from its file."""
    lines = iter(path.read_text().splitlines()[1:])

    def node():
        line = next(lines)
        inside = line[line.index("{") + 1 : line.rindex("}")]
        if line[0] == "t":
            return ("end", Fraction(inside.split()[0]))
        if line[0] == "c":
            shares = inside.split('"')[2::2]
            return ("chance", [(Fraction(share), node()) for share in shares])
        player, place = line.split('"')[2].split()
        return ("move", int(player) - 1, place, [node() for _ in inside.split('"')[1::2]])

    return node()


EXPORTED = [
    ("hidden-flaw, 3 points", ["hidden-flaw"], "0,1/2,1"),
    ("hidden-flaw, 4 points", ["hidden-flaw"], "0,1/3,2/3,1"),
    ("hidden-flaw, 3 points, Alice knows nothing", ["hidden-flaw", "--prover-knows", "nothing"], "0,1/2,1"),
    ("three-readings, 2 points", ["three-readings", "--opponent-knows", "nothing"], "0,1"),
    ("primes-small, plain recursion", ["primes-small", "--protocol", "Recursive"], None),
]


def by_open_spiel(path, nodes):
    """Returns the value by OpenSpiel's linear programs; None if it is not installed or would take minutes."""
    if nodes > int(os.environ.get("OPEN_SPIEL_NODES", "8000")):
        return None
    try:
        import ecos  # noqa: F401
        import pyspiel
        from open_spiel.python.algorithms import sequence_form_lp
    except ImportError as missing:
        print(f"skipped OpenSpiel: {missing}")
        return None
    return sequence_form_lp.solve_zero_sum_game(pyspiel.load_game(f"efg_game(filename={path})"))[0]


def exported_games(folder):
    for name, words, grid in EXPORTED:
        path = Path(folder, "game.efg")
        path.unlink(missing_ok=True)
        said = ["--grid", grid] if grid else []
        run("export", *words, *said, "--most-nodes", "300000", "--to", "efg", "--out", str(path))
        lower, upper = bracket(*words, *said)
        value, _ = program(read(path))
        assert lower - SMALL < value < upper + SMALL, (name, value, lower, upper)
        other = by_open_spiel(path, path.read_text().count("\n") - 1)
        # OpenSpiel stops at the accuracy of its solver.
        assert other is None or abs(other - lower) < 1e-3, (name, other, lower)
        print(f"| {name} | {lower:.12f} | {upper - lower:.0e} | {value - lower:+.0e} | {other} |")


PUBLIC = "ProverEstimator(epsilon: 0.25, rho: 0.5, direction: Public)"
PARTLY_KNOWN = ["--prover-knows", "nothing", "--opponent-knows", "everything"]
TIMED = [
    *EXPORTED,
    (
        "hidden-flaw, 5 points, public bets, noisy judge, only Bob knows",
        ["hidden-flaw", "--protocol", PUBLIC, "--judge", "noisy(0.1)", *PARTLY_KNOWN],
        "0,1/4,1/2,3/4,1",
    ),
    ("primes-small, 2 points", ["primes-small"], "0,1"),
    ("primes-small, 3 points", ["primes-small"], "0,1/2,1"),
]
# Larger exported games are not solved by HiGHS here: its matrices are built in Python.
MOST_NODES = 300_000


def drawn_with_public_bets(numbers):
    """Returns a random game with public bets whose debaters know different things, of at most 100,000 histories."""
    epsilon, rho = numbers.choice([("1/4", "1/2"), ("1/10", "1/2")])
    leaves = numbers.choice([2, 2, 2, 3])
    tree = (numbers.choice(list(GATES)), [(None, leaf) for leaf in range(leaves)])
    worlds = [(numbers.randint(1, 3), [numbers.random() < 0.5 for _ in range(leaves)]) for _ in range(2)]
    points = numbers.choice([3, 4, 5]) if leaves == 2 else 2
    grid = [Fraction(point, points - 1) for point in range(points)]
    flip = numbers.choice([Fraction(0), Fraction(1, 10)])
    knows = numbers.choice([["nothing", "everything"], ["everything", "nothing"], ["nothing", "nothing"]])
    numbers_of = Fraction(epsilon), Fraction(rho)
    return Debate(tree, worlds, *numbers_of, grid, flip, knows, public=True), epsilon, rho


def times_of_random_games(folder):
    numbers, ratios, gaps = random.Random(54), [], []
    for _ in range(GAMES):
        debate, epsilon, rho = drawn_with_public_bets(numbers)
        path = Path(folder, "game.ron")
        path.write_text(scenario(debate, epsilon, rho))
        knows = ["--prover-knows", debate.knows[0], "--opponent-knows", debate.knows[1]]
        grid = ",".join(map(str, debate.grid))
        lower, upper, gap, seconds, _ = solved(
            str(path), *knows, "--grid", grid, "--judge", f"noisy({debate.flip})"
        )
        value, by_highs = program(debate.root())
        assert lower - SMALL < value < upper + SMALL, (value, lower, upper, path.read_text(), knows, grid)
        ratios.append(seconds / by_highs)
        gaps.append(gap)
    median, most = statistics.median(ratios), max(ratios)
    print(
        f"{GAMES} random games with public bets: time as a multiple of HiGHS: median {median:.2f}, most {most:.2f}; "
        f"widest bracket {max(gaps):.0e} of the range"
    )


def times(folder):
    times_of_random_games(folder)
    print("| game | nodes | seconds here | bracket / range | MB | HiGHS seconds | differs by | OpenSpiel |")
    for name, words, grid in TIMED:
        said = ["--grid", grid] if grid else []
        lower, upper, gap, seconds, megabytes = solved(*words, *said)
        path = Path(folder, "game.efg")
        path.unlink(missing_ok=True)
        cells = ["more than 300,000", "-", "-", "-"]
        export = [os.environ["DEBATE_TUI"], "export", *words, *said, "--most-nodes", str(MOST_NODES)]
        written_game = subprocess.run([*export, "--to", "efg", "--out", str(path)], capture_output=True)
        if written_game.returncode == 0:
            nodes = path.read_text().count("\n") - 1
            value, by_highs = program(read(path))
            assert lower - SMALL < value < upper + SMALL, (name, value, lower, upper)
            other = by_open_spiel(path, nodes)
            cells = [f"{nodes:,}", f"{by_highs:.2f}", f"{value - lower:+.0e}", str(other or "-")]
        here = f"{seconds:.2f} | {gap:.0e} | {megabytes:.0f}"
        print(f"| {name} | {cells[0]} | {here} | {' | '.join(cells[1:])} |", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        if "--times" in sys.argv:
            times(folder)
            sys.exit()
        random_games(folder)
        exported_games(folder)
    print("ok")
