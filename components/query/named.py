"""What a question names that a collection knows: found by data, for preferences that exclude nothing."""

import re

from khub.components.answer import Preference
from khub.components.query.known_names import KnownNames, compared
from khub.components.query.short_filters import OTHER_TYPES
from khub.components.text.naming import years_in

SHORTEST_CHINESE, SHORTEST_OTHER = 3, 5
"""Characters from which a name is told from a word of the question."""
LONGEST = 60
LOOKED_AT = 200
"""Characters of a question in which names are looked for."""
MOST = 5
"""Names of one kind; more say that a word stands in many of them, which tells nothing."""
ORDINARY = {"archive", "code", "email", "image", "mail", "mailbox", "notebook", "slides", "text", "web", "word"}
"""Types whose names are words of most texts: "error code" asks for no source code."""
NEWEST = re.compile(r"\b(?:newest|latest|most recent|(?:most )?up to date)\b|最新|最近更新|有效版本")
CURRENT = re.compile(
    r"\b(?:right now|as of (?:now|today)|today(?:['’]?s)?|now|nowadays|at present|at the moment|presently|currently"
    r"|in (?:force|effect)"
    r"|(?<!electric )(?<!electrical )(?<!alternating )(?<!direct )(?<!rated )(?<!leakage )(?<!much )"
    r"current(?! (?:assets?|liabilit|accounts?|ratio|density|transformer|draw|consumption|sensor|directory|page|file))"
    r")\b"
    "|目前|(?<![出呈发表体实展再])现在|当前(?!目录|页|行|文件|用户|窗口|光标|位置|进程|节点|分支)|现行|如今|现有效|眼下"
)
"""Words for what holds now, which people use in passing, too; "current" also flows in wires, and stands in balance
sheets."""
_HAN = re.compile("[\u4e00-\u9fff]")
_WORDS = re.compile(r"[a-z0-9]+")


def named_in(text: str, names: KnownNames) -> list[Preference]:
    """Return the preferences of a question.

    :param text: the question.
    :param names: what the collection knows: a name that it does not know is no preference.
    :returns: `kind` is `title`, `source` (name of a file), `doc_type`, `year` (that documents are of, see `years_of`)
        or, with the value None, `newest`, or `current`, which tells editions of one text apart and no others.
    """
    said = compared(text[:LOOKED_AT])
    held = _longest(said, names)
    found = [Preference("title", spelled, key) for key in held for spelled in sorted(names.titles.get(key, ()))]
    found += [
        Preference("source", file, key) for key in held if key not in names.titles for file in sorted(names.files[key])
    ]
    found = found if len(found) <= MOST else []
    if len(names.types) > 1:
        types = {word: OTHER_TYPES.get(word, word) for word in sorted(set(_WORDS.findall(said)) - ORDINARY)}
        found += [Preference("doc_type", t, word) for word, t in types.items() if t in names.types]
    if len(names.years) > 1:
        said_years = years_in(said)
        found += [Preference("year", year, year) for year in said_years if year in names.years]
    for kind, words in (("newest", NEWEST), ("current", CURRENT)):
        if match := words.search(said):
            return [*found, Preference(kind, None, match[0])]
    return found


def _longest(said: str, names: KnownNames) -> list[str]:
    """Return the titles and files that a question holds, without those in the name of a longer one that it holds."""
    parts = (said[a:b] for a in range(len(said)) for b in range(a + 2, min(len(said), a + LONGEST) + 1))
    held = [
        part for part in dict.fromkeys(parts) if (part in names.titles or part in names.files) and _is_name(part, said)
    ]
    return [name for name in held if not any(name != other and name in other for other in held)]


def _is_name(name: str, said: str) -> bool:
    """Say whether it is long enough, and, in letters, no part of a word."""
    if _HAN.search(name):
        return len(name) >= SHORTEST_CHINESE
    whole = re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", said)
    return len(name) >= SHORTEST_OTHER and whole is not None
