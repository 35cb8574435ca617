import pytest

EVIDENCE = {
    "heron": "Herons wade slowly in shallow water",
    "limit": "酒店每晚上限为六百元",
    "code": "E-4012 | Laser scanner window blocked",
}


@pytest.fixture
def case():
    """Return a function that makes a case; without places it cannot be answered."""

    def make(*places, id_="c1"):
        return {"id": id_, "question": "?", "answerable": bool(places), "relevant": list(places)}

    return make


@pytest.fixture
def place():
    """Return a function that makes a place of the evidence with that name."""

    def make(name="heron", page=3, grade=2, source="birds.pdf"):
        return {"source": source, "page": page, "evidence": EVIDENCE.get(name, name), "grade": grade}

    return make


@pytest.fixture
def cite():
    """Return a function that makes a citation of a text with the named evidence in it."""

    def make(*names, page=3, source="birds.pdf"):
        text = " … ".join(["Before it.", *(EVIDENCE.get(name, name) for name in names), "After it."])
        return {"relative_source": source, "source": f"/docs/{source}", "page": page, "text": text}

    return make


@pytest.fixture
def answer():
    """Return a function that makes an answer of these citations; without any it abstains."""

    def make(*citations, case_id="c1", seconds=0.25, degraded=()):
        return {
            "case_id": case_id,
            "abstained": not citations,
            "citations": list(citations),
            "seconds": seconds,
            "degraded": list(degraded),
        }

    return make


@pytest.fixture
def broken():
    """The answer to a question that failed."""
    return {"case_id": "c1", "error": "no leg could answer: look at the log"}
