"""How much of what lies nearest a dense index finds."""

from collections.abc import Sequence

PLACES = 30


def missed_by_meaning(questions: Sequence[str]) -> float:
    """Return the share of the nearest chunks that the dense index does not find.

    Two indexes of the same vectors need not find the same: the graph of nearest neighbours depends on the order in
    which the vectors came, and a search in it misses one now and then. What an index has lost, it always misses.

    :param questions: for each, the `PLACES` nearest by cosine count, of the collection `default` of the hub in use.
    :returns: from 0 to 1.
    """
    import numpy as np

    from khub.components.catalog.catalog import open_catalog
    from khub.components.stores.bound_parts import bound_parts
    from khub.components.stores.open_indexes import dense_reader

    catalog = open_catalog()
    binding = catalog.collections.binding("default")
    embedder, template = bound_parts(binding)
    embedder.warm_up()
    known = catalog.vectors.of_collection("default", binding["embedder"]["fingerprint"])
    vectors = {chunk_id: vector for chunk_id, vector in known if vector is not None}
    ids, matrix = list(vectors), np.stack(list(vectors.values()))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    wanted = missed = 0
    with dense_reader(catalog, "default", template).lease() as retriever:
        for question in questions:
            vector = np.asarray(embedder.run(text=question)["embedding"])
            nearest = {ids[place] for place in np.argsort(-(matrix @ vector))[:PLACES]}
            found = retriever.run(query_embedding=vector.tolist(), top_k=PLACES)["documents"]
            wanted += len(nearest)
            missed += len(nearest - {document.id for document in found})
    return missed / wanted
