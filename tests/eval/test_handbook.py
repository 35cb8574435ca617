"""The golden questions of the handbook: each has one clear place, and its evidence stands there and nowhere else."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from components.converters.file_types import doc_type_of
from components.converters.markitdown_converter import MarkItDownConverter
from components.query.stopwords import without_stopwords

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "eval" / "samples"
SOURCES = ROOT / "eval" / "samples_source" / "handbook"
GOLDEN = ROOT / "eval" / "golden"
LANGUAGES = ("en", "zh")
LEAST = {
    "fact": 24,
    "table": 12,
    "figure": 6,
    "comparison": 8,
    "identifier": 8,
    "paraphrase": 12,
    "cross-lingual": 10,
    "unanswerable": 12,
}
FIELDS = {"id", "question", "language", "kind", "source", "page", "answer", "evidence", "answerable"}
WIDE = "\u3000-\u9fff\uff00-\uffef"
FOLDER_LIMIT, PDF_LIMIT = 6_000_000, 600_000


@dataclass(frozen=True)
class Sample:
    """A converted sample: its pages (one for formats without pages) and its language."""

    pages: list[str]
    paged: bool
    language: str


def fold(text: str) -> str:
    """White space as one space each; none where a line ends between Chinese characters."""
    return re.sub(rf"(?<=[{WIDE}]) (?=[{WIDE}])", "", " ".join(text.split()))


def sample_files() -> list[Path]:
    return sorted(path for path in SAMPLES.rglob("*") if path.is_file() and doc_type_of(path) is not None)


def questions(language: str) -> list[dict]:
    lines = (GOLDEN / f"handbook-{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def answerable(language: str) -> list[dict]:
    return [question for question in questions(language) if question["answerable"]]


def named(problems: list[dict], what: str) -> str:
    return f"{what}: " + "; ".join(f"{p['id']} {p['question']!r}" for p in problems)


@pytest.fixture(scope="module")
def samples() -> dict[str, Sample]:
    converter = MarkItDownConverter(max_batch_seconds=300)
    records = [
        {
            "path": str(path),
            "doc_id": path.name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in sample_files()
    ]
    try:
        result = converter.run(sources=records)
    finally:
        converter.close()
    assert result["failed"] == []
    assert result["remaining"] == []
    found = {}
    for document in result["documents"]:
        path = Path(document.meta["source"])
        text, starts = document.content, document.meta.get("page_starts")
        pages = [text] if starts is None else [text[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]
        language = "zh" if path.stem.endswith("-zh") else "en"
        found[path.relative_to(SAMPLES).as_posix()] = Sample([fold(p) for p in pages], starts is not None, language)
    return found


@pytest.mark.unit
def test_ids_and_questions_are_unique():
    everything = [question for language in LANGUAGES for question in questions(language)]
    for field in ("id", "question"):
        repeated = [value for value, count in Counter(q[field] for q in everything).items() if count > 1]
        assert not repeated


@pytest.mark.unit
@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_are_complete(language):
    for question in questions(language):
        assert set(question) - {"evidence_in"} == FIELDS, question["id"]
        assert question["language"] == language, question["id"]
        assert question["id"].startswith(f"hb-{language}-"), question["id"]
        assert question["answerable"] == (question["kind"] != "unanswerable"), question["id"]
        assert question.get("evidence_in", "image") == "image", question["id"]
        if question["answerable"]:
            assert question["answer"], question["id"]
            assert question["evidence"], question["id"]
        else:
            assert question["source"] is question["page"] is question["evidence"] is None, question["id"]


@pytest.mark.unit
@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_questions_of_each_kind(language):
    counts = Counter(question["kind"] for question in questions(language))
    assert set(counts) == set(LEAST)
    assert {kind: counts[kind] for kind in LEAST if counts[kind] < LEAST[kind]} == {}


@pytest.mark.unit
def test_every_document_of_the_handbook_is_asked_about():
    asked = {question["source"] for language in LANGUAGES for question in answerable(language)}
    assert {f"handbook/{path.name}" for path in (SAMPLES / "handbook").iterdir() if path.is_file()} - asked == set()


@pytest.mark.unit
def test_every_source_has_its_rendered_file():
    for path in SOURCES.glob("*.md.in"):
        wanted = re.search(r"^format: (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert wanted, path.name
        rendered = SAMPLES / "handbook" / f"{path.name.removesuffix('.md.in')}.{wanted[1]}"
        assert rendered.is_file(), rendered


@pytest.mark.unit
def test_the_folder_stays_small():
    files = [path for path in (SAMPLES / "handbook").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < FOLDER_LIMIT
    assert [path.name for path in files if path.suffix == ".pdf" and path.stat().st_size >= PDF_LIMIT] == []


@pytest.mark.integration
@pytest.mark.parametrize("language", LANGUAGES)
def test_sources_and_pages_exist(language, samples):
    for question in answerable(language):
        sample = samples.get(question["source"])
        assert sample is not None, question["id"]
        if sample.paged:
            assert question["page"] is not None, question["id"]
            assert 1 <= question["page"] <= len(sample.pages), question["id"]
        else:
            assert question["page"] is None, question["id"]


@pytest.mark.integration
@pytest.mark.parametrize("language", LANGUAGES)
def test_evidence_stands_on_its_page_alone(language, samples):
    missing, ambiguous = [], []
    for question in answerable(language):
        if question.get("evidence_in") == "image":
            continue
        sample, evidence = samples[question["source"]], fold(question["evidence"])
        place = (question["source"], question["page"] or 1)
        places = [
            (source, number)
            for source, other in samples.items()
            if other.language == sample.language
            for number, page in enumerate(other.pages, start=1)
            if evidence in page
        ]
        if place not in places:
            missing.append(question)
        elif len(places) > 1:
            ambiguous.append(question)
    assert not missing, named(missing, "not on its page")
    assert not ambiguous, named(ambiguous, "on other pages, too")


@pytest.mark.integration
@pytest.mark.parametrize("language", LANGUAGES)
def test_cross_lingual_questions_alone_cross_the_language(language, samples):
    crossing = [q for q in answerable(language) if samples[q["source"]].language != language]
    assert {question["kind"] for question in crossing} == {"cross-lingual"}
    assert len(crossing) == sum(question["kind"] == "cross-lingual" for question in questions(language))


@pytest.mark.unit
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_paraphrase_shares_no_term_with_its_evidence(language):
    close = [
        question
        for question in questions(language)
        if question["kind"] == "paraphrase"
        and set(without_stopwords(question["question"])) & set(without_stopwords(question["evidence"]))
    ]
    assert not close, named(close, "shares a term")
