"""Computes ratings independently: scipy minimises the negative log-likelihood, numpy inverts the information matrix.

Reads {"players": n, "games": [[first, second, seated, points], …]} from stdin. Prints the rating and standard error of each
player, then those of the seat. A test compares them with the program's fit.
"""

import json
import sys

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

plan = json.load(sys.stdin)
players, games = plan["players"], plan["games"]
# The ratings without the first one, which is fixed at 0; then the seat.
rows = np.zeros((len(games), players + 1))
for row, (first, second, seated, _) in zip(rows, games):
    row[first] += 1
    row[second] -= 1
    row[players] = seated
points = np.array([game[3] for game in games])
free = rows[:, 1:] if rows[:, players].any() else rows[:, 1:players]


def loss(at):
    odds = free @ at
    return -(points @ log_expit(odds) + (1 - points) @ log_expit(-odds))


def slope(at):
    return -free.T @ (points - expit(free @ at))


found = minimize(loss, np.zeros(free.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-10})
chance = expit(free @ found.x)
spread = np.linalg.inv((free.T * (chance * (1 - chance))) @ free)
# Shifts the ratings to mean 0.
center = np.zeros((free.shape[1] + 1, free.shape[1]))
center[1:] = np.eye(free.shape[1])
center[:players] -= center[:players].mean(axis=0)
values = center @ found.x
errors = np.sqrt(np.diag(center @ spread @ center.T))
print(json.dumps([list(pair) for pair in zip(values, errors)]))
