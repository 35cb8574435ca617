"""A graph as boxes and lines of text, from top to bottom."""

from dataclasses import dataclass

from rich.cells import cell_len

from server.graph_layers import Edge, by_senders, forward_edges, layers, one_by_one
from server.graph_view import GraphView, Link
from server.text_canvas import TextCanvas, wrap

GAP = 3
WORD_OF_FAILURES = "degraded"
"""The input that nearly every component feeds: left out where there is no room for so many lines."""
SIDE_BY_SIDE, ALONE = (28, 20), (28, 20, 12)  # cells inside of a box, best first; a longer text is wrapped


@dataclass
class Box:
    """A component: what stands in it, and where.

    Lines enter at even columns and leave at an odd one, so that one that leaves never runs into another that enters.
    """

    lines: list[str]
    entering: int
    left: int = 0
    top: int = 0

    @property
    def width(self) -> int:
        """Cells from border to border: room for the text, and for each line that enters."""
        return max(*map(cell_len, self.lines), 2 * self.entering + 2) + 4

    @property
    def bottom(self) -> int:
        """Row of the lower border."""
        return self.top + len(self.lines) + 1

    @property
    def exit(self) -> int:
        """Column at which lines leave."""
        return (self.left + self.width // 2) | 1


def picture(view: GraphView, width: int) -> list[str]:
    """Return the picture of a graph: what is fed by something stands below it, long ways run on the right.

    Connections that close a cycle are left out of it; in a narrow terminal, so are those that carry nothing but
    `degraded`.

    :param view: the graph.
    :param width: cells of the terminal.
    :returns: the lines, none longer than `width`; none at all where even one box beside the other lines has no room.
    """
    shown = [link for link in view.links if link.input != WORD_OF_FAILURES]
    return _fitting(view, view.links, width) or _fitting(view, shown, width)


def flows(view: GraphView, width: int) -> list[str]:
    """Return what flows from each output to which inputs, one output in a line, wrapped at the terminal's width."""
    receivers: dict[str, list[str]] = {}
    for link in view.links:
        receivers.setdefault(f"{link.sender}.{link.output}", []).append(f"{link.receiver}.{link.input}")
    left = max(map(cell_len, receivers), default=0)
    longest = max((cell_len(name) + 1 for fed in receivers.values() for name in fed), default=0)
    lines = []
    for sender, fed in receivers.items():
        if left + 4 + longest > width:
            lines += [*wrap(sender, width), *(f"  {line}" for line in wrap(f"-> {', '.join(fed)}", width - 2))]
            continue
        first, *more = wrap(", ".join(fed), width - left - 4)
        lines += [f"{sender}{' ' * (left - cell_len(sender))} -> {first}", *(" " * (left + 4) + line for line in more)]
    return lines


def _fitting(view: GraphView, links: list[Link], width: int) -> list[str]:
    edges = forward_edges(view.parts, [(link.sender, link.receiver) for link in links])
    rows = by_senders(layers(view.parts, edges), edges)
    entering = {name: sum(receiver == name for _, receiver in edges) for name in view.parts}
    for arranged, widths in ((rows, SIDE_BY_SIDE), (one_by_one(rows), ALONE)):
        for inner in widths:
            boxes = {name: Box(_inside(view, name, inner), entering[name]) for name in view.parts}
            lines = _Drawing(arranged, boxes, edges).lines()
            if max(map(cell_len, lines), default=0) <= width:
                return lines
    return []


def _inside(view: GraphView, name: str, width: int) -> list[str]:
    inputs = [
        f"{declared}*" if declared in view.required else declared
        for declared, sockets in view.inputs.items()
        if any(socket.partition(".")[0] == name for socket in sockets)
    ]
    outputs = [declared for declared, socket in view.outputs.items() if socket.partition(".")[0] == name]
    lines = [*wrap(name, width), *wrap(view.parts[name].replace("(", " ("), width)]
    lines += wrap(f"in: {', '.join(inputs)}", width) if inputs else []
    return lines + (wrap(f"out: {', '.join(outputs)}", width) if outputs else [])


class _Drawing:
    """Places boxes layer by layer, and draws one branching line from each box to all that it feeds."""

    def __init__(self, rows: list[list[str]], boxes: dict[str, Box], edges: list[Edge]) -> None:
        self.rows, self.boxes = rows, boxes
        self.layer = {name: number for number, row in enumerate(rows) for name in row}
        self.receivers = {name: [b for a, b in edges if a == name] for name in boxes}
        self.canvas = TextCanvas()
        self.arrows: list[tuple[int, int]] = []
        self._place_in_rows()
        self.lanes = self._lanes()

    def lines(self) -> list[str]:
        """Draw everything."""
        top = 0
        for number, row in enumerate(self.rows):
            bottom = top + max(len(self.boxes[name].lines) for name in row) + 1
            for name in row:
                self.boxes[name].top = top
                self._draw_box(self.boxes[name])
            top = self._draw_lines_below(number, top, bottom)
        for line, column in self.arrows:
            self.canvas.write(line, column, "▼")
        return self.canvas.lines()

    def _place_in_rows(self) -> None:
        widths = [sum(self.boxes[name].width + GAP for name in row) - GAP for row in self.rows]
        for row, width in zip(self.rows, widths, strict=True):
            left = (max(widths) - width) // 2
            for name in row:
                self.boxes[name].left = left
                left += self.boxes[name].width + GAP
        self.right = max(widths, default=0)

    def _lanes(self) -> dict[str, int]:
        """Return the column on the right by which each box reaches further than the next layer."""
        taken: list[int] = []  # layer at which each lane is free again
        lanes: dict[str, int] = {}
        for name in (name for row in self.rows for name in row):
            last = max((self.layer[receiver] for receiver in self.receivers[name]), default=0)
            if last > self.layer[name] + 1:
                free = (number for number, until in enumerate(taken) if until <= self.layer[name])
                lane = next(free, len(taken))
                taken[lane : lane + 1] = [last]
                lanes[name] = self.right + 1 + 2 * lane
        return lanes

    def _draw_box(self, box: Box) -> None:
        inner = box.width - 2
        self.canvas.write(box.top, box.left, f"┌{'─' * inner}┐")
        for number, line in enumerate(box.lines, start=1):
            self.canvas.write(box.top + number, box.left, f"│ {line}{' ' * (inner - 1 - cell_len(line))}│")
        self.canvas.write(box.bottom, box.left, f"└{'─' * inner}┘")

    def _draw_lines_below(self, number: int, top: int, bottom: int) -> int:
        """Draw all lines from the top of a layer to the next one, and return where that begins."""
        below = self.rows[number + 1] if number + 1 < len(self.rows) else []
        passing = [name for name in self.lanes if self.layer[name] < number]
        feeding = [name for name in (*passing, *self.rows[number]) if self._last(name) > number]
        ports = self._ports(below, feeding, number)
        spans = {name: sorted([self._start(name, number), *self._ends(name, number, ports)]) for name in feeding}
        tracks = _tracks({name: (s[0], s[-1]) for name, s in spans.items() if s[0] != s[-1]})
        end = bottom + max(tracks.values(), default=0) + 1 if below else bottom
        next_top = end + (0 if tracks else 1)
        for name in feeding:
            start, turn = self._start(name, number), bottom + tracks.get(name, 0)
            self.canvas.horizontal(name, turn, spans[name][0], spans[name][-1])
            self.canvas.vertical(name, start, top if name in passing else self.boxes[name].bottom, turn)
            if self.layer[name] == number:
                self.canvas.write(self.boxes[name].bottom, start, "┬")
            for column in self._ends(name, number, ports):
                self.canvas.vertical(name, column, turn, next_top)
        self.arrows += [(next_top, column) for column in ports.values()]
        return next_top

    def _last(self, name: str) -> int:
        return max((self.layer[receiver] for receiver in self.receivers[name]), default=-1)

    def _start(self, name: str, number: int) -> int:
        return self.boxes[name].exit if self.layer[name] == number else self.lanes[name]

    def _ends(self, name: str, number: int, ports: dict[tuple[str, str], int]) -> list[int]:
        ends = [column for (sender, _), column in ports.items() if sender == name]
        return [*ends, self.lanes[name]] if self._last(name) > number + 1 else ends

    def _ports(self, below: list[str], feeding: list[str], number: int) -> dict[tuple[str, str], int]:
        """Return the column at which each line enters each box of the next layer."""
        ports: dict[tuple[str, str], int] = {}
        for receiver in below:
            box = self.boxes[receiver]
            starts = {name: self._start(name, number) for name in feeding if receiver in self.receivers[name]}
            above = {
                n: c for n, c in starts.items() if self.layer[n] == number and box.left < c < box.left + box.width - 1
            }
            beside = {column + step for column in above.values() for step in (-1, 1)}
            free = {c for c in range(box.left + 1, box.left + box.width - 1) if c % 2 == 0 and c not in beside}
            ports.update({(name, receiver): column for name, column in above.items()})
            for name in sorted(starts.keys() - above.keys(), key=lambda name, starts=starts: -starts[name]):  # type: ignore[misc]
                column = min(free, key=lambda c, start=starts[name]: abs(c - start))  # type: ignore[misc]
                free.remove(column)
                ports[name, receiver] = column
        return ports


def _tracks(spans: dict[str, tuple[int, int]]) -> dict[str, int]:
    """Give each line a row (from 1) of its own among those whose columns overlap."""
    ends: list[int] = []
    tracks: dict[str, int] = {}
    for name, (left, right) in sorted(spans.items(), key=lambda item: item[1]):
        track = next((number for number, end in enumerate(ends) if end + 1 < left), len(ends))
        ends[track : track + 1] = [right]
        tracks[name] = track + 1
    return tracks
