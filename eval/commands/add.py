"""`khub eval add`: make a question that was asked a case of a golden set.

khub eval add 3f2a91c4                                   # shows the question and what was cited
khub eval add 3f2a91c4 --place 2 --answer "300 kg"
khub eval add 3f2a91c4 --place 1 --place "manual.pdf#4=Deck overloaded" --helps 3
khub eval add 3f2a91c4 --unanswerable
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khub.components.errors import GoldenSetError
from khub.eval.commands.shared import SAMPLES

if TYPE_CHECKING:
    from khub.eval.synth.trace_case import Asked

SNIPPET = 300


def add_case(
    trace_id: Annotated[str | None, typer.Argument(metavar="[TRACE_ID]", help="The trace's id, or its start.")] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACE",
            help="What answers it: the number of a citation, or FILE#PAGE for a place that was not cited; with =QUOTE "
            "behind it, these words prove it. May be repeated.",
        ),
    ] = None,
    helps: Annotated[
        list[str] | None, typer.Option(metavar="PLACE", help="What helps, but does not answer it by itself.")
    ] = None,
    answer: Annotated[str | None, typer.Option(metavar="TEXT", help="The answer in words.")] = None,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Kind of the question, such as table.", show_default="fact")
    ] = None,
    unanswerable: Annotated[
        bool, typer.Option("--unanswerable", help="The documents do not answer it: to abstain is right.")
    ] = False,
    golden: Annotated[
        str | None,
        typer.Option(
            "--set",
            metavar="NAME",
            help="Golden set: a name in eval/golden, or a .jsonl file.",
            show_default="$KHUB_HOME/eval/golden.jsonl",
        ),
    ] = None,
    from_trace: Annotated[str | None, typer.Option(metavar="TRACE_ID", help="The same as the argument.")] = None,
    documents: Annotated[
        Path, typer.Option(metavar="DIR", help="The documents that the set is about.", show_default="eval/samples")
    ] = SAMPLES,
) -> None:
    """Add a question from the trace log to a golden set.

    Without --place, what somebody has called right answers it (`POST /feedback`); else show what was cited.
    """
    from khub.eval.synth.growing_set import add_cases, set_file
    from khub.eval.synth.trace_case import called_right, case_of, place_of, read_asked
    from khub.server.terminal import tell, write_line

    named = trace_id or from_trace
    if named is None:
        raise typer.BadParameter("name the trace: khub trace list shows them", param_hint="TRACE_ID")
    if unanswerable and (place or helps or answer or kind):
        raise typer.BadParameter("what cannot be answered has no place, answer or kind", param_hint="--unanswerable")
    if helps and not place:
        raise typer.BadParameter("name what answers it, too, by --place", param_hint="--helps")
    asked = read_asked(named)
    if not place and not unanswerable:
        place = called_right(asked)
    if not place and not unanswerable:
        _show(asked)
        tell("nothing is added yet", "say which citation answers it by --place N, or --unanswerable")
        return
    folder = documents.expanduser().absolute()
    graded = [(given, 2) for given in place or []] + [(given, 1) for given in helps or []]
    places = [place_of(given, asked, folder, answer, grade) for given, grade in graded]
    file = set_file(golden)
    if not add_cases(file, [case_of(asked, places, answer, kind)]):
        raise GoldenSetError(f"{file} has this question already", "edit its line, or name another set by --set")
    write_line(f"added to {file}: {asked.question}")
    for one in places:
        page = f" p. {one.page}" if one.page else ""
        write_line(f"  {'answers' if one.grade == 2 else 'helps'}: {one.source}{page}: {one.evidence}")


def _show(asked: "Asked") -> None:
    from khub.server.terminal import write_line

    write_line(asked.question)
    write_line(f"asked of collection {asked.collection!r}; cited:" if asked.cited else "nothing was cited")
    for one in asked.cited:
        text = " ".join(one.text.split())
        page = f" p. {one.page}" if one.page else ""
        write_line(f"{one.number}  {one.source}{page}: {text if len(text) <= SNIPPET else text[:SNIPPET] + ' …'}")
