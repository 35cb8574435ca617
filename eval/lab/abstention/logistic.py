"""Logistic regression: how likely a question is answered, by what was found for it."""

import numpy as np

STEPS = 100
ENOUGH = 1e-9
RIDGE = 1e-3


def fit(signs: np.ndarray, answered: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the coefficients, that of the constant last, by Newton's method.

    :param signs: one row for each question.
    :param answered: 1 where the collection answers the question, else 0.
    :param weights: how much each question counts.
    """
    rows = np.column_stack([signs, np.ones(len(signs))])
    total = weights / weights.sum()
    penalty = RIDGE * np.eye(rows.shape[1]) / len(rows)
    coefficients = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = probability(signs, coefficients)
        slope = rows.T @ (total * (answered - likely)) - penalty @ coefficients
        bend = (rows * (total * likely * (1 - likely))[:, None]).T @ rows + penalty
        step = np.linalg.solve(bend, slope)
        coefficients += step
        if np.abs(step).max() < ENOUGH:
            break
    return coefficients


def probability(signs: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Return how likely each question is answered, from 0 to 1."""
    evidence = signs @ coefficients[:-1] + coefficients[-1]
    likely: np.ndarray = 1 / (1 + np.exp(-np.clip(evidence, -50, 50)))
    return likely
