"""Cuts where the subject changes."""

import pytest
from haystack import Document, component

from khub.components.errors import KhubError
from khub.components.splitters.breakpoints import Breakpoints

pytestmark = pytest.mark.unit

BIRDS, ENGINES = "Herons stand in water. ", "Engines burn fuel fast. "
TEXT = BIRDS * 12 + ENGINES * 12 + BIRDS * 12


@component
class Topics:
    """Embeds by the share of two words."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        counts = [[float(d.content.count(word)) for word in ("Herons", "Engines")] for d in documents]
        pairs = zip(documents, counts, strict=True)
        return {"documents": [Document(id=d.id, content=d.content, embedding=vector) for d, vector in pairs]}


def pieces(text=TEXT, **parameters):
    found = Breakpoints(Topics(), **parameters).run([Document(content=text)])["documents"]
    assert "".join(piece.content for piece in found) == text
    starts = [piece.meta["split_idx_start"] for piece in found]
    assert all(text.startswith(piece.content, start) for piece, start in zip(found, starts, strict=True))
    return [piece.content for piece in found]


def test_pieces_end_where_the_subject_changes():
    assert pieces() == [BIRDS * 12, ENGINES * 12, BIRDS * 12]


def test_how_many_gaps_are_breakpoints():
    text = "".join(BIRDS * 10 + ENGINES * n for n in (10, 11, 12, 13))
    assert pieces(text, percentile=1, chunk_size=4000) == [text]
    assert len(pieces(text, percentile=0.8, chunk_size=4000)) == 8


def test_no_piece_is_ended_for_its_meaning_below_min_size():
    text = BIRDS * 12 + ENGINES * 3 + BIRDS * 12
    assert len(pieces(text, min_size=200)) < len(pieces(text, min_size=50)) == 3


def test_no_piece_is_longer_than_chunk_size():
    text = TEXT + "鹭" * 500
    assert max(map(len, pieces(text, chunk_size=100, min_size=20))) <= 100


@pytest.mark.parametrize("parameters", [{"percentile": 1.5}, {"window": 0}, {"min_size": 2000}, {"chunk_size": 0}])
def test_parameters_out_of_range(parameters):
    with pytest.raises(KhubError, match=str(next(iter(parameters.values())))):
        Breakpoints(Topics(), **parameters)
