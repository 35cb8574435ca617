"""A graph as a Mermaid flowchart, as Markdown viewers draw it."""

import re

from khub.server.graphs.view import GraphView


def mermaid(view: GraphView) -> str:
    """Return the text of a Mermaid flowchart: components, what flows between them, inputs and outputs.

    Haystack's own `Pipeline.draw` has the picture made by a public service; this text goes nowhere.

    :param view: the graph.
    """
    ids = {name: f"c{number}" for number, name in enumerate(view.parts)}
    lines = ["flowchart TD"]
    lines += [f'  {ids[name]}["<b>{_text(name)}</b><br>{_text(kind)}"]' for name, kind in view.parts.items()]
    for number, (name, sockets) in enumerate(view.inputs.items()):
        lines.append(f'  i{number}(["{_text(name)}{" *" if name in view.required else ""}"])')
        for receiver, label in _labels(sockets).items():
            lines.append(f'  i{number} -.->|"{_text(label)}"| {ids[receiver]}')
    flows: dict[tuple[str, str], list[str]] = {}
    for link in view.links:
        said = link.output if link.output == link.input else f"{link.output} → {link.input}"
        flows.setdefault((link.sender, link.receiver), []).append(said)
    for (sender, receiver), said_of in flows.items():
        lines.append(f'  {ids[sender]} -->|"{_text(", ".join(said_of))}"| {ids[receiver]}')
    for number, (name, socket) in enumerate(view.outputs.items()):
        sender, _, label = socket.partition(".")
        lines += [f'  o{number}(["{_text(name)}"])', f'  {ids[sender]} -.->|"{_text(label)}"| o{number}']
    return "\n".join(lines)


def _labels(sockets: list[str]) -> dict[str, str]:
    labels: dict[str, list[str]] = {}
    for socket in sockets:
        receiver, _, name = socket.partition(".")
        labels.setdefault(receiver, []).append(name)
    return {receiver: ", ".join(names) for receiver, names in labels.items()}


def _text(text: str) -> str:
    """Return a text as it may stand in a label: Mermaid reads quotes, brackets and HTML."""
    return re.sub(r"[^\w .,→*()-]", lambda found: f"#{ord(found[0])};", text)
