"""What the cover of a company's report says of it: the company, the kind of report and its period."""

import re
from collections.abc import Callable, Sequence

_COVER = 80
"""Lines at the beginning of a document that may be its cover."""
_FORM = re.compile(r"\bFORM\s+(10-?KT?|10-?Q|20-?F|40-?F|8-?K|6-?K)(?:/A)?\b", re.IGNORECASE)
_KINDS = {"10K": "annual report", "10KT": "transition report", "10Q": "quarterly report", "20F": "annual report",
          "40F": "annual report", "8K": "current report", "6K": "report of a foreign issuer"}  # fmt: skip
_REGISTRANT = re.compile(r"(?<![\s_(（])[\s_(（]*+exact name of .{1,40} as specified in", re.IGNORECASE)
_PERIOD = re.compile(
    r"for the ((?:fiscal|quarterly|transition)? ?(?:year|quarter|period) ended:? [A-Z][a-z]+ \d{1,2}, ?\d{4})",
    re.IGNORECASE,
)
_RULE = re.compile(r"[_\-=*\s]+")
_HAN_YEAR = r"(?:20\d\d|二[〇○零Ｏ][一二][〇○零一二三四五六七八九])\s*年"
_HAN_REPORT = re.compile(
    rf"(?P<company>[\w（）()·]{{2,30}}公司)?\s*(?P<report>{_HAN_YEAR}\s*(?:年度|半年度|第?[一三]季度)报告(?:摘要)?)(?:（?全文）?)?"
)
_HAN_COMPANY = re.compile(r"[\w（）()·]{2,30}公司")
_SHORT_NAME = re.compile(r"(?:公司|证券|股票)简称\s*[:：]\s*([\w*]{2,8})")


def report_title(lines: Sequence[str]) -> str | None:
    """Return company, kind and period of a report that names them on its cover, as filings do; else None.

    :param lines: of the beginning of a document, in reading order.
    """
    cover = [" ".join(line.split()) for line in lines[:_COVER] if not _RULE.fullmatch(line)]
    return _filing(cover) or _han_report(cover)


def _filing(cover: Sequence[str]) -> str | None:
    text = " ".join(cover)
    form, named = _FORM.search(text), _first(_REGISTRANT.search, cover)
    if form is None or named is None:
        return None
    place, remark = named
    company = remark.string[: remark.start()].strip(" _(") or cover[max(place - 1, 0)]
    kind = _KINDS[form[1].upper().replace("-", "")]
    period = _PERIOD.search(text)
    return f"{company}: {kind} on Form {form[1].upper()}" + (f" for the {period[1]}" if period else "")


def _han_report(cover: Sequence[str]) -> str | None:
    found = _first(_HAN_REPORT.fullmatch, cover)
    if found is None:
        return None
    place, report = found
    whole = report["company"] or next((line for line in cover[: place + 3] if _HAN_COMPANY.fullmatch(line)), None)
    short = _SHORT_NAME.search(" ".join(cover))
    company = whole or (short and short[1])
    kind = " ".join(report["report"].split())
    return f"{company} {kind}" if company else None


def _first(find: Callable[[str], re.Match[str] | None], cover: Sequence[str]) -> tuple[int, re.Match[str]] | None:
    return next(((place, match) for place, line in enumerate(cover) if (match := find(line))), None)
