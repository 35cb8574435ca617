"""How likely it is that a question is answered in each of the languages of its candidates."""

import math
from collections.abc import Mapping

WIDTH = 0.35
"""Of the step from a language that counts in full to one that counts for nothing, in standard deviations."""


def language_shares(
    cosines: Mapping[str, float],
    languages: Mapping[str, str],
    means: Mapping[str, float],
    spread: float,
    tolerance: float,
) -> dict[str, float]:
    """Say how much the passages of each language count, from 0 to 1.

    Each leg looks for passages of every language by itself, and compares them with others of their own. So one of them
    stands out in each language, whether or not anything there is about the question. What tells is how far the best one
    is above passages at random in that language, measured by the spread of their cosines: where nothing is about the
    question, hardly farther than the best of so many at random. A language whose best passage is `tolerance` standard
    deviations behind the best one of all counts half, and less the further it is behind; the one of the best counts 1.

    :param cosines: of the candidates, by id; those without one say nothing.
    :param languages: of all candidates, by id.
    :param means: of each language, the cosine of the question to passages at random.
    :param spread: standard deviation of these cosines, above 0.
    :param tolerance: above 0.
    :returns: one number for each language that has both a mean and a cosine.
    """
    best: dict[str, float] = {}
    for id_, cosine in cosines.items():
        language = languages.get(id_, "")
        if language in means:
            ahead = (cosine - means[language]) / spread
            best[language] = max(ahead, best.get(language, ahead))
    first = max(best.values(), default=0.0)
    whole = 1 + math.exp(-tolerance / WIDTH)
    return {
        language: whole / (1 + math.exp(min((first - ahead - tolerance) / WIDTH, 50.0)))
        for language, ahead in best.items()
    }
