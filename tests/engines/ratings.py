"""Ratings by another route: scipy minimises minus the log-likelihood, numpy inverts the information.

Reads {"players": n, "games": [[first, second, seated, points], …]} from stdin and prints for each player the rating and its
standard error, then those of the seat. The program's own fit is held against it.
"""

import json
import sys

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

plan = json.load(sys.stdin)
players, games = plan["players"], plan["games"]
# Ratings but the first, which is fixed at 0 until the end; then the seat.
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
# Ratings relative to their mean.
center = np.zeros((free.shape[1] + 1, free.shape[1]))
center[1:] = np.eye(free.shape[1])
center[:players] -= center[:players].mean(axis=0)
values = center @ found.x
errors = np.sqrt(np.diag(center @ spread @ center.T))
print(json.dumps([list(pair) for pair in zip(values, errors)]))
