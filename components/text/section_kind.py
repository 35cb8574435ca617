"""Sections that name other texts or other pages of their own, and say little themselves."""

import re

_NUMBER = r"\A(?:(?:appendix|annex|chapter|part|item|附\s*录)\s*+)?(?:[A-Z]|[\divx]+)?(?:\.\d+)*[ \t.:：、—-]*"
_HEADINGS = {
    "references": r"references(?: and (?:notes|further reading))?|(?:selected |annotated )?bibliography|works cited"
    r"|literature cited|further reading|(?:主\s*要\s*)?参\s*考\s*(?:文\s*献|资\s*料|书\s*目)",
    "exhibits": r"exhibit index|index (?:to|of) exhibits|list of exhibits|exhibits"
    r"|exhibits?(?: and|,) financial statements?(?: schedules?)?",
    "index": r"(?:subject |author |general |alphabetical )?index|索\s*引",
    "contents": r"(?:table of )?contents|list of (?:figures|tables)|目\s*录|目\s*次|[图表]+\s*目\s*录",
}
_KINDS = {kind: re.compile(f"{_NUMBER}(?:{named})", re.IGNORECASE) for kind, named in _HEADINGS.items()}
_AROUND = " \t#*_:：.。"
_LONGEST = 80
_PAGE = re.compile(r"(?<![.·…])(?<![.·…][ \t])[.·…](?:[ \t]?[.·…]){3,}+[ \t]*+(\d{1,4})[ \t|]*+$")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_CITED = re.compile(
    r"\bet al\b|\bpp?\. ?\d|\bIn Proc|\barXiv\b|\bJournal\b|\bPress\b|\bdoi\b|\[[JMCDRN]\]|出版社|学报|\d\(\d+\): ?\d"
)
LEAST_LINES, MOST_OF_THEM = 3, 0.6


def section_kind(section: str, content: str) -> str | None:
    """Return "references", "exhibits", "index" or "contents" for a passage of such a section, else None.

    :param section: its heading path, "A > B": the last heading names the kind.
    :param content: its text: where the heading was lost, most of its lines show it.
    """
    heading = section.rpartition(" > ")[2].strip(_AROUND)
    if len(heading) <= _LONGEST:
        for kind, named in _KINDS.items():
            if named.fullmatch(heading):
                return kind
    lines = [line for line in content.split("\n") if line.strip() and not line.startswith(("#", "| ---"))]
    pages = [int(page[1]) for line in lines if (page := _PAGE.search(line))]
    if _are_most(len(pages), lines) and pages == sorted(pages):
        return "contents"
    cited = [line for line in lines if _YEAR.search(line) and _CITED.search(line) and not line.startswith("|")]
    return "references" if _are_most(len(cited), lines) else None


def _are_most(number: int, lines: list[str]) -> bool:
    return number >= LEAST_LINES and number > MOST_OF_THEM * len(lines)
