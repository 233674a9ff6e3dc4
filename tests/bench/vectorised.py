"""What a vectorised numpy program makes of prover-estimator debate: debates a second on one core.

The yardstick beside the headless bench, which runs it where python3 has numpy. It plays what the
bench plays: a full tree of `All` gates of width Q and depth D whose leaves are true, the honest
prover against an estimator that is off by SHIFT everywhere, payoffs and their spread summed. All
debates of a batch take each step together; claims are numbered as in a heap, and what the players
know of one is looked up in an array. Prints the debates a second, and the mean payoff as a check.

    python3 tests/bench/vectorised.py [BATCH]
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy  # noqa: E402  (one thread must be asked for before)

Q, D = 2, 4
EPSILON, RHO, SHIFT = 0.1, 0.5, 0.1
BATCH = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 13  # fits a core's cache: the fastest
BATCHES, ROUNDS = max(1, (1 << 18) // BATCH), 15  # the best round counts, so that what else the machine does counts little
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
    """What the prover receives in each round of each debate, `coins` having a column for each."""
    claim = numpy.zeros(coins.shape[1], dtype=numpy.int64)
    p = estimate(claim)
    answer = TRUTH[claim] == 1.0
    yield WEIGHT[D + 1] * ((coins[0] < p) == answer)
    # Equation (13) counts only where the root's estimate was off by more than the margin.
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
    """What the prover receives in each debate, the sums of each round added to `rounds`."""
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
