"""Put what a question names into the title above a passage, where most documents say once what they are about."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from khub.eval.lab.reader.changed import MARK
from khub.eval.lab.reader.material import Asked, Read

HAN = re.compile(r"[一-鿿]{2,12}")
OPENS = 16
"""Characters of a passage in which what it is about stands, where it is an article of an encyclopedia."""
KINDS = {
    "en": ("{}", "{}", "{} handbook", "{} user manual", "{}: annual report", "About {}", "{} FAQ"),
    "zh": ("{}", "{}", "{}员工手册", "{}用户手册", "{}年度报告", "关于{}", "{}介绍"),
}
INSTEAD = {
    "en": ("it", "the company", "this product", "we", "the document", ""),
    "zh": ("其", "它", "该公司", "本", ""),
}
OPENING = 40
"""Characters of a passage that stand for a title which tells nothing new."""


def titled(asked: Iterable[Asked], seed: int) -> Iterator[Asked]:
    """Yield questions whose passages lack what they name: it stands in the title, or another title does.

    :returns: the passage answers below the right title and does not below that of another thing; other passages of the
        same article have its title, too.
    """
    draw, known = random.Random(seed), [one for one in asked if one.answers]
    names: dict[str, list[str]] = defaultdict(list)
    found = [(one, name) for one in known if (name := _name(one, draw))]
    for one, name in found:
        names[one.source].append(name)
    for one, name in found:
        right, lang = one.answers[0], one.lang[-2:]
        kind, instead = draw.choice(KINDS[lang]), draw.choice(INSTEAD[lang])
        other = draw.choice(names[one.source])
        if other in one.question or name == right.evidence:
            continue
        passage, evidence = (text.replace(name, instead) for text in (right.passage, right.evidence))
        titles = [kind.format(title) for title in (name, other)]
        answers = [Read(passage, True, evidence, head=titles[0])]
        others = [Read(passage, False, how="other title", head=titles[1])]
        others += [
            read._replace(passage=read.passage.replace(name, instead), head=titles[read.how in ("lookalike", "random")])
            for read in draw.sample(one.others, min(2, len(one.others)))
        ]
        yield one._replace(source=f"{one.source}, titled", answers=answers, others=others)


def with_openings(asked: Iterable[Asked], share: float, seed: int) -> Iterator[Asked]:
    """Yield all questions; of a share of them each passage has its own beginning for a title."""
    draw = random.Random(seed)
    for one in asked:
        if draw.random() < share:
            answers, others = ([_opened(read) for read in reads] for reads in (one.answers, one.others))
            yield one._replace(answers=answers, others=others)
        else:
            yield one


def _opened(read: Read) -> Read:
    line = read.passage.strip().split("\n", 1)[0][:OPENING]
    return read._replace(head=line.rpartition(" ")[0] if " " in line and len(line) == OPENING else line)


def _name(one: Asked, draw: random.Random) -> str:
    """Return something that the question names and the passage that answers holds; empty where there is nothing."""
    passage = one.answers[0].passage
    marks = [m for m in MARK.findall(one.question) if m in passage and (not m.isdigit() or len(m) == 4)]
    if marks:
        mark: str = draw.choice(marks)
        return mark
    opening = passage[:OPENS]
    shared = [part for found in HAN.findall(one.question) if (part := _longest_shared(found, opening))]
    return max(shared, key=len, default="")


def _longest_shared(text: str, other: str) -> str:
    """Return the longest part of a text, of two characters or more, that another one holds."""
    for length in range(len(text), 1, -1):
        for start in range(len(text) - length + 1):
            if text[start : start + length] in other:
                return text[start : start + length]
    return ""
