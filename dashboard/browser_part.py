"""Parts of pages that the browser draws by a script, and maybe a style, of the folder `browser`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

FOLDER = Path(__file__).with_name("browser")


def browser_part(name: str, html: str = "<span></span>") -> Callable[..., Any]:
    """Return a function that shows a part: `key`, `data` and what else Streamlit takes; `events` are handed on.

    :param name: of its files.
    """
    style = FOLDER / f"{name}.css"
    mount = st.components.v2.component(
        f"khub_{name}",
        html=html,
        css=style.read_text(encoding="utf-8") if style.is_file() else None,
        js=(FOLDER / f"{name}.js").read_text(encoding="utf-8"),
    )

    def show(key: str, data: Mapping[str, Any], events: Sequence[str] = (), **more: Any) -> Any:
        heard: dict[str, Any] = {f"on_{event}_change": _nothing for event in events}
        return mount(key=key, data=data, **heard, **more)

    return show


def _nothing() -> None:
    """Let Streamlit hand an event on, which it does for those alone that something is called at."""
