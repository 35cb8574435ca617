"""Put the components of a graph into layers, each below those that feed it."""

from collections.abc import Iterable

Edge = tuple[str, str]


def forward_edges(names: Iterable[str], edges: Iterable[Edge]) -> list[Edge]:
    """Return the edges without those that close a cycle.

    :param names: the components, in the order in which they are visited.
    :param edges: sender and receiver.
    """
    receivers: dict[str, list[str]] = {name: [] for name in names}
    for sender, receiver in dict.fromkeys(edges):
        receivers[sender].append(receiver)
    kept: list[Edge] = []
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in done:
            return
        for receiver in receivers[name]:
            if receiver not in (*above, name):
                kept.append((name, receiver))
                visit(receiver, (*above, name))
        done.add(name)

    for name in receivers:
        visit(name, ())
    return kept


def layers(names: Iterable[str], edges: Iterable[Edge]) -> list[list[str]]:
    """Return the layers from top to bottom: each component as far up as the longest way to it allows.

    :param names: the components.
    :param edges: sender and receiver, without cycles.
    """
    senders: dict[str, list[str]] = {name: [] for name in names}
    for sender, receiver in edges:
        senders[receiver].append(sender)
    depth: dict[str, int] = {}
    while len(depth) < len(senders):
        for name, before in senders.items():
            if name not in depth and all(sender in depth for sender in before):
                depth[name] = max((depth[sender] + 1 for sender in before), default=0)
    rows: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in senders:
        rows[depth[name]].append(name)
    return rows


def one_by_one(rows: list[list[str]]) -> list[list[str]]:
    """Return the same order with one component in each layer, for narrow places."""
    return [[name] for row in rows for name in row]


def by_senders(rows: list[list[str]], edges: Iterable[Edge]) -> list[list[str]]:
    """Order each layer by where the senders of its components stand, so that fewer lines cross.

    This is one sweep of the barycentre method (Sugiyama, Tagawa and Toda, 1981).
    """
    edges = list(edges)
    place: dict[str, float] = {}
    ordered: list[list[str]] = []
    for row in rows:
        wish = {name: [place[a] for a, b in edges if b == name] for name in row}
        best = sorted(row, key=lambda name, wish=wish: sum(wish[name]) / len(wish[name]) if wish[name] else 0.5)  # type: ignore[misc]
        place |= {name: (number + 0.5) / len(best) for number, name in enumerate(best)}
        ordered.append(best)
    return ordered
