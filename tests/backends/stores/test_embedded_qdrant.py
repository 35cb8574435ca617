"""An embedded Qdrant that could not be opened is not kept from others."""

import pytest

pytest.importorskip("haystack_integrations.document_stores.qdrant")

from khub.components.stores.qdrant_store import QdrantStore, _shared

pytestmark = pytest.mark.unit


def test_store_of_another_dimension_lets_the_folder_go(tmp_path):
    QdrantStore("birds", 4, path=str(tmp_path)).close()
    with pytest.raises(ValueError, match="vector size '4'"):
        QdrantStore("birds", 8, path=str(tmp_path))
    assert not _shared
