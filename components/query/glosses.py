"""What a question is called in each language, beside what it says itself."""

from collections.abc import Iterable, Mapping

from khub.components.text.language import detect_language


def glosses_with(glosses: Mapping[str, str], texts: Iterable[str]) -> dict[str, str]:
    """Return the glosses with further texts, each behind what is there of its language.

    :param glosses: language -> text.
    """
    said = dict(glosses)
    for text in texts:
        language = detect_language(text)
        said[language] = f"{said[language]}, {text}" if language in said else text
    return said
