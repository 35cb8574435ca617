"""Prompts: files that a user may replace, and document text that stays data in them."""

import hashlib
from importlib import resources
from pathlib import Path
from typing import Any

from haystack.components.builders import PromptBuilder
from jinja2 import TemplateError

from khub.components.errors import GraphError
from khub.components.home import hub_home
from khub.components.text.turn_marks import values_without_turns

LANGUAGES = ("en", "zh")
PACKAGE = "khub.components.enrichers"


def prompt_language(language: str | None) -> str:
    """Return the language of the prompt for a text: Chinese for Chinese, else English."""
    return "zh" if language == "zh" else "en"


def prompt_text(name: str, language: str, prompt_file: str | None, package: str = PACKAGE) -> str:
    """Return a prompt.

    `prompt_file` comes first, then `$KHUB_HOME/prompts/NAME.LANGUAGE.md`, then the one that ships.

    :param name: of the prompt, like `refine`.
    :param language: `en` or `zh`.
    :param prompt_file: a path, `{language}` in it being replaced; a relative one begins at `$KHUB_HOME`.
    :param package: the package whose folder `prompts` holds the one that ships.
    :raises GraphError: when `prompt_file` cannot be read.
    """
    if prompt_file is not None:
        path = hub_home() / Path(prompt_file.replace("{language}", language)).expanduser()
        return _read(path)
    own = hub_home() / "prompts" / f"{name}.{language}.md"
    if own.is_file():
        return _read(own)
    return resources.files(package).joinpath("prompts", f"{name}.{language}.md").read_text("utf-8")


def prompt_fingerprint(name: str, prompt_file: str | None) -> str:
    """Return 12 hexadecimal characters that change with the text of a prompt, in any language."""
    texts = "\0".join(prompt_text(name, language, prompt_file) for language in LANGUAGES)
    return hashlib.sha256(texts.encode("utf-8")).hexdigest()[:12]


def fence(*texts: str) -> str:
    """Return a mark to put around texts in a prompt, which none of them can hold: it is made of their hash."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Prompt:
    """A prompt in Jinja's language, in which values are put as they are: nothing in them is read as a template.

    :param text: the template.
    :param name: what an error calls it.
    :raises GraphError: when the template cannot be read.
    """

    def __init__(self, text: str, name: str) -> None:
        try:
            self._builder = PromptBuilder(template=text)
        except TemplateError as error:
            raise GraphError(
                f"prompt {name!r} is no Jinja template ({error})", "mend the prompt file", code="prompt_invalid"
            ) from error
        self.name = name

    def filled(self, **values: Any) -> str:
        """Return the prompt with its values, in which nothing ends a turn of the chat.

        :raises GraphError: when it wants one that is not given.
        """
        unknown = sorted(set(self._builder.variables) - set(values))
        if unknown:
            raise GraphError(
                f"prompt {self.name!r} wants {unknown[0]!r}, which is not there",
                f"use {', '.join(sorted(values))}",
                code="prompt_invalid",
            )
        found: str = self._builder.run(template_variables=values_without_turns(values))["prompt"].strip()
        return found


def load_prompt(name: str, language: str, prompt_file: str | None, package: str = PACKAGE) -> Prompt:
    """Return a prompt ready to be filled (see `prompt_text`)."""
    return Prompt(prompt_text(name, language, prompt_file, package), f"{name}.{language}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GraphError(
            f"prompt file {path} cannot be read ({error})", "name a UTF-8 file that is there", code="prompt_invalid"
        ) from error
