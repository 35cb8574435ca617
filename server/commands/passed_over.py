"""Say what an ingest has passed over, and why."""

from collections import Counter
from typing import TYPE_CHECKING

from khub.server.terminal import count, tell

if TYPE_CHECKING:
    from khub.server.library.ingest_preview import IngestPreview
    from khub.server.library.ingest_result import IngestResult

NAMED = 3
"""So many files are named; JSON has them all."""
TAKE_THEM = "take them with --no-ignore"
KIND, OTHERS = "kind not read", "for other reasons"
IN_SHORT = {
    "its type ": KIND,
    "its name does not say ": KIND,
    "files of the kind ": KIND,
    "it shows the same as ": "the same as another",
    "robots.txt closes it": "closed by robots.txt",
    "it is larger than ": "too large",
}
"""How the commonest reasons begin, and what a summary says of them."""


def tell_passed_over(result: "IngestResult | IngestPreview") -> None:
    """Name on standard error the first files that are passed over, and say how to see and take the others."""
    for one in _without_rules(result)[:NAMED]:
        tell(one["source"], "passed over", one["reason"])
    if (more := result.passed_over_count - result.ignored_count - NAMED) > 0:
        tell(f"{count(more, 'more file')} passed over", "name them with --json")
    if result.ignored_count:
        number = count(result.ignored_count, "file or folder", "files and folders")
        tell(f"{number} left out by {_rules(result)}", TAKE_THEM)


def passed_over(result: "IngestResult | IngestPreview") -> str:
    """Return in words how much is passed over, and why."""
    number, ignored = result.passed_over_count, result.ignored_count
    reasons = Counter(_in_short(one["reason"]) for one in _without_rules(result))
    if (unnamed := number - ignored - reasons.total()) > 0:
        reasons[OTHERS if len(reasons) > 1 else next(iter(reasons), KIND)] += unnamed
    if not ignored and len(reasons) == 1:
        return f"{number:,} passed over ({next(iter(reasons))})"
    why = [f"{many:,} {reason}" for reason, many in reasons.most_common()]
    if ignored:
        why.append(f"{ignored:,} by {_rules(result)}")
    return f"{number:,} passed over ({', '.join(why)})"


def _without_rules(result: "IngestResult | IngestPreview") -> list[dict[str, str]]:
    """Return what no `.gitignore`, nor its name, leaves out."""
    from khub.server.library.source_walk import BY_RULE, OF_OTHERS

    return [one for one in result.passed_over if one["reason"] not in (BY_RULE, OF_OTHERS)]


def _in_short(reason: str) -> str:
    return next((short for begins, short in IN_SHORT.items() if reason.startswith(begins)), OTHERS)


def _rules(result: "IngestResult | IngestPreview") -> str:
    from khub.server.library.source_walk import BY_RULE, OF_OTHERS

    reasons = {one["reason"] for one in result.passed_over}
    return ".gitignore" if OF_OTHERS not in reasons else "name" if BY_RULE not in reasons else ".gitignore and name"
