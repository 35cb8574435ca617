"""Ask a graph for its verdicts on labelled claims, and count."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from khub.components.errors import EvaluationError
from khub.components.value import as_json
from khub.components.verify.verdict import VERDICTS
from khub.eval.retrieve.run import fill
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import NAME
from khub.eval.verify.checked_claim import CheckedClaim
from khub.eval.verify.claim_counts import ClaimCounts, VerdictCounts
from khub.eval.verify.labelled_claims import LabelledClaim
from khub.server.graphs.load import load_graph
from khub.server.questions.verify import verify

AT_A_TIME = 20


def measure(
    claims: Sequence[LabelledClaim], documents: Path, graph_name: str, ingest_name: str
) -> tuple[list[CheckedClaim], list[dict[str, str]]]:
    """Return each claim beside what the graph says of it, and what was degraded.

    :param claims: with their verdicts; those about a file that is not there are left out.
    :param documents: the folder that they are about; a throw-away collection is made of it.
    :param graph_name: graph of kind `verify`.
    :param ingest_name: graph of kind `ingest` that fills the collection.
    :returns: rows of `claim` (a `LabelledClaim`), `said`, `confidence`, `reason`, `source` (the first citation's file
        name) and `ms`; and the different entries of `degraded`.
    :raises KhubError: when a graph or the folder cannot be used, or all claims are left out.
    """
    absent = sorted(
        {str(claim.source) for claim in claims if claim.source and not (documents / claim.source).is_file()}
    )
    claims = [claim for claim in claims if claim.source not in absent]
    if not claims:
        raise EvaluationError(f"{documents} holds none of {', '.join(absent)}", "name their folder by --documents")
    graph = load_graph(ingest_name)
    load_graph(graph_name)
    collection = fill(documents.name, documents, graph)
    rows: list[CheckedClaim] = []
    degraded = [{"stage": "documents", "reason": f"{file} is absent: its claims are skipped"} for file in absent]
    with hub_home_at(collection.home):
        for start in range(0, len(claims), AT_A_TIME):
            part = claims[start : start + AT_A_TIME]
            found = verify([claim.claim for claim in part], NAME, graph_name)
            degraded += [entry for entry in as_json(found.degraded) if entry not in degraded]
            milliseconds = found.timings_ms["total"] / len(part)
            for claim, said in zip(part, found.claims, strict=True):
                cited = said.citations[0].source if said.citations else None
                rows.append({
                    "claim": claim,
                    "said": said.verdict,
                    "confidence": said.confidence,
                    "reason": said.reason,
                    "source": collection.relative(cited) if cited else None,
                    "ms": milliseconds,
                })  # fmt: skip
    return rows, degraded


def counts(rows: Sequence[CheckedClaim]) -> ClaimCounts:
    """Return how many claims there are, how many verdicts are right, and what was said instead.

    :param rows: from `measure`.
    :returns: `claims`, `right`; `by_verdict`: verdict -> `claims`, `right`, `said` (verdict -> number); `precision`:
        verdict -> (right, said); `cited`: (decided claims of which the first citation is the labelled file, decided).
    """
    by_verdict: dict[str, VerdictCounts] = {}
    for verdict in VERDICTS:
        own = [row for row in rows if row["claim"].verdict == verdict]
        said = Counter(row["said"] for row in own)
        by_verdict[verdict] = {"claims": len(own), "right": said[verdict], "said": {v: said[v] for v in VERDICTS}}
    said_in_all = Counter(row["said"] for row in rows)
    right = [row for row in rows if row["said"] == row["claim"].verdict]
    decided = [row for row in right if row["claim"].source]
    return {
        "claims": len(rows),
        "right": len(right),
        "by_verdict": by_verdict,
        "precision": {v: (by_verdict[v]["right"], said_in_all[v]) for v in VERDICTS},
        "cited": (sum(row["source"] == row["claim"].source for row in decided), len(decided)),
    }
