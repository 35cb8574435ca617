"""How often passages answer that look as if they did."""

import math

OUTSIDE = 4.6
"""Logit of .99: evidence beyond it, on either side, is not what the line was fitted on."""
SLOPE, SHIFT = 0.23, -0.1
"""Of a logistic regression of whether one of five passages answers on the logit of the evidence (J. Platt,
*Probabilistic Outputs for Support Vector Machines*, 1999), on the half `choose` of `khub.eval.lab.answers`. A third of
its questions are near misses, and nothing that passages show tells these from answers."""
SLOPE_ABOVE = 0.02
"""Above, so that more evidence is never less confidence."""
NOT_SHOWN = 0.1
"""At most, where the question names something that no passage shown holds: of 23 such questions of `choose` one is
answered."""
FARTHEST = 50.0


def calibrated(logit: float) -> float:
    """Return how often passages answer for which so much speaks.

    :param logit: of the probability by signs (see `khub.components.answers.confidence`), which tells whether a
        collection speaks of a question's subject, not whether it answers.
    :returns: from 0 to 1; it grows with the logit.
    """
    held = max(-OUTSIDE, min(logit, OUTSIDE))
    beyond = logit - held
    line = SHIFT + SLOPE * held + (SLOPE_ABOVE * beyond if beyond > 0 else beyond)
    return 1 / (1 + math.exp(-max(-FARTHEST, min(line, FARTHEST))))


def evidence_of(confidence: float) -> float:
    """Return the probability by signs of a calibrated one, from 0 to 1: what two collections are compared by."""
    if not 0 < confidence < 1:
        return float(confidence > 0)
    line = math.log(confidence / (1 - confidence))
    held = max(-OUTSIDE, min((line - SHIFT) / SLOPE, OUTSIDE))
    beyond = line - (SHIFT + SLOPE * held)
    logit = held + (beyond / SLOPE_ABOVE if beyond > 0 else beyond)
    return 1 / (1 + math.exp(-max(-FARTHEST, min(logit, FARTHEST))))
