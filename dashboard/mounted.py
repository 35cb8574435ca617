"""The pages as an application that the service mounts."""

import logging
from pathlib import Path
from typing import Any

from starlette.formparsers import MultiPartParser

from khub.dashboard.failed_page import show_failure
from khub.dashboard.visitor import Admission
from khub.server.http.visitors import NAME_HEADER, Visitors
from khub.server.library.incoming_files import largest_file

SETTINGS: dict[str, Any] = {
    # Its own way to these settings is an environment variable or a file, which a mounted application does not heed.
    "browser.gatherUsageStats": False,
    "global.developmentMode": False,
    "logger.level": "warning",
    "logger.enableRich": False,  # it writes to standard output, past the log
    "global.disableWidgetStateDuplicationWarning": True,  # pages of a list always have a default
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "viewer",
    "runner.magicEnabled": False,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    "server.trustedUserHeaders": {NAME_HEADER: "name"},  # the state of a visit is given to no other name
    "theme.primaryColor": "#0f5fa8",
    "theme.light.textColor": "#0d0f14",  # captions are set in 60 % of it
    "theme.dark.primaryColor": "#7db8f0",
    "theme.font": "sans-serif",
    "theme.headingFontSizes": ["1.9rem", "1.5rem", "1.25rem", "1.1rem", "1rem", "0.9rem"],
}


def pages(visitors: Visitors) -> Any:
    """Return Streamlit's application with the pages.

    :param visitors: who may see what.
    """
    from streamlit import config
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.starlette import App

    for name, value in SETTINGS.items():
        config.set_option(name, value)
    config.set_option("server.maxUploadSize", largest_file() // 1_000_000)
    # Streamlit holds a file in memory; before that, Starlette would write it into the system's own folder
    MultiPartParser.spool_max_size = 2 * largest_file()
    PagesManager.uses_pages_directory = False  # else the first visitor gets a page without the frame that app.py draws
    Admission.visitors = visitors
    app = App(Path(__file__).with_name("app.py"), on_script_error=show_failure)
    _log_as_the_hub_does()
    return app


def _log_as_the_hub_does() -> None:
    """Take Streamlit's own handlers away, which write every request, questions included, to standard error."""
    import streamlit.error_util  # noqa: F401 - its logger, which tells why a page failed, comes with it

    for name in [*logging.root.manager.loggerDict]:
        if name.split(".")[0] in {"streamlit", "uvicorn", "websockets"}:
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [], True
            logger.setLevel(logging.WARNING)
