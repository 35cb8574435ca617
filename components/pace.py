"""How much work to do before its result is kept."""

STEP_S = 5.0
"""A kill costs about so many seconds of work, whatever computes them."""


def next_size(size: int, took_s: float, most: int) -> int:
    """Return how many items to take next, so that they take `STEP_S`: at most twice as many as before.

    :param size: how many were taken, 1 or more.
    :param took_s: how long they took.
    :param most: never more than these.
    """
    return max(1, min(most, 2 * size, int(size * STEP_S / max(took_s, 1e-3))))
