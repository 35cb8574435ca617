"""Draw the README's terminal recording: `python docs/make_pictures.py` (Linux or macOS).

It runs the commands in a pseudo-terminal, in a hub that lies in a temporary folder, and draws what they wrote as
`docs/demo.svg`: an SVG with a little CSS, no script, no font and no address of anybody else.
"""

import fcntl
import os
import pty
import re
import shlex
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import MONOKAI

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "demo.svg"
COMMANDS = (
    "khub ingest eval/samples -c demo",
    "khub query 'Until when does Beacon 4.2 LTS receive security fixes?' -c demo -k 1",
    "khub query '错误代码 E-4012 是什么意思？' -c demo -k 1",
)
COLUMNS, CELL, LINE, FONT_SIZE, MARGIN = 96, 8.4, 20, 14, 16
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace"
BACKGROUND, PROMPT = "#161b22", Style(color="green", bold=True)
LONGEST_PAUSE_S = 2.5
WIDE = "\u2e80-\u9fff\uff00-\uffef"


@dataclass(frozen=True)
class Recorded:
    """A command, what it wrote to its terminal, and how long it took."""

    command: str
    output: str
    seconds: float


def record(command: str, home: Path) -> Recorded:
    """Run a khub command on a terminal of its own.

    :param command: as it is typed.
    :param home: the hub's folder.
    :raises RuntimeError: when the command fails.
    """
    started = time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 100, COLUMNS, 0, 0))
        own = {"KHUB_HOME": str(home), "KHUB_PIPELINES": str(ROOT / "pipelines"), "PYTHONPATH": str(ROOT)}
        plain = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        os.chdir(ROOT)
        words = [sys.executable, "-m", "server.cli", *shlex.split(command)[1:]]
        os.execve(sys.executable, words, {**plain, **own, "TERM": "xterm-256color"})  # noqa: S606
    written = b""
    while data := _read(terminal):
        written += data
    os.close(terminal)
    if os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]):
        raise RuntimeError(f"{command} failed: {written.decode()}")
    return Recorded(command, written.decode(), time.monotonic() - started)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # on Linux, how a terminal says that its last program has ended
        return b""


def lines_of(recorded: Recorded) -> list[list[Segment]]:
    """Return the command and what is left standing on the screen: of a line that was drawn over, the last state."""
    last_state = re.sub(r"^.*\x1b\[2K", "", recorded.output.replace("\r\n", "\n"), flags=re.DOTALL)
    console, shown = Console(width=COLUMNS), list(AnsiDecoder().decode(last_state))
    for line in shown:
        line.rstrip()
    while shown and not shown[-1].plain:
        shown.pop()
    typed = [Segment("$ ", PROMPT), Segment(recorded.command, Style(bold=True))]
    return [_runs(typed), *(_runs(line.render(console)) for line in shown)]


def _runs(segments: Iterable[Segment]) -> list[Segment]:
    """Cut where narrow characters meet wide ones: they come from two fonts, and each run is given its width."""
    return [
        Segment(run, segment.style)
        for segment in segments
        for run in re.findall(rf"[{WIDE}]+|[^{WIDE}]+", segment.text)
    ]


def draw(recording: list[Recorded]) -> str:
    """Return the recording as an SVG; its lines appear one after the other, once, where CSS animations run."""
    rows: list[str] = []
    moment, height = 0.5, 0
    for recorded in recording:
        for number, line in enumerate(lines_of(recorded)):
            if number == 1:
                moment += min(recorded.seconds, LONGEST_PAUSE_S)
            rows.append(_row(line, height, moment))
            height += 1
        height, moment = height + 1, moment + 1.0  # an empty line before the next prompt
    width = round(COLUMNS * CELL + 2 * MARGIN)
    size = f"{width} {(height - 1) * LINE + 2 * MARGIN}"
    title = "A terminal: " + "; ".join(recorded.command for recorded in recording)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width}" role="img">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>\nsvg {{ font: {FONT_SIZE}px {FONTS} }}\ntext {{ white-space: pre }}\n"
        "@keyframes appear { from { opacity: 0 } to { opacity: 1 } }\n"
        "@media (prefers-reduced-motion: no-preference) { g { animation: appear 0.1s both } }\n</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


def _row(line: list[Segment], number: int, moment: float) -> str:
    y, column, parts = MARGIN + number * LINE + FONT_SIZE, 0, []
    for segment in line:
        cells = cell_len(segment.text)
        if segment.text.strip():
            place = f'x="{MARGIN + column * CELL:g}" y="{y}" textLength="{cells * CELL:g}"'
            adjusted = f'{place} lengthAdjust="spacingAndGlyphs" xml:space="preserve"'
            parts.append(f"<text {adjusted} {_look(segment.style or Style())}>{escape(segment.text)}</text>")
        column += cells
    return f'<g style="animation-delay:{moment:.1f}s">{"".join(parts)}</g>'


def _look(style: Style) -> str:
    color = style.color.get_truecolor(MONOKAI).hex if style.color and not style.color.is_default else "#e6edf3"
    rules = [f'fill="{color}"']
    rules += ['font-weight="bold"'] if style.bold else []
    rules += ['text-decoration="underline"'] if style.underline else []
    return " ".join(rules)


def main() -> None:
    """Record, draw and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        recording = [record(command, Path(folder)) for command in COMMANDS]
    PICTURE.write_text(draw(recording), encoding="utf-8")
    sys.stdout.write(f"{PICTURE}: {len(recording)} commands\n")


if __name__ == "__main__":
    main()
