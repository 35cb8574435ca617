"""Compare scores across languages: each by how far it stands out in its own."""

from collections.abc import Mapping, Sequence


def standing_out(scores: Mapping[str, float], languages: Mapping[str, str], neighbours: int) -> dict[str, float]:
    """Subtract from each score the mean of the best ones in the same language.

    A passage in another language than the question has lower scores than one in its own that says the same; but so have
    the other passages of that language. What counts is how far it is ahead of them. This is the question's half of
    cross-domain similarity local scaling (CSLS; Conneau et al., *Word Translation Without Parallel Data*, ICLR 2018);
    within one language, it changes no order.

    :param scores: of each passage.
    :param languages: of each passage, at least of all that `scores` has.
    :param neighbours: so many of the best make the mean. Where there are fewer, the lowest score of all stands in for
        each that is missing: the only passage of a language would never stand out from itself.
    :returns: one number for each passage.
    """
    lowest = min(scores.values(), default=0.0)
    best: dict[str, list[float]] = {}
    for id_, score in scores.items():
        best.setdefault(languages[id_], []).append(score)
    means = {language: _mean(sorted(found)[-neighbours:], neighbours, lowest) for language, found in best.items()}
    return {id_: score - means[languages[id_]] for id_, score in scores.items()}


def languages_of(passages: Sequence[tuple[str, str | None]], own: str | None) -> dict[str, str]:
    """Return the language of each passage; one that is not known counts as the question's.

    :param passages: (id, language).
    :param own: the question's language, None or `und` where it is not known: then all are in one.
    """
    unknown = {None, "", "und"}
    if own in unknown:
        return dict.fromkeys((id_ for id_, _ in passages), "und")
    return {id_: str(own if language in unknown else language) for id_, language in passages}


def _mean(best: list[float], neighbours: int, lowest: float) -> float:
    return (sum(best) + lowest * (neighbours - len(best))) / neighbours
