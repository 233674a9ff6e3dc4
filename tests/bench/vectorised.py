"""Prover-estimator debate as a vectorised numpy program: debates per second on one core.

The headless bench runs it for comparison if python3 has numpy. It plays the same debates: a full
tree of `All` gates of width Q and depth D with true leaves, and the honest prover against an
estimator that is off by SHIFT everywhere. It sums the payoffs and their squares. All debates of a
batch take each step together. Claims are numbered as in a heap, and arrays hold the knowledge of
the players. Prints the debates per second, and the mean payoff as a check.

    python3 tests/bench/vectorised.py [BATCH]
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy  # noqa: E402  (the number of threads must be set before the import)

Q, D = 2, 4
EPSILON, RHO, SHIFT = 0.1, 0.5, 0.1
BATCH = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 13  # fits a core's cache, so it is fastest
BATCHES, ROUNDS = max(1, (1 << 18) // BATCH), 15  # the best round counts, so that other load matters little
ROUNDING = 1e-12

CLAIMS = (Q ** (D + 1) - 1) // (Q - 1)
TRUTH = numpy.ones(CLAIMS)
WEIGHT = [(EPSILON * (1.0 - RHO) / 4.0) ** k for k in range(D + 2)]


def estimate(claim):
    """The estimator: SHIFT away from the truth."""
    truth = TRUTH[claim]
    return truth + SHIFT * (1.0 - 2.0 * truth)


def bet(claim, p):
    """The honest prover's bet by equation (13)."""
    error = TRUTH[claim] - p
    return numpy.sign(error) * (numpy.abs(error) > EPSILON + ROUNDING)


def rewards(coins):
    """Yields the prover's rewards of each round, for all debates. `coins` has one column for each debate."""
    claim = numpy.zeros(coins.shape[1], dtype=numpy.int64)
    p = estimate(claim)
    answer = TRUTH[claim] == 1.0
    yield WEIGHT[D + 1] * ((coins[0] < p) == answer)
    # Equation (13) applies only if the error of the root's estimate exceeds the margin.
    loud = numpy.abs(TRUTH[claim] - p) > EPSILON + ROUNDING
    for level in range(D, 0, -1):
        coin = 1 + (D - level) * Q
        child = claim * Q + 1
        given = estimate(child)
        holds = coins[coin] < given
        chosen, carried, furthest = child, given, numpy.abs(TRUTH[child] - given)
        for place in range(1, Q):
            child = claim * Q + 1 + place
            given = estimate(child)
            holds &= coins[coin + place] < given
            distance = numpy.abs(TRUTH[child] - given)
            further = distance > furthest + ROUNDING
            chosen = numpy.where(further, child, chosen)
            carried = numpy.where(further, given, carried)
            furthest = numpy.where(further, distance, furthest)
        yield WEIGHT[level] * (loud * bet(claim, p)) * (holds - p)
        claim, p = chosen, carried
    yield loud * bet(claim, p) * (TRUTH[claim] - p)


def payoffs(coins, rounds):
    """Returns the prover's payoff in each debate, and adds the sums of each round to `rounds`."""
    payoff = numpy.zeros(coins.shape[1])
    for place, reward in enumerate(rewards(coins)):
        rounds[place] += reward.sum()
        payoff += reward
    return payoff


def main():
    random = numpy.random.Generator(numpy.random.SFC64(7))
    coins = numpy.empty((1 + Q * D, BATCH))
    total = squares = 0.0
    rounds = [0.0] * (D + 2)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(BATCHES):
            random.random(out=coins)
            received = payoffs(coins, rounds)
            total += received.sum()
            squares += (received * received).sum()
        best = min(best, time.perf_counter() - begin)
    mean = total / (ROUNDS * BATCHES * BATCH)
    print(f"{BATCHES * BATCH / best:.0f} debates a second, mean payoff {mean:.6e}")


if __name__ == "__main__":
    main()
