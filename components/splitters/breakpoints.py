"""Where a sequence of sentences is cut, given how far apart their vectors are."""

from dataclasses import dataclass

import numpy as np


def gap_distances(vectors: np.ndarray, window: int) -> np.ndarray:
    """Return the cosine distance across each gap between neighbours.

    :param vectors: (n, dimension), n at least 1, each row of unit length.
    :param window: how many rows on each side of a gap are summed before they are compared.
    :returns: (n - 1), each in [0, 2]; 1 where a side has no direction.
    """
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)])
    gaps = np.arange(1, len(vectors))
    before = sums[gaps] - sums[np.maximum(gaps - window, 0)]
    after = sums[np.minimum(gaps + window, len(vectors))] - sums[gaps]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines = np.einsum("ij,ij->i", before, after) / np.where(lengths > 0, lengths, 1)
    return np.asarray(1 - cosines)


@dataclass(frozen=True)
class Breakpoints:
    """Cuts a sequence of units into runs.

    :param threshold: distance above which a gap is a breakpoint, unless a gap beside it is wider.
    :param chunk_size: greatest length of a run, as far as its gaps allow.
    :param min_size: least length of a run.
    """

    threshold: float
    chunk_size: float
    min_size: float

    def runs(self, starts: np.ndarray, ends: np.ndarray, distances: np.ndarray) -> list[tuple[int, int]]:
        """Cut at the breakpoints, and what is then too long at its widest gap, again until it fits.

        :param starts: (n) where each unit starts, ascending, in the unit of the sizes.
        :param ends: (n) where it ends.
        :param distances: (n - 1) across the gaps.
        :returns: first unit and the one after the last of each run, in order; a run above `chunk_size` is one of a
            single unit, or has no gap that leaves `min_size` on both sides.
        """
        runs: list[tuple[int, int]] = []
        first = 0
        for gap in np.flatnonzero((distances > self.threshold) & _peaks(distances)).tolist():
            if ends[gap] - starts[first] >= self.min_size and ends[-1] - starts[gap + 1] >= self.min_size:
                runs.append((first, gap + 1))
                first = gap + 1
        waiting = [*runs, (first, len(starts))][::-1]
        fitting: list[tuple[int, int]] = []
        while waiting:
            first, last = waiting.pop()
            widest = self._widest(starts[first:last], ends[first:last], distances[first : last - 1])
            if widest is None:
                fitting.append((first, last))
            else:
                waiting += [(first + widest + 1, last), (first, first + widest + 1)]
        return fitting

    def _widest(self, starts: np.ndarray, ends: np.ndarray, distances: np.ndarray) -> int | None:
        """Return the gap at which a run that is too long is cut: among equals the one next to its middle."""
        if ends[-1] - starts[0] <= self.chunk_size:
            return None
        left, right = ends[:-1] - starts[0], ends[-1] - starts[1:]
        allowed = np.flatnonzero((left >= self.min_size) & (right >= self.min_size))
        if not len(allowed):
            return None
        widest = allowed[distances[allowed] >= distances[allowed].max() - 1e-9]
        return int(widest[np.argmin(np.abs(left - right)[widest])])


def _peaks(distances: np.ndarray) -> np.ndarray:
    """Say of each gap whether none beside it is wider: around a change of subject, a window makes all gaps wide."""
    padded = np.concatenate([[-np.inf], distances, [-np.inf]])
    return np.asarray((distances >= padded[:-2]) & (distances >= padded[2:]))
