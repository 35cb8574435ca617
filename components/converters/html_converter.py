"""HTML pages without the parts that are there for moving around the site."""

import io
from typing import Any, BinaryIO

from bs4 import BeautifulSoup
from markitdown import DocumentConverterResult, StreamInfo
from markitdown.converters import HtmlConverter

_NOT_CONTENT = (
    "nav, footer, noscript, template, button, select, dialog, [hidden], [aria-hidden=true], [role=navigation], "
    "[role=search], [role=contentinfo], input:not([type=checkbox])"
)
_MAIN_SHARE = 0.3


class HtmlPageConverter(HtmlConverter):
    """MarkItDown's converter for HTML, fed with the page's content only (all of it when nothing else is left)."""

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> DocumentConverterResult:
        """Convert one page.

        :param file_stream: the HTML, in UTF-8.
        :param stream_info: passed on.
        :returns: the Markdown and the page's title.
        """
        data = file_stream.read()
        soup = BeautifulSoup(data, "html.parser", from_encoding="utf-8")
        for element in soup.select(_NOT_CONTENT):
            element.decompose()
        _keep_main(soup)
        content = str(soup).encode("utf-8") if soup.get_text(strip=True) else data
        return super().convert(io.BytesIO(content), stream_info, **kwargs)


def _keep_main(soup: BeautifulSoup) -> None:
    # Only a main element that holds a good part of the text can be believed.
    mains = soup.select("main, [role=main]")
    body = soup.body
    if body is None or len(mains) != 1:
        return
    length = len(mains[0].get_text(strip=True))
    if length >= _MAIN_SHARE * len(body.get_text(strip=True)):
        main = mains[0].extract()
        body.clear()
        body.append(main)
