"""What is known to answer a question of a golden set."""

import streamlit as st

from khub.components.catalog.parts import shown_name
from khub.dashboard.language import t
from khub.eval.place_name import PlaceName
from khub.eval.place_row import PlaceRow


def expected_answer(answer: str | None, places: list[PlaceRow]) -> None:
    """Show what is known to answer a question."""
    if not places:
        st.text(t("Nothing in the documents answers it.", "文档中没有答案。"))
        return
    lines = [t(f"Expected: {answer}", f"期望答案：{answer}")] if answer else []
    lines += [t(f"It stands in {place_text(one)}: ", f"出处 {place_text(one)}：") + one["evidence"] for one in places]
    st.text("\n".join(lines))


def place_text(place: PlaceName) -> str:
    """Return a file and its page."""
    name = shown_name(place["source"])
    return t(f"{name}, page {place['page']}", f"{name} 第 {place['page']} 页") if place["page"] else name
