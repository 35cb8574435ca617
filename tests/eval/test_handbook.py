"""The golden questions: every place that answers one is named, and its evidence stands there."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from khub.components.converters.file_types import doc_type_of
from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.ocr.ocr_reader import OcrReader
from khub.components.text.stopwords import without_stopwords
from khub.eval.cases import read_cases
from khub.eval.evaluators.matching import normalised
from tests.conftest import convert_here

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
LEAST_OF_ALL = {"en": 60, "zh": 60, "unanswerable": 20}
SETS = {"handbook-en": "hb-en-", "handbook-zh": "hb-zh-", "samples": "s-"}
FIELDS = {"id", "question", "language", "kind", "answerable", "answer", "source", "page", "evidence", "relevant"}
PLACE_FIELDS = {"source", "page", "evidence", "grade"}
LONGEST_EVIDENCE = 120
WIDE = "\u3000-\u9fff\uff00-\uffef"
FOLDER_LIMIT, PDF_LIMIT = 6_000_000, 600_000


@dataclass(frozen=True)
class Sample:
    """A converted sample: its pages (one for formats without pages), which of them are scans, and its language."""

    pages: list[str]
    paged: bool
    scanned: list[int]
    language: str


def fold(text: str) -> str:
    """White space as one space each; none where a line ends between Chinese characters."""
    return re.sub(rf"(?<=[{WIDE}]) (?=[{WIDE}])", "", " ".join(text.split()))


def sample_files() -> list[Path]:
    return sorted(path for path in SAMPLES.rglob("*") if path.is_file() and doc_type_of(path) is not None)


def questions(name: str) -> list[dict]:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def everything() -> list[dict]:
    return [question for name in SETS for question in questions(name)]


def answerable(name: str) -> list[dict]:
    return [question for question in questions(name) if question["answerable"]]


def places(name: str) -> list[tuple[dict, dict]]:
    return [(question, place) for question in answerable(name) for place in question["relevant"]]


def quoted(name: str, samples: dict[str, Sample], *, scanned: bool) -> list[tuple[dict, dict]]:
    """Questions with their places, on scanned pages or on all others."""
    return [(q, place) for q, place in places(name) if (place["page"] in samples[place["source"]].scanned) == scanned]


def stands_there(place: dict, samples: dict[str, Sample]) -> bool:
    return normalised(place["evidence"]) in normalised(samples[place["source"]].pages[(place["page"] or 1) - 1])


def named(problems: list[dict], what: str) -> str:
    return f"{what}: " + "; ".join(f"{p['id']} {p['question']!r}" for p in problems)


@pytest.fixture(scope="module")
def samples(tmp_path_factory) -> dict[str, Sample]:
    """Every sample as the hub reads it; its scanned pages are empty where RapidOCR is not installed."""
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
    with pytest.MonkeyPatch.context() as patched:
        convert_here(patched)
        patched.setenv("KHUB_HOME", str(tmp_path_factory.mktemp("hub")))
        result = converter.run(sources=records)
        assert result["failed"] == []
        assert result["remaining"] == []
        scanned = {document.meta["source"]: document.meta.get("needs_ocr", []) for document in result["documents"]}
        read = OcrReader(figures=False).run(result["documents"], result["pictures"])
    assert read["failed"] == []
    found = {}
    for document in read["documents"]:
        path = Path(document.meta["source"])
        text, starts = document.content, document.meta.get("page_starts")
        pages = [text] if starts is None else [text[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]
        language = "zh" if path.stem.endswith("-zh") else "en"
        found[path.relative_to(SAMPLES).as_posix()] = Sample(
            [fold(p) for p in pages], starts is not None, scanned[document.meta["source"]], language
        )
    return found


@pytest.mark.unit
def test_every_set_is_checked_and_can_be_read():
    assert {path.stem for path in GOLDEN.glob("*.jsonl")} == set(SETS)
    for name in SETS:
        assert len(read_cases(GOLDEN / f"{name}.jsonl")) == len(questions(name))


@pytest.mark.unit
def test_ids_and_questions_are_unique():
    for field in ("id", "question"):
        repeated = [value for value, count in Counter(q[field] for q in everything()).items() if count > 1]
        assert not repeated


@pytest.mark.unit
@pytest.mark.parametrize("name", SETS)
def test_fields_are_complete(name):
    for question in questions(name):
        assert set(question) - {"evidence_in"} == FIELDS, question["id"]
        assert re.fullmatch(rf"{SETS[name]}\d{{3}}", question["id"])
        assert name in (f"handbook-{question['language']}", "samples"), question["id"]
        assert question["answerable"] == (question["kind"] != "unanswerable"), question["id"]
        assert question.get("evidence_in", "image") == "image", question["id"]
        if question["answerable"]:
            assert question["answer"], question["id"]
            assert question["evidence"], question["id"]
        else:
            assert question["source"] is question["page"] is question["evidence"] is question["answer"] is None
            assert question["relevant"] == [], question["id"]


@pytest.mark.unit
@pytest.mark.parametrize("name", SETS)
def test_an_answerable_question_has_a_place_that_answers_it_and_names_each_place_once(name):
    for question in answerable(name):
        assert question["relevant"], question["id"]
        main = question["relevant"][0]
        own = [question[key] for key in ("source", "page")]
        assert [main["source"], main["page"], main["grade"]] == [*own, 2], question["id"]
        if question.get("evidence_in") is None:
            assert main["evidence"] == question["evidence"], question["id"]
        repeated = Counter(json.dumps(place, sort_keys=True) for place in question["relevant"])
        assert max(repeated.values()) == 1, question["id"]


@pytest.mark.unit
@pytest.mark.parametrize("name", SETS)
def test_places_are_complete(name):
    for question, place in places(name):
        assert set(place) == PLACE_FIELDS, question["id"]
        assert place["grade"] in (1, 2), question["id"]
        assert len(place["evidence"]) <= LONGEST_EVIDENCE, question["id"]
        assert place["evidence"], question["id"]


@pytest.mark.unit
def test_there_are_enough_questions_of_each_language_and_without_an_answer():
    counts = Counter(question["language"] for question in everything())
    counts["unanswerable"] = sum(not question["answerable"] for question in everything())
    assert {key: counts[key] for key in LEAST_OF_ALL if counts[key] < LEAST_OF_ALL[key]} == {}


@pytest.mark.unit
@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_questions_of_each_kind(language):
    counts = Counter(question["kind"] for question in questions(f"handbook-{language}"))
    assert set(counts) == set(LEAST)
    assert {kind: counts[kind] for kind in LEAST if counts[kind] < LEAST[kind]} == {}


@pytest.mark.unit
def test_every_document_is_asked_about():
    asked = {question["source"] for name in SETS for question in answerable(name)}
    files = {path.relative_to(SAMPLES).as_posix() for path in sample_files()}
    assert files - asked == set()


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
@pytest.mark.parametrize("name", SETS)
def test_sources_and_pages_exist(name, samples):
    for question, place in places(name):
        sample = samples.get(place["source"])
        assert sample is not None, question["id"]
        if sample.paged:
            assert place["page"] is not None, question["id"]
            assert 1 <= place["page"] <= len(sample.pages), question["id"]
        else:
            assert place["page"] is None, question["id"]


@pytest.mark.integration
@pytest.mark.parametrize("name", SETS)
def test_evidence_stands_on_its_page(name, samples):
    missing = [q for q, place in quoted(name, samples, scanned=False) if not stands_there(place, samples)]
    assert not missing, named(missing, "not on its page")


@pytest.mark.integration
@pytest.mark.parametrize("language", LANGUAGES)
def test_evidence_of_a_scanned_page_is_what_is_read_there(language, samples):
    asked = quoted(f"handbook-{language}", samples, scanned=True)
    assert asked
    pytest.importorskip("rapidocr", reason="RapidOCR is not installed: pip install 'knowledge-hub[ocr]'")
    missing = [question for question, place in asked if not stands_there(place, samples)]
    assert not missing, named(missing, "not read on its page")


@pytest.mark.integration
@pytest.mark.parametrize("name", SETS)
def test_a_page_that_holds_the_evidence_of_a_place_is_a_place_itself(name, samples):
    pages = [(source, number, page) for source, other in samples.items() for number, page in enumerate(other.pages, 1)]
    overlooked = []
    for question in answerable(name):
        known = {(place["source"], place["page"] or 1) for place in question["relevant"]}
        quotes = [fold(place["evidence"]) for place in question["relevant"] if place["evidence"]]
        held = {(source, number) for source, number, page in pages if any(quote in page for quote in quotes)}
        if held - known:
            overlooked.append(question)
    assert not overlooked, named(overlooked, "other pages say the same")


@pytest.mark.integration
@pytest.mark.parametrize("language", LANGUAGES)
def test_cross_lingual_questions_alone_cross_the_language(language, samples):
    crossing = [q for q in answerable(f"handbook-{language}") if samples[q["source"]].language != language]
    assert {question["kind"] for question in crossing} == {"cross-lingual"}
    assert len(crossing) == sum(question["kind"] == "cross-lingual" for question in questions(f"handbook-{language}"))


@pytest.mark.unit
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_paraphrase_shares_no_term_with_its_evidence(language):
    close = [
        question
        for question in questions(f"handbook-{language}")
        if question["kind"] == "paraphrase"
        and set(without_stopwords(question["question"])) & set(without_stopwords(question["evidence"]))
    ]
    assert not close, named(close, "shares a term")
