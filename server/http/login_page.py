"""The page on which somebody signs in: with a token, or by an issuer who knows people."""

import html
from enum import Enum

from khub.server.people.sign_in import LEAVE


class Said(Enum):
    """What the page tells who could not come in, in both languages."""

    WRONG = ("This token is not known here, or its time is over.", "令牌无效，或已过期。")
    NOT_SIGNED_IN = ("Signing in did not work: try again.", "登录没有成功，请重试。")
    AWAY = ("The server that signs you in does not answer: try again later.", "登录服务器没有响应，请稍后再试。")
    NO_GROUP = (
        "You are known there, but none of your groups may see anything here.",
        "身份已确认，但你所在的组在这里没有任何权限。",
    )


TEXTS = {
    "title": ("Sign in", "登录"),
    "token": ("Token", "令牌"),
    "help": (
        "A token of khub token create, or KHUB_TOKEN / KHUB_WRITE_TOKEN.",
        "khub token create 生成的令牌，或 KHUB_TOKEN / KHUB_WRITE_TOKEN。",
    ),
    "by": ("Sign in with {}", "用 {} 登录"),
    "in": ("You are signed in", "已登录"),
    "on": ("Go on", "继续"),
}
HEAD = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">{more}
<title>{title} · Knowledge Hub</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, "Noto Sans CJK SC", sans-serif; }}
body {{ max-width: 24rem; margin: 20vh auto 0; padding: 0 1rem; line-height: 1.5; }}
input, button {{ font: inherit; width: 100%; padding: .6rem; margin: .4rem 0; box-sizing: border-box; }}
[role=alert] {{ font-weight: bold; }}
</style>
</head>
<body>
<main>
<h1>Knowledge Hub</h1>
{main}
</main>
</body>
</html>
"""


def login_page(base: str, chinese: bool, said: Said | None, issuer: str | None) -> str:
    """Return the page.

    :param base: path of the pages.
    :param said: what went wrong; None for nothing.
    :param issuer: its host; None where there is none.
    """
    shown = _shown(chinese)
    told = "" if said is None else f'<p role="alert">{html.escape(said.value[chinese])}</p>\n'
    way = "" if issuer is None else f'<p><a href="{base}{LEAVE}">{shown["by"].format(html.escape(issuer))}</a></p>\n'
    main = f"""{told}{way}<form method="post" action="{base}/login">
<label for="token">{shown["token"]}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required{"" if way else " autofocus"}>
<p>{shown["help"]}</p>
<button>{shown["title"]}</button>
</form>"""
    return HEAD.format(language=_language(chinese), more="", title=shown["title"], main=main)


def signed_in_page(base: str, chinese: bool) -> str:
    """Return what leads on to the pages after the way back from an issuer.

    A redirect would still be the issuer's: a browser sends no strict cookie with it.

    :param base: path of the pages.
    """
    shown = _shown(chinese)
    more = f'\n<meta http-equiv="refresh" content="0; url={base}/">'
    main = f'<p>{shown["in"]}</p>\n<p><a href="{base}/">{shown["on"]}</a></p>'
    return HEAD.format(language=_language(chinese), more=more, title=shown["in"], main=main)


def _shown(chinese: bool) -> dict[str, str]:
    return {name: html.escape(pair[chinese]) for name, pair in TEXTS.items()}


def _language(chinese: bool) -> str:
    return "zh" if chinese else "en"
