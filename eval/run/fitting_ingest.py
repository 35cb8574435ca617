"""Which ingest graph makes a collection that a query graph can be asked about."""

from collections.abc import Iterator
from pathlib import PurePath

from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.embedders.embedder_identity import identity_of, same_space
from khub.components.errors import BindingError, GraphError, GraphKindError, KhubError, StageError
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.server.graphs.folder import SUFFIXES
from khub.server.graphs.load import Graph, list_graphs, load_graph
from khub.server.library.ingest import binding_of


def fitting_ingest(query: Graph) -> Graph:
    """Return the ingest graph that belongs to a query graph.

    The one of the same suffix (`query_x`: `ingest_x`) comes first, then `ingest`, then the others by name; the
    first whose embedder and store are those that the query graph names is taken.

    :raises GraphError: when none of them fits.
    """
    twin = _twin(query.name)
    for name in _candidates(twin):
        try:
            graph = load_graph(name)
        except GraphError:
            if name == twin:
                raise
            continue  # one that cannot be loaded here fills nothing
        if _fits(query, binding_of(graph)):
            return graph
    raise StageError(f"no ingest graph fills what {query.name!r} reads", "name one by --ingest")


def named_ingest(query: Graph, name: str | None) -> Graph:
    """Return the ingest graph of a name; the one that belongs to a query graph where there is none.

    :raises GraphError: if it is no ingest graph, or none fits.
    :raises BindingError: if the query graph cannot read what it fills: the keyword leg alone would be measured.
    """
    if name is None:
        return fitting_ingest(query)
    graph = load_graph(name)
    if graph.kind != "ingest":
        raise GraphKindError(f"graph {name!r} is of kind {graph.kind!r}", "name a graph of kind 'ingest' by --ingest")
    if not _fits(query, binding_of(graph)):
        raise BindingError(
            f"graph {query.name!r} has another embedder or store than {name!r}",
            "leave --ingest out: the one that fits is taken",
            code="binding_embedder",
        )
    return graph


def _twin(name: str) -> str:
    """Return `more/ingest_x` for `more/query_x`, and `ingest_x` for a file of that name."""
    own = PurePath(name).stem if name.endswith(SUFFIXES) else name
    folder, slash, last = own.rpartition("/")
    return f"{folder}{slash}{last.replace('query', 'ingest', 1)}"


def _candidates(twin: str) -> list[str]:
    names = [info.name for info in list_graphs() if info.kind == "ingest"]
    return sorted(names, key=lambda name: (name != twin, name != "ingest", name))


def _fits(query: Graph, binding: CollectionBinding) -> bool:
    for retriever in _dense_retrievers(query):
        if retriever.template is not None and retriever.template.to_dict() != binding["store"]:
            return False
        try:
            if retriever.embedder and not same_space(identity_of(retriever.embedder), binding["embedder"]["identity"]):
                return False
        except KhubError:  # a model that is not here cannot have filled anything
            return False
    return True


def _dense_retrievers(graph: Graph) -> Iterator[DenseRetriever]:
    for _, instance in graph.pipeline.walk():
        part = getattr(instance, "component", instance)  # a guard holds the retriever
        if isinstance(part, DenseRetriever):
            yield part
