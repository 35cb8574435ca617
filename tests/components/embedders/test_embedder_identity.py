"""Which vectors are comparable."""

import pytest

from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.embedders.embedder_identity import describe, document_fingerprint, identity_of, same_space
from khub.components.embedders.text_embedder import TextEmbedder

pytestmark = pytest.mark.unit


def toys():
    import toy_embedders

    return toy_embedders


def test_text_and_document_embedder_of_one_model_are_in_one_space():
    text, document = toys().ToyTextEmbedder("m"), toys().ToyDocumentEmbedder("m")
    assert identity_of(text) == identity_of(document) == {"family": "Toy", "model": "m"}
    assert same_space(identity_of(text), identity_of(document))
    assert not same_space(identity_of(text), identity_of(toys().ToyDocumentEmbedder("other")))
    assert not same_space(identity_of(text), {"family": "Other", "model": "m"})


def test_shipped_model_is_named_by_its_own_fingerprint():
    text, document = identity_of(TextEmbedder()), identity_of(DocumentEmbedder())
    assert text["fingerprint"] == document["fingerprint"] == TextEmbedder().fingerprint
    assert same_space(text, document)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"fingerprint": "1", "model": "a"}, {"fingerprint": "1", "model": "/path/a"}, True),
        ({"fingerprint": "1", "model": "a"}, {"fingerprint": "2", "model": "a"}, False),
        ({"fingerprint": "1", "model": "a"}, {"model": "a"}, False),
        ({"model": "a", "dimensions": 256}, {"model": "a", "dimensions": 512}, False),
    ],
)
def test_known_fingerprint_decides_alone(one, other, same):
    assert same_space(one, other) is same
    assert same_space(other, one) is same


def test_fingerprint_of_documents_changes_with_all_that_changes_a_vector():
    make = toys().ToyDocumentEmbedder
    same = [make(), make(batch=9), make(languages=["en"])]
    assert len({document_fingerprint(e) for e in same}) == 1
    assert len({document_fingerprint(e) for e in (make(), make("other"), make(prefix="passage: "))}) == 3
    assert len(document_fingerprint(make())) == 32


def test_prefix_of_the_shipped_embedder_counts():
    one, other = DocumentEmbedder(), DocumentEmbedder(prefix="passage: ")
    assert document_fingerprint(one) != document_fingerprint(other)
    assert document_fingerprint(one) == document_fingerprint(DocumentEmbedder(batch_size=1))


def test_name_for_messages():
    assert describe({"family": "OpenAI", "model": "m3", "dimensions": 5}) == "OpenAI m3"
    assert describe({"family": "", "model_name_or_path": "bge"}) == "bge"
    assert describe({}) == ""
