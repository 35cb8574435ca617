"""Which messages are small talk and not a question for the documents: told by examples."""

import functools
import re
import unicodedata

import numpy as np
from haystack import logging

from khub.components.embedders.model_folder import EmbeddingModel, load_model
from khub.components.errors import KhubError
from khub.components.query.intents import read_intents
from khub.components.text.tokenizer import HAN

logger = logging.getLogger(__name__)

MODEL = "khub-fast"
NEAR = 0.9
"""Cosine from which a part of a message means as good as the same as an example. Of 130 questions that were written to
look like small talk 2 come as near, and 10 come to 0.8."""
LONGEST = 60
"""In characters: nothing longer is small talk."""
SHORTEST = 4
"""In characters: what is shorter has to be an example itself."""
_GAP = re.compile(r"[,.!?~;:，。！？～、；：…\-—()（）\n][\s,.!?~;:，。！？～、；：…\-—()（）]*")
_GREETED = re.compile(r"(?:[,!?，！？。～、;；\n]|\.\s)[\s,.!?，！？。～、;；]*")
_WORDS = re.compile(f"[a-z' {HAN}]+")


def small_talk(text: str) -> str:
    """Say what kind of small talk a text is.

    :param text: what was typed.
    :returns: its kind, a key of `chat` in `intents.yaml`, the first one where there are several; "" for everything of
        which any part could be a question for the documents.
    """
    of_chat = list(read_intents()["chat"])
    kinds = set().union(*map(_kinds, _parts(text))) if len(text) <= LONGEST else set()
    return next((kind for kind in of_chat if kind in kinds), "") if kinds <= {*of_chat, "filler"} else ""


def without_greeting(text: str) -> str:
    """Return a question without the greeting before it, which a comma or the like ends ("你好，…", "Hi! …").

    :param text: what was typed.
    """
    end = _GREETED.search(text, 0, LONGEST)
    rest = text[end.end() :] if end else ""
    if end is None or not any(map(str.isalnum, rest)):
        return text
    first, begun = (" ".join(_parts(part)[:2]) for part in (text[: end.start()], text[: 2 * LONGEST]))
    return rest if _examples().get(first) == "greeting" and _examples().get(begun) != "search" else text


def load_examples() -> None:
    """Load the model and embed the examples, once."""
    _vectors()


def _kinds(part: str) -> set[str]:
    """Return the kinds of the examples that a part of a message is, is made of or is near to."""
    examples, phrase = _examples(), _phrase()
    if part in examples:
        return {examples[part]}
    if re.fullmatch(f"(?:{phrase})++", part):
        return {examples[said.strip()] for said in re.findall(phrase, part)}
    vectors = _vectors() if len(part) >= SHORTEST and _WORDS.fullmatch(part) else None
    if vectors is None:
        return {""}
    model, kinds, lengths, embedded = vectors
    # what an example says beyond a message may be what makes it small talk ("what can you search", "search")
    cosines = np.where(lengths <= len(part), embedded @ model.encode([part])[0], 0)
    nearest = int(cosines.argmax())
    return {kinds[nearest] if cosines[nearest] >= NEAR else ""}


def _parts(text: str) -> list[str]:
    """Return what stands between punctuation, in small letters and without emoji."""
    plain = "".join(filter(_counts, unicodedata.normalize("NFKC", text).lower().replace("’", "'")))
    return [" ".join(part.split()) for part in _GAP.split(plain) if part.strip()]


def _counts(character: str) -> bool:
    return unicodedata.category(character) not in ("So", "Sk", "Cf", "Mn", "Me", "Cs", "Co", "Cn")


@functools.cache
def _examples() -> dict[str, str]:
    """Return what each example is one of: a kind of small talk, `search` or `filler`."""
    said = read_intents()
    kinds = {kind: about["examples"] for kind, about in said["chat"].items()}
    kinds |= {kind: said[kind] for kind in ("search", "filler")}
    return {example: kind for kind, examples in kinds.items() for example in examples}


@functools.cache
def _phrase() -> str:
    """Return a regular expression for any example that is no search, the longest one first."""
    said = sorted((example for example, kind in _examples().items() if kind != "search"), key=len, reverse=True)
    return rf"(?:{'|'.join(map(re.escape, said))})(?![a-z'])\s*"


@functools.cache
def _vectors() -> tuple[EmbeddingModel, list[str], np.ndarray, np.ndarray] | None:
    """Return the model, and of each example its kind, its length and its vector; None where the model cannot be had."""
    examples = {example: kind for example, kind in _examples().items() if kind != "filler"}
    try:
        model = load_model(MODEL)
    except KhubError as error:
        logger.warning("small talk is known by its examples alone: {error}", error=error)
        return None
    return model, list(examples.values()), np.array(list(map(len, examples))), model.encode(list(examples))
