"""The pages as an application that the service mounts."""

from pathlib import Path
from typing import Any

from dashboard.visitor import Admission
from server.http.visitors import Visitors

MOST_UPLOAD_MB = 200
SETTINGS: dict[str, Any] = {
    # Its own way to these settings is an environment variable or a file, which a mounted application does not heed.
    "browser.gatherUsageStats": False,
    "global.developmentMode": False,
    "global.disableWidgetStateDuplicationWarning": True,  # pages of a list always have a default
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "viewer",
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    "server.maxUploadSize": MOST_UPLOAD_MB,
    "theme.primaryColor": "#0f5fa8",
    "theme.light.textColor": "#0d0f14",  # captions are set in 60 % of it
    "theme.dark.primaryColor": "#7db8f0",
    "theme.font": "sans-serif",
}


def pages(visitors: Visitors) -> Any:
    """Return Streamlit's application with the pages.

    :param visitors: who may see what.
    """
    from streamlit import config
    from streamlit.starlette import App

    for name, value in SETTINGS.items():
        config.set_option(name, value)
    Admission.visitors = visitors
    return App(Path(__file__).with_name("app.py"))
