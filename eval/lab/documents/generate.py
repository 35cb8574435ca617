"""Documents with known structure, the same ones on every run."""

import random
from collections.abc import Callable
from dataclasses import replace

from khub.eval.lab.documents.generate_tables import make_table
from khub.eval.lab.documents.material import TOPICS
from khub.eval.lab.documents.material.topic import Topic
from khub.eval.lab.documents.model import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Items,
    Link,
    Note,
    Paragraph,
    Quote,
    Span,
    Strong,
    Style,
)
from khub.eval.lab.documents.numbering import SCHEMES, Numbering
from khub.eval.lab.documents.values import Values

VARIANTS = 9
RULINGS = ("grid", "booktabs", "grid", "none", "grid", "rows", "grid", "booktabs", "none")
FEATURES = (
    "plain", "bullets", "phrases", "note", "nested", "merged", "code", "steps", "long", "quote", "link", "strong",
)  # fmt: skip
TABLE_KINDS = {"plain", "phrases", "merged", "long"}
FOOTERS = {"en": ("Page {page}", "{page}", "- {page} -", ""), "zh": ("第 {page} 页", "{page}", "- {page} -", "")}
SEE = {"en": ("Details are in ", "."), "zh": ("详细内容请查阅", "。")}


def generate() -> list[Document]:
    """Make all documents: every topic in every variant.

    :returns: 72 of them, half of them English.
    """
    return [_Writer(topic, variant).document() for variant in range(VARIANTS) for topic in TOPICS]


class _Writer:
    def __init__(self, topic: Topic, variant: int) -> None:
        self.topic = topic
        self.variant = variant
        self.turn = variant + TOPICS.index(topic)
        self.values = Values(random.Random(f"{topic.language}-{topic.name}-{variant}"), topic.language)
        scheme = SCHEMES[topic.language][self.turn % len(SCHEMES[topic.language])]
        self.numbering = Numbering(topic.language, scheme)
        self.notes = 0
        self.tables = 0

    def document(self) -> Document:
        name = f"{self.topic.language}-{self.topic.name}-{self.variant}"
        return Document(name, self.topic.language, self._style(), tuple(self._blocks()))

    def _style(self) -> Style:
        variant, turn = self.variant, self.turn
        return Style(
            serif=turn % 2 == 0,
            size=(10.5, 11.0, 9.5, 12.0, 10.0)[turn % 5],
            columns=2 if variant in {2, 6} or (self.topic.name == "research" and variant % 3 == 1) else 1,
            header="" if turn % 4 == 3 else self.topic.running[turn % len(self.topic.running)],
            footer=FOOTERS[self.topic.language][turn % 4],
            justified=turn % 3 != 0,
            indented=turn % 3 == 1,
            outline=turn % 2 == 1,
        )

    def _blocks(self) -> list[Block]:
        topic, values = self.topic, self.values
        blocks: list[Block] = [Heading(1, topic.titles[self.variant % len(topic.titles)]), self._paragraph()]
        features = list(FEATURES)
        values.random.shuffle(features)
        sections = topic.sections[self.variant % 3 : self.variant % 3 + 5 + self.turn % 2]
        for number, section in enumerate(sections):
            blocks.append(Heading(2, self.numbering.next(2, values.fill(section))))
            blocks += self._with(features.pop() if features else "", 1 + number % 2)
            for sub in range((number + self.turn) % 4):
                blocks.append(Heading(3, self.numbering.next(3, values.pick(topic.subsections))))
                blocks += self._with(features.pop() if features else "", 1)
                if (sub + number + self.variant) % 3 == 0:
                    for _ in range(2):
                        blocks.append(Heading(4, self.numbering.next(4, values.pick(topic.subsections))))
                        blocks += self._with(features.pop() if features else "", 1)
        for feature in features:
            blocks += self._with(feature, 1)
        return [self._clean(block) for block in blocks]

    def _with(self, feature: str, paragraphs: int) -> list[Block]:
        blocks: list[Block] = [self._paragraph() for _ in range(paragraphs)]
        if feature in TABLE_KINDS:
            return [*blocks, self._table(feature), self._paragraph()]
        made: dict[str, Callable[[], Block]] = {
            "bullets": self._bullets, "nested": self._nested, "steps": self._steps, "code": self._code,
            "quote": self._quote, "note": self._noted, "link": self._linked, "strong": self._strong,
        }  # fmt: skip
        return [*blocks, made[feature]()] if feature else blocks

    def _sentences(self, least: int, most: int) -> list[str]:
        return [self.values.pick(self.topic.sentences) for _ in range(self.values.random.randrange(least, most + 1))]

    def _joined(self, sentences: list[str]) -> str:
        return (" " if self.topic.language == "en" else "").join(sentences)

    def _paragraph(self) -> Paragraph:
        return Paragraph((self._joined(self._sentences(3, 7)),))

    def _noted(self) -> Paragraph:
        spans: list[Span] = []
        for _ in range(2):
            self.notes += 1
            spans += [self._joined(self._sentences(1, 3)), Note(self.notes, self.values.pick(self.topic.notes))]
            spans.append(" " if self.topic.language == "en" else "")
        return Paragraph((*spans, self._joined(self._sentences(1, 2))))

    def _linked(self) -> Paragraph:
        before, after = SEE[self.topic.language]
        text, url = self.values.random.choice(self.topic.links)
        gap = " " if self.topic.language == "en" else ""
        return Paragraph((self._joined(self._sentences(2, 4)) + gap + before, Link(text, url), after))

    def _strong(self) -> Paragraph:
        first, *rest = self._sentences(3, 5)
        return Paragraph((Strong(first), (" " if self.topic.language == "en" else "") + self._joined(rest)))

    def _quote(self) -> Quote:
        return Quote((self.values.pick(self.topic.quotes),))

    def _code(self) -> Code:
        return Code(self.values.random.choice(self.topic.codes))

    def _list(self, ordered: bool, phrases: tuple[str, ...], count: int) -> tuple[Item, ...]:
        chosen = phrases[:count] if ordered else [self.values.pick(phrases) for _ in range(count)]
        return tuple(Item((self.values.fill(phrase),)) for phrase in chosen)

    def _bullets(self) -> Items:
        return Items(False, self._list(False, self.topic.items, 4 + self.variant % 3))

    def _steps(self) -> Items:
        return Items(True, self._list(True, self.topic.steps, 5 + self.variant % 4))

    def _nested(self) -> Items:
        inner = Items(self.turn % 2 == 0, self._list(False, self.topic.items, 3))
        first, *others = self._list(False, self.topic.items, 4)
        return Items(False, (Item(first.spans, inner), *others))

    def _table(self, kind: str) -> Block:
        self.tables += 1
        choices = [columns for columns in self.topic.tables if not isinstance(columns.kinds[0], tuple)]
        columns = self.topic.tables[1] if kind == "phrases" else choices[(self.tables + self.variant) % len(choices)]
        if kind == "merged":
            columns = next(columns for columns in self.topic.tables if columns.groups)
        if kind == "plain" and self._style().columns > 1:
            columns = replace(columns, head=columns.head[:3], kinds=columns.kinds[:2])  # fits into a column of the page
        label = f"Table {self.tables}: " if self.topic.language == "en" else f"表{self.tables} "
        ruling = RULINGS[(self.variant + self.turn) % len(RULINGS)]
        caption = "" if (self.tables + self.variant) % 4 == 0 else label + columns.caption
        return make_table(self.values, columns, kind, ruling, caption)

    @staticmethod
    def _clean(block: Block) -> Block:
        return Heading(block.level, block.text.replace("~", "")) if isinstance(block, Heading) else block
