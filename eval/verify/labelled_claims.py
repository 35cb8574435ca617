"""Claims about the sample documents, each with the verdict that a person gave."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.components.errors import EvaluationError
from khub.components.verify.verdict import VERDICTS

CLAIMS = Path(__file__).parent / "claims.jsonl"
HALVES = ("tune", "report")


@dataclass(frozen=True)
class LabelledClaim:
    """A claim and its verdict.

    :param id: its name.
    :param claim: one sentence.
    :param language: `en` or `zh`.
    :param cross_lingual: whether the documents that speak about it are in the other language.
    :param kind: what is decisive: `number`, `date`, `negation` …
    :param verdict: `agrees`, `differs` or `not_found`.
    :param source: the file that decides, from the folder of documents; None for `not_found`.
    :param half: `tune` (thresholds were chosen on it) or `report` (only figures are taken from it).
    """

    id: str
    claim: str
    language: str
    cross_lingual: bool
    kind: str
    verdict: str
    source: str | None
    half: str


def read_claims(path: Path) -> list[LabelledClaim]:
    """Return the claims of a JSON Lines file.

    :raises EvaluationError: naming the line that cannot be used.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path} cannot be read ({error})", "name a file of labelled claims") from error
    found = [_claim(line, f"{path}:{number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise EvaluationError(f"{path} holds no claim", "name a file of labelled claims")
    return found


def _claim(line: str, where: str) -> LabelledClaim:
    try:
        row: dict[str, Any] = json.loads(line)
        claim = LabelledClaim(**row)
    except (ValueError, TypeError) as error:
        raise EvaluationError(f"{where} is no labelled claim ({error})", "see labelled_claims.py beside it") from error
    for value, known in ((claim.verdict, VERDICTS), (claim.half, HALVES)):
        if value not in known:
            raise EvaluationError(f"{where} has {value!r}", f"write one of {', '.join(known)}")
    return claim
