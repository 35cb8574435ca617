"""Formulas in MathML as LaTeX."""

import re
from collections.abc import Callable, Sequence

from bs4 import NavigableString, Tag
from bs4.element import PreformattedString

_TEX = re.compile(r"[\\^_{}]")
_SPACED = re.compile(r"[=<>≤≥≠≈≡∼≅∝∈∉⊂⊆→←↔⇒⇔±+−-]|:=")
_OPENED = "=<>≤≥≈+−-(["
_UNSEEN = re.compile("[\u2061-\u2064\u200b]")
_OF_TEX, _ESCAPED = re.compile(r"[{}$%&#_]"), r"\\\g<0>"
_ACCENTS = {"^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "¯": "bar", "‾": "bar", "→": "vec", "˙": "dot"}
_LEFT_OUT = {"annotation", "annotation-xml", "mphantom", "none", "mprescripts", "maligngroup", "malignmark"}


def math_markdown(math: Tag) -> str:
    r"""Write a formula as LaTeX: its source where the page has it, else from its parts.

    :param math: `math`.
    :returns: `$LaTeX$` with letters and signs as the page has them (η, not `\eta`); of a formula without parts its
        alternative text.
    """
    source = math.find("annotation", encoding=["application/x-tex", "application/x-latex", "TeX", "LaTeX"])
    given = source.get_text(strip=True) if source else ""
    alternative = " ".join(str(math.get("alttext") or "").split())
    if not given and _TEX.search(alternative):
        given = alternative
    latex = given or " ".join(_row(math).split())
    return f"${latex}$" if latex else alternative


def _latex(element: Tag) -> str:
    name = element.name.rpartition(":")[2]
    if name in _LEFT_OUT:
        return ""
    write = _WRITERS.get(name)
    return write(element) if write else _row(element)


def _parts(element: Tag) -> list[Tag]:
    return [child for child in element.children if isinstance(child, Tag)]


def _row(element: Tag) -> str:
    """Write what stands side by side; blanks part names of several letters, and signs between two sides."""
    line = ""
    for child in element.children:
        if isinstance(child, Tag):
            written = _latex(child)
        elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
            written = child.strip()
        else:
            continue
        if written.startswith(" ") and (not line.strip() or line.rstrip()[-1] in _OPENED):
            written = written.strip()  # the sign of a number, or a blank at the beginning
        if written and line and line[-1].isalnum() and written[0].isalnum() and _are_names(line, written):
            line += " "
        line += written
    return line.strip() if element.name == "math" else line


def _are_names(before: str, after: str) -> bool:
    return len(re.split(r"[\W\d]", before)[-1]) > 1 or len(re.split(r"[\W\d]", after)[0]) > 1


def _text(element: Tag) -> str:
    return _OF_TEX.sub(_ESCAPED, _UNSEEN.sub("", " ".join(element.get_text().split())))


def _words(element: Tag) -> str:
    # The blanks around words part them from the signs beside them.
    words = _UNSEEN.sub("", re.sub(r"\s+", " ", element.get_text()))
    return rf"\text{{{words}}}" if words.strip() else words


def _operator(element: Tag) -> str:
    sign = _text(element)
    return f" {sign} " if _SPACED.fullmatch(sign) else f"{sign} " if sign in {",", ";"} else sign


def _group(element: Tag | None) -> str:
    """Write a part so that it is one thing, in braces unless it is a single sign."""
    written = _latex(element).strip() if element else ""
    return written if len(written) == 1 else f"{{{written}}}"


def _base(element: Tag | None) -> str:
    written = _latex(element).strip() if element else ""
    return written if len(written) == 1 or re.fullmatch(r"\w+|\(.*\)", written) else f"{{{written}}}"


def _scripts(*signs: str) -> Callable[[Tag], str]:
    def write(element: Tag) -> str:
        base, *scripts = [*_parts(element), None, None][: len(signs) + 1]
        return _base(base) + "".join(
            f"{sign}{_group(part)}" for sign, part in zip(signs, scripts, strict=True) if part and _latex(part).strip()
        )

    return write


def _multiscripts(element: Tag) -> str:
    """Write scripts on both sides, as of an isotope: base, pairs of lower and upper, then those before it."""
    base, *scripts = [*_parts(element), None, None][: max(1, len(_parts(element)))]
    names = [part.name.rpartition(":")[2] if part else "" for part in scripts]
    cut = names.index("mprescripts") if "mprescripts" in names else len(scripts)
    before = _pairs(scripts[cut + 1 :])
    return f"{{}}{before}{_base(base)}{_pairs(scripts[:cut])}" if before else _base(base) + _pairs(scripts[:cut])


def _pairs(scripts: Sequence[Tag | None]) -> str:
    written = [_group(part) if part and _latex(part).strip() else "" for part in scripts]
    return "".join(f"{'_^'[place % 2]}{script}" for place, script in enumerate(written) if script)


def _over(element: Tag) -> str:
    base, above = [*_parts(element), None, None][:2]
    accent = _ACCENTS.get(_latex(above).strip()) if above else None
    return rf"\{accent}{{{_latex(base).strip()}}}" if accent and base else _scripts("^")(element)


def _command(name: str) -> Callable[[Tag], str]:
    def write(element: Tag) -> str:
        first, second = [*_parts(element), None, None][:2]
        return rf"\{name}{{{_inner(first)}}}{{{_inner(second)}}}"

    return write


def _inner(element: Tag | None) -> str:
    return _latex(element).strip() if element else ""


def _square_root(element: Tag) -> str:
    return rf"\sqrt{{{_row(element).strip()}}}"


def _root(element: Tag) -> str:
    radicand, index = [*_parts(element), None, None][:2]
    return rf"\sqrt[{_inner(index)}]{{{_inner(radicand)}}}"


def _fraction(element: Tag) -> str:
    # Without a line it is no fraction: a binomial coefficient, most often.
    bare = re.fullmatch(r"0(?:\.0*)?[a-z%]*", str(element.get("linethickness") or "").strip()) is not None
    return _command("binom" if bare else "frac")(element)


def _fenced(element: Tag) -> str:
    opened, closed = (_OF_TEX.sub(_ESCAPED, str(element.get(*side))) for side in (("open", "("), ("close", ")")))
    separator = str(element.get("separators", ","))[:1]
    return opened + f"{separator} ".join(_latex(part).strip() for part in _parts(element)) + closed


def _table(element: Tag) -> str:
    rows = [" & ".join(_row(cell).strip() for cell in _parts(row)) for row in _parts(element)]
    lines = r" \\ ".join(rows)
    return rf"\begin{{matrix}}{lines}\end{{matrix}}"


def _first(element: Tag) -> str:
    return _inner(next(iter(_parts(element)), None))


def _space(element: Tag) -> str:  # noqa: ARG001
    return " "


_WRITERS: dict[str, Callable[[Tag], str]] = {
    "mi": _text,
    "mn": _text,
    "mo": _operator,
    "mtext": _words,
    "ms": _words,
    "mspace": _space,
    "semantics": _first,
    "maction": _first,
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    "msup": _scripts("^"),
    "msub": _scripts("_"),
    "msubsup": _scripts("_", "^"),
    "mmultiscripts": _multiscripts,
    "munder": _scripts("_"),
    "mover": _over,
    "munderover": _scripts("_", "^"),
    "mfenced": _fenced,
    "mtable": _table,
}
