"""Why a call failed, in one line, with the remedy where the library that failed names none."""

import re

from khub.components.bounded_call import NoAnswerError
from khub.components.errors import KhubError
from khub.components.missing_model import missing_model
from khub.components.refused_call import refusal
from khub.components.text.masked_secrets import without_secrets

_NO_KEY = re.compile(r"None of the following authentication environment variables are set: \((?P<names>[^()]*+)\)")


def failure_reason(error: BaseException) -> str:
    """Return what a failure comes from.

    :param error: one of the hub's own errors, or what any library has raised.
    :returns: one line, without the key that a server may have sent back; for other errors than the hub's it begins with
        the class, unless a key is missing.
    """
    text = str(error)
    if isinstance(error, KhubError | NoAnswerError):
        return text
    if missing := missing_model(error):
        return str(missing)
    if match := _NO_KEY.search(text):
        names = " or ".join(re.findall(r"'([^']+)'", match["names"]))
        return f"{names} is not set: export it, or any word where a model's server asks for no key"
    if told := refusal(error):
        return without_secrets(told)  # some servers say the key that they refuse
    url = getattr(getattr(error, "request", None), "url", None)
    if type(error).__name__ == "APIConnectionError" and url is not None:
        place = f"{url.scheme}://{url.host}{f':{url.port}' if url.port else ''}"
        text = f"no model's server answers at {place}: start it, or set another api_base_url in the graph"
    return without_secrets(" ".join(f"{type(error).__name__}: {text}".split()))
