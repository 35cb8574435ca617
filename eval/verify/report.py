"""The figures of `khub eval verify` as Markdown."""

from collections.abc import Iterator, Sequence
from statistics import median

from khub.components.verify.verdict import AGREES, DIFFERS, VERDICTS
from khub.eval.verify.checked_claim import CheckedClaim
from khub.eval.verify.measure import counts

NAMES = {"tune": "on which the thresholds were chosen", "report": "on which no threshold was chosen"}


def markdown(rows: Sequence[CheckedClaim], degraded: Sequence[dict[str, str]], about: dict[str, str]) -> str:
    """Return the report: for each half, verdicts by language, precision, citations, and every wrong verdict.

    :param rows: from `measure`.
    :param degraded: what stood in for what.
    :param about: what was measured, and where: name -> value.
    """
    lines = ["# Verdicts on claims", ""]
    lines += [f"- {name}: {value}" for name, value in about.items()]
    lines.append(f"- median: {median(row['ms'] for row in rows):.0f} ms a claim")
    lines += [f"- degraded: {entry['stage']}: {entry['reason']}" for entry in degraded]
    for half in dict.fromkeys(row["claim"].half for row in rows):
        own = [row for row in rows if row["claim"].half == half]
        lines += ["", f"## The half {NAMES[half]}", "", *_table(own), "", *_told(own)]
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[CheckedClaim]) -> Iterator[str]:
    yield "| claims | verdict | right | said agrees | said differs | said not found |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for name, own in _groups(rows):
        found = counts(own)
        for verdict in VERDICTS:
            of = found["by_verdict"][verdict]
            said = " | ".join(str(of["said"][v]) for v in VERDICTS)
            yield f"| {name} | {verdict.replace('_', ' ')} | {_share(of['right'], of['claims'])} | {said} |"
        yield f"| {name} | **all** | **{_share(found['right'], found['claims'])}** | | | |"


def _groups(rows: Sequence[CheckedClaim]) -> Iterator[tuple[str, list[CheckedClaim]]]:
    for language, name in (("en", "English"), ("zh", "Chinese")):
        yield name, [row for row in rows if row["claim"].language == language]
    yield "document in the other language", [row for row in rows if row["claim"].cross_lingual]
    yield "all", list(rows)


def _told(rows: Sequence[CheckedClaim]) -> Iterator[str]:
    found = counts(rows)
    precision = ", ".join(f"{v.replace('_', ' ')} {_share(*found['precision'][v])}" for v in VERDICTS)
    yield f"Of what was said, so much is right: {precision}."
    false = found["by_verdict"][DIFFERS]
    yield f"False claims that are said to agree: {_share(false['said'][AGREES], false['claims'])}."
    yield f"The first citation is from the file that decides: {_share(*found['cited'])}."
    wrong = [row for row in rows if row["said"] != row["claim"].verdict]
    if wrong:
        yield ""
        yield "Wrong:"
        yield ""
    for row in wrong:
        claim = row["claim"]
        yield f"- {claim.id} ({claim.kind}): {claim.claim} {claim.verdict} -> {row['said']} ({row['confidence']:.2f})"


def _share(right: int, of: int) -> str:
    return f"{right}/{of} ({right / of:.0%})" if of else "0/0"
