"""Other words for the words of a question, from plain files: those of a domain, which ship, and the user's own."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from khub.components.errors import GraphError
from khub.components.query.phrases import holds, places
from khub.components.question import Expansion
from khub.components.text.nearest_name import nearest
from khub.components.text.tokenizer import tokenize_phrase

FILE_NAME = "synonyms.txt"
DOMAINS = {path.stem: path for path in sorted(Path(__file__).with_name("domains").glob("*.txt"))}
"""Name -> file of what ships: notions as people ask for them, and the words by which documents hold them."""
MAX_BYTES = 2_000_000
TOLD_LINES = 3
"""So many broken lines of a file are told one by one."""

_COMMENT = re.compile(r"(?:^|\s)#.*")
_SEPARATOR = re.compile("[,、]")

Tokens = tuple[str, ...]


@dataclass
class Synonyms:
    """What one file says.

    :param others: first token of a word -> (tokens of the word, the word, each other word by its tokens).
    :param problems: what is wrong with the file, a line each.
    """

    others: dict[str, list[tuple[Tokens, str, dict[Tokens, str]]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, word: str, others: list[str], tokens_of: Mapping[str, Tokens]) -> None:
        """Let a word be looked for by others, too."""
        tokens = tokens_of[word]
        same_as = {tokens_of[other]: other for other in others}
        same_as.pop(tokens, None)
        self.others.setdefault(tokens[0], []).append((tokens, word, same_as))

    def found(self, question: list[str]) -> Iterator[tuple[int, Tokens, str, dict[Tokens, str]]]:
        """Yield (place, tokens, word, each other word by its tokens) for each word of the file in the question."""
        for first in dict.fromkeys(question):
            for tokens, word, others in self.others.get(first, ()):
                for place in places(question, tokens):
                    yield place, tokens, word, others


def synonym_files(home: Path, slug: str | None) -> list[Path]:
    """Return where synonyms of all collections and of one stand; the files need not be there.

    :param home: the hub's data folder.
    :param slug: of the collection, None for none.
    """
    return [home / FILE_NAME, *([home / "collections" / slug / FILE_NAME] if slug else [])]


def named_files(names: Sequence[str]) -> list[Path]:
    """Return the files that a graph names.

    :param names: domains that ship, and paths of files of one's own.
    :raises GraphError: naming one that is neither.
    """
    files = [DOMAINS.get(name, Path(name).expanduser()) for name in names]
    for name, file in zip(names, files, strict=True):
        if not file.is_file() and name not in DOMAINS and (file.suffix or file.name != name):
            raise GraphError(f"there is no file of synonyms {file.absolute()}", "write it, or give its whole path")
        if not file.is_file():
            remedy = nearest(name, DOMAINS, f"name some of {', '.join(DOMAINS)}, or the path of a file")
            raise GraphError(f"there are no synonyms {name!r}", remedy)
    return files


def read_synonyms(path: Path) -> Synonyms:
    """Return what a file says, as of its last change.

    A line holds words that mean the same, with `=` or `,` between them (`k8s = kubernetes`; `API, 接口, 应用程序接口`).
    With `=>`, what stands before it is also looked for by what stands behind it, and not the other way round. What
    follows a `#` at the beginning of a line or behind a space is a comment.

    :param path: of the file; nothing is said by one that is not there.
    :returns: the synonyms of the lines that can be read, and what is wrong with the others.
    """
    try:
        state = path.stat()
    except FileNotFoundError:
        return Synonyms()
    except OSError as error:
        return Synonyms(problems=[f"{path} cannot be read ({error.strerror}): see to its permissions"])
    return _read(path, state.st_mtime_ns, state.st_size)


def expansions(question: list[str], files: list[Synonyms], weight: float) -> list[Expansion]:
    """Return other words for those of a question.

    Where words overlap, the longest one counts (`machine learning` and not `learning`).

    :param question: all tokens of the question.
    :param files: what each file says.
    :param weight: of what is found, above 0.
    :returns: each list of tokens once, without those that the question holds itself.
    """
    found = [match for synonyms in files for match in synonyms.found(question)]
    spans = {(place, place + len(tokens)) for place, tokens, _, _ in found}
    result: dict[Tokens, Expansion] = {}
    for place, tokens, word, others in found:
        start, end = place, place + len(tokens)
        if any(first <= start and end <= last and (first, last) != (start, end) for first, last in spans):
            continue
        for other, text in others.items():
            if not holds(question, other):
                result.setdefault(other, Expansion(list(other), len(other) > 1, weight, word, text))
    return list(result.values())


@lru_cache(maxsize=32)
def _read(path: Path, mtime_ns: int, size: int) -> Synonyms:  # noqa: ARG001 - a change of the file is another key
    if size > MAX_BYTES:
        return Synonyms(problems=[f"{path} has {size} bytes, {MAX_BYTES} are allowed: keep what is needed"])
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return Synonyms(problems=[f"{path} is not UTF-8: save it as UTF-8"])
    except OSError as error:
        return Synonyms(problems=[f"{path} cannot be read ({error.strerror}): see to its permissions"])
    return parse_synonyms(text, str(path))


def parse_synonyms(text: str, name: str) -> Synonyms:
    """Read the lines of a file (see `read_synonyms`).

    :param text: of the file.
    :param name: what its problems call it.
    """
    synonyms = Synonyms()
    broken: list[str] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _COMMENT.sub("", unicodedata.normalize("NFKC", raw)).strip()
        if not line:
            continue
        problem = _take(line, synonyms)
        if problem:
            broken.append(f"{name} line {number} {_shown(line)!r} {problem}")
    synonyms.problems += broken[:TOLD_LINES]
    if len(broken) > TOLD_LINES:
        synonyms.problems.append(f"{name}: {len(broken) - TOLD_LINES} further lines cannot be read, either")
    return synonyms


def _take(line: str, synonyms: Synonyms) -> str:
    """Add what a line says; return what is wrong with it, or ""."""
    parts = line.split("=>")
    sides = [[word.strip() for word in _SEPARATOR.split(part)] for part in parts]
    if len(parts) == 1:
        sides = [[word.strip() for part in line.split("=") for word in _SEPARATOR.split(part)]]
    if len(parts) > 2 or (len(parts) == 2 and "=" in line.replace("=>", "")):
        return "has more than one arrow: write WORD => WORD, or WORD = WORD for both directions"
    words = [word for side in sides for word in side]
    if not all(words):
        return "lacks a word: write WORD = WORD, or WORD => OTHER WORD"
    tokens = {word: tuple(tokenize_phrase(word)) for word in words}
    unsearchable = [word for word in words if not tokens[word]]
    if unsearchable:
        return f"has {unsearchable[0]!r}, in which there is nothing to search for: write words"
    if len(set(tokens.values())) < 2:
        return "has no second word: write WORD = WORD, or WORD => OTHER WORD"
    for word in sides[0]:
        synonyms.add(word, [other for other in sides[-1] if other != word], tokens)
    return ""


def _shown(line: str) -> str:
    return line if len(line) <= 60 else line[:59] + "…"
