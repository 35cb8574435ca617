"""hayhooks' own application, without what it does on its own account.

hayhooks reads `.env` of the working folder into the environment while it is imported: whoever wrote a folder would
choose the hub's settings. So nothing else imports it.
"""

import logging
import os
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI

import khub.components  # noqa: F401 - it switches telemetry off

os.environ["PYTHON_DOTENV_DISABLED"] = "1"

from hayhooks import create_app
from hayhooks.server.pipelines.registry import registry
from hayhooks.settings import settings

LOGGERS = ("uvicorn", "uvicorn.error", "uvicorn.access", "fastapi")


def is_deployed(name: str) -> bool:
    """Say whether a pipeline of that name was deployed through hayhooks' own routes."""
    return registry.get(name) is not None


def hayhooks_app(deployed: Path | None = None) -> FastAPI:
    """Return hayhooks' application: no page from elsewhere, no spans kept, our log.

    :param deployed: where what is deployed through its routes is kept; None where nothing is, or was.
    """
    settings.pipelines_dir = str(deployed or "")
    settings.cors_allow_origins, settings.cors_allow_origin_regex = [], None
    settings.durable_mode = settings.chainlit_enabled = settings.show_tracebacks = False
    settings.tracing_enabled = settings.tracing_include_haystack_spans = settings.monitoring_enabled = False
    app = create_app()
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(logging.WARNING)
    app.title, app.description = "Knowledge Hub", "Cited answers from private documents."
    app.version = version("knowledge-hub")
    app.openapi_url = app.docs_url = app.redoc_url = None  # their pages load scripts from elsewhere
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", None) is None]
    found: FastAPI = app
    return found
