from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from haystack import Document

from khub.components.extras import install_extra
from khub.components.ocr import ocr_reader, text_engine
from khub.components.ocr.ocr_reader import OcrReader
from khub.components.ocr.text_line import TextLine
from tests.components.ocr.scans import FakeEngine, figure, file, line, paged, scan

pytestmark = pytest.mark.unit

LETTER = [line("The delivery is due on the ninth of May", 60, 100, 690), line("and not before.", 60, 124, 220)]
NOTE = [line("Second sheet of the letter, signed by hand", 60, 100, 520)]


def reader_of(answers: Mapping[int, Sequence[TextLine] | Exception], **parameters: Any) -> tuple[OcrReader, FakeEngine]:
    reader, engine = OcrReader(**parameters), FakeEngine(answers)
    reader._engine = engine
    return reader, engine


def page_of(document: Document, page: int) -> str:
    starts = [*document.meta["page_starts"], len(document.content or "")]
    return (document.content or "")[starts[page - 1] : starts[page]].strip()


def test_text_of_a_scanned_page_stands_in_its_place() -> None:
    reader, _ = reader_of({10: LETTER})
    document = paged(["First page.", "", "Third page."], [2])

    (read,) = reader.run([document], [scan(2, 10)])["documents"]

    assert page_of(read, 1) == "First page."
    assert page_of(read, 2) == "The delivery is due on the ninth of May and not before."
    assert page_of(read, 3) == "Third page."
    assert "needs_ocr" not in read.meta
    assert read.meta["ocr_pages"] == [2]
    (block,) = read.meta["blocks"]
    assert read.content is not None
    assert read.content[block["start"] : block["end"]] == page_of(read, 2)
    assert block["page"] == 2
    assert block["bbox"] == pytest.approx((60, 100, 690, 144), abs=1)


def test_scanned_document_gets_its_title_from_its_largest_line() -> None:
    reader, _ = reader_of({10: [line("Annual inventory", 60, 40, 400, 44), *LETTER]})
    (read,) = reader.run([paged([""], [1])], [scan(1, 10)])["documents"]
    assert read.meta["title"] == "Annual inventory"
    assert (read.content or "").startswith("# Annual inventory\n\n")


def test_heading_of_a_scanned_page_stands_below_the_title_of_the_document() -> None:
    reader, _ = reader_of({10: [line("Annual inventory", 60, 40, 400, 44), *LETTER]})
    (read,) = reader.run([paged(["# Report\n\nText.", ""], [2])], [scan(2, 10)])["documents"]
    assert page_of(read, 2).startswith("## Annual inventory\n\n")
    assert read.meta["blocks"][0]["level"] == 2


def test_words_of_a_figure_stand_behind_its_mark() -> None:
    reader, _ = reader_of({20: [line("Pump pressure 40 bar", 10, 10, 200)]})
    document = paged(["Above.\n\n[IMAGE: doc_1_1]\n\nBelow.", "Next."], [])

    result = reader.run([document], [figure(1, 20)])

    (read,) = result["documents"]
    assert page_of(read, 1) == "Above.\n\n[IMAGE: doc_1_1]\n\n> Text in the image: Pump pressure 40 bar\n\nBelow."
    assert page_of(read, 2) == "Next."
    assert [picture.text for picture in result["pictures"]] == ["Pump pressure 40 bar"]


def manual(content: str) -> Document:
    return Document(content=content, meta={"doc_id": "doc", "source": "/files/doc.docx", "title": None})


def test_without_pages_words_of_figures_stand_at_the_end_of_their_section() -> None:
    reader, _ = reader_of({20: NOTE, 30: [line("Pump pressure 40 bar", 10, 10, 200)]})
    second = figure(None, 30)
    second = replace(second, image_id="doc_0_2", picture=replace(second.picture, seq=2))
    document = manual("# A\n\nFirst.\n\n[IMAGE: doc_0_1]\n\nThen.\n\n# B\n\n[IMAGE: doc_0_2]")
    (read,) = reader.run([document], [figure(None, 20), second])["documents"]
    blocks = (read.content or "").split("\n\n")
    assert blocks[:5] == ["# A", "First.", "[IMAGE: doc_0_1]", "Then.", "[IMAGE: doc_0_1]"]
    assert NOTE[0].text in blocks[5]
    assert blocks[6:8] == ["# B", "[IMAGE: doc_0_2]"]
    assert "40 bar" in blocks[8]
    assert len(blocks) == 9


