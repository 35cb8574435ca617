"""What a leg has found in further languages, beside what it has found in all."""

from haystack import Document

from khub.components.errors import ParameterError


def check_per_language(name: str, per_language: int) -> None:
    """Refuse a negative number.

    :param name: of the component.
    :raises GraphError: naming it.
    """
    if per_language < 0:
        raise ParameterError(f"{name} has per_language={per_language}", "give 1 or more, or 0 for none")


def joined(found: list[Document], further: list[Document], in_turns: bool) -> list[Document]:
    """Return both lists, every chunk once.

    :param found: what a leg has found in all languages, best first.
    :param further: what it has found in single ones.
    :param in_turns: whether `found` is in an order of its own, which stays; else all are ordered by their scores.
    """
    known = {document.id for document in found}
    new = [document for document in further if document.id not in known]
    if not new or in_turns:
        return found + sorted(new, key=_place)
    return sorted(found + new, key=_place)


def _place(document: Document) -> tuple[float, str]:
    return -(document.score or 0.0), document.id
