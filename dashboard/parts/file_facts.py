"""Days and languages as people read them."""

from khub.dashboard.language import t
from khub.server.commands.trace_list import local_time


def day(time: str | None) -> str:
    """Return the day and minute, here, of a time that is written as ISO 8601; a dash where there is none."""
    return local_time(time)[:16] if time else "–"


def language_name(code: str) -> str:
    """Return the name of a language in that of the visit; the code itself where it has none here."""
    names = {
        "zh": t("Chinese", "中文"),
        "en": t("English", "英文"),
        "ja": t("Japanese", "日文"),
        "ko": t("Korean", "韩文"),
        "und": t("no language", "无语种"),
    }
    return names.get(code, code)