def test_words_of_figures_have_a_time_of_their_own_and_the_rest_is_told_once() -> None:
    pictures = [figure(None, 20), replace(figure(None, 30), image_id="doc_0_2"), scan(1, 10)]
    document = paged(["Text.\n\n[IMAGE: doc_0_1]\n\n[IMAGE: doc_0_2]"], [1])
    late, engine = reader_of({10: LETTER, 20: NOTE, 30: NOTE}, figures_s=0.0)
    (read,) = late.run([document], pictures)["documents"]
    assert len(engine.read_shapes) == 1
    assert "The delivery" in (read.content or "")
    (told,) = read.meta["ocr_errors"]
    assert "2 pictures" in told


def test_figure_in_a_table_keeps_its_row_in_one_line() -> None:
    reader, _ = reader_of({20: [line("in | out", 10, 10, 200), line("forward flow", 10, 40, 200)]})
    document = paged(["| a | [IMAGE: doc_1_1] |\n| --- | --- |"], [])
    (read,) = reader.run([document], [figure(1, 20)])["documents"]
    assert (read.content or "").startswith(
        "| a | [IMAGE: doc_1_1] (Text in the image: in \\| out; forward flow) |\n| ---"
    )


def test_a_picture_with_running_text_becomes_a_page_and_one_with_labels_a_figure() -> None:
    labels = [line(word, 60, 100 + 40 * row, 200) for row, word in enumerate(("Pump", "Valve", "Tank", "Sensor"))]
    reader, _ = reader_of({10: LETTER, 20: labels})
    document = paged(["[IMAGE: doc_1_1]", "[IMAGE: doc_2_1]"], [1, 2])

    result = reader.run([document], [file(1, 10), file(2, 20)])

    (read,) = result["documents"]
    assert page_of(read, 1) == "[IMAGE: doc_1_1]\n\nThe delivery is due on the ninth of May and not before."
    assert page_of(read, 2) == "[IMAGE: doc_2_1]\n\n> Text in the image: Pump; Valve; Tank; Sensor"
    assert "needs_ocr" not in read.meta
    (block,) = read.meta["blocks"]
    assert block["bbox"] == pytest.approx((60, 100, 690, 144), abs=1)
    assert [picture.text for picture in result["pictures"]] == [
        "The delivery is due on the ninth of May; and not before.", "Pump; Valve; Tank; Sensor",
    ]  # fmt: skip


@pytest.mark.parametrize("installed", [True, False])
def test_a_picture_without_words_is_a_document(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    reader, _ = reader_of({10: []})
    if not installed:
        reader._engine = None
        monkeypatch.setattr(ocr_reader, "is_installed", lambda: False)
    result = reader.run([paged(["[IMAGE: doc_1_1]"], [1])], [file(1, 10)])
    assert result["failed"] == []
    assert len(result["pictures"]) == 1
    assert result["documents"][0].content == "[IMAGE: doc_1_1]"
    assert result["documents"][0].meta.get("needs_ocr") == (None if installed else [1])


def test_figures_false_reads_scanned_pages_alone() -> None:
    pictures = [figure(1, 20), scan(2, 10)]
    document = paged(["[IMAGE: doc_1_1]", ""], [2])
    answers = {10: LETTER, 20: [line("Pump pressure 40 bar", 10, 10, 200)]}
    with_figures, _ = reader_of(answers)
    without, engine = reader_of(answers, figures=False)

    assert "Pump pressure" in with_figures.run([document], pictures)["documents"][0].content
    engine.answers = {}
    (read,) = without.run([document], pictures)["documents"]
    assert "Pump pressure" not in (read.content or "")
    assert "delivery" in (read.content or "")


@pytest.mark.parametrize(("least", "found"), [(0.9, False), (0.5, True)])
def test_min_confidence_leaves_out_what_was_read_badly(least: float, found: bool) -> None:
    reader, _ = reader_of({10: [*LETTER, line("smudged signature", 60, 400, 260, score=0.7)]}, min_confidence=least)
    (read,) = reader.run([paged([""], [1])], [scan(1, 10)])["documents"]
    assert ("smudged signature" in (read.content or "")) == found


@pytest.mark.parametrize("side", [400, 500])
def test_max_side_bounds_how_far_a_small_picture_is_enlarged(side: int) -> None:
    reader, engine = reader_of({20: NOTE}, max_side=side)
    reader.run([paged(["[IMAGE: doc_1_1]"], [])], [figure(1, 20)])
    assert engine.read_shapes[0][1] == side


def test_what_the_budget_does_not_reach_is_read_by_the_next_run() -> None:
    document, pictures = paged(["Text.", "", ""], [2, 3]), [scan(2, 10), scan(3, 11)]
    late, engine = reader_of({10: LETTER, 11: NOTE}, budget_s=0.0)
    (read,) = late.run([document], pictures)["documents"]
    assert read.meta["needs_ocr"] == [2, 3]
    assert "page 2 " in read.meta["ocr_errors"][0]
    assert engine.read_shapes == []

    in_time, _ = reader_of({10: LETTER, 11: NOTE})
    in_time.run([document], pictures[:1])
    (read,) = late.run([document], pictures)["documents"]
    assert read.meta["needs_ocr"] == [3]
    assert page_of(read, 2).startswith("The delivery")


def test_picture_that_was_read_before_is_not_read_again() -> None:
    document, pictures = paged([""], [1]), [scan(1, 10)]
    first, _ = reader_of({10: LETTER})
    again, engine = reader_of({})
    assert first.run([document], pictures)["documents"] == again.run([document], pictures)["documents"]
    assert engine.read_shapes == []


def test_other_max_side_reads_again() -> None:
    document, pictures = paged([""], [1]), [scan(1, 10)]
    reader_of({10: LETTER})[0].run([document], pictures)
    other, engine = reader_of({10: LETTER}, max_side=999)
    other.run([document], pictures)
    assert len(engine.read_shapes) == 1


def test_page_that_fails_leaves_the_others() -> None:
    reader, _ = reader_of({10: LETTER, 11: RuntimeError("no kernel\nfor this")})
    (read,) = reader.run([paged(["", ""], [1, 2])], [scan(1, 10), scan(2, 11)])["documents"]
    assert page_of(read, 1).startswith("The delivery")
    assert read.meta["needs_ocr"] == [2]
    (said,) = read.meta["ocr_errors"]
    assert ("page 2 " in said, "(RuntimeError: no kernel)" in said) == (True, True)


def test_document_without_a_word_fails_and_its_pictures_go() -> None:
    reader, _ = reader_of({10: [], 11: NOTE})
    result = reader.run([paged([""], [1]), paged([""], [1], "other")], [scan(1, 10), scan(1, 11, "other")])
    assert [document.meta["doc_id"] for document in result["documents"]] == ["other"]
    assert [picture.doc_id for picture in result["pictures"]] == ["other"]
    (failure,) = result["failed"]
    assert failure["stage"] == "ocr"
    assert failure["source"] == "/files/doc.pdf"
    assert "no words were found" in failure["error"]


def test_empty_page_is_read_and_stays_empty() -> None:
    reader, _ = reader_of({10: []})
    (read,) = reader.run([paged(["Text.", ""], [2])], [scan(2, 10)])["documents"]
    assert "needs_ocr" not in read.meta
    assert read.meta["empty_pages"] == [2]


def test_slide_that_is_a_picture_is_read_as_a_figure() -> None:
    reader, _ = reader_of({20: NOTE})
    (read,) = reader.run([paged(["[IMAGE: doc_1_1]"], [1])], [figure(1, 20)])["documents"]
    assert "needs_ocr" not in read.meta
    assert "signed by hand" in (read.content or "")


def test_without_the_extra_text_passes_and_a_pure_scan_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_reader, "is_installed", lambda: False)
    mixed, pure = paged(["Text.", ""], [2]), paged([""], [1], "scan")

    result = OcrReader().run([mixed, pure], [scan(2, 10), scan(1, 11, "scan")])

    assert result["documents"] == [mixed]
    assert mixed.meta["needs_ocr"] == [2]
    (failure,) = result["failed"]
    assert "'scan.pdf'" in failure["error"]
    assert install_extra("ocr") in failure["remedy"]


def test_documents_without_pictures_pass_untouched() -> None:
    document = Document(content="Plain.", meta={"doc_id": "d", "source": "/files/d.txt"})
    result = OcrReader().run([document])
    assert result == {"documents": [document], "pictures": [], "failed": []}
    assert result["documents"][0] is document


def test_fingerprint_knows_whether_ocr_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_engine, "is_installed", lambda: False)
    without = OcrReader().fingerprint
    monkeypatch.setattr("khub.components.ocr.ocr_reader.engine_fingerprint", lambda: "3.10.0")
    assert OcrReader().fingerprint != without


def test_garbled_page_is_read_like_a_scanned_one() -> None:
    reader, _ = reader_of({10: LETTER, 11: RuntimeError("no kernel")})
    document = paged(["First page.", "", ""], [2, 3])
    document.meta["garbled_pages"] = [2, 3]
    (read,) = reader.run([document], [scan(2, 10), scan(3, 11)])["documents"]
    assert page_of(read, 2).startswith("The delivery")
    assert (read.meta["needs_ocr"], read.meta["garbled_pages"]) == ([3], [3])


def test_without_the_extra_a_document_of_garbled_text_alone_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_reader, "is_installed", lambda: False)
    document = paged([""], [1])
    document.meta["garbled_pages"] = [1]
    (failure,) = OcrReader().run([document], [scan(1, 10)])["failed"]
    assert "'doc.pdf'" in failure["error"]
    assert "fonts" in failure["error"]
