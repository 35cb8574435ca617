"""The routes by which the hub's own things are read and edited."""

from fastapi import APIRouter

from khub.server.http.collection_routes import CollectionRoutes
from khub.server.http.document_routes import DocumentRoutes
from khub.server.http.picture_routes import PictureRoutes
from khub.server.http.search_routes import SearchRoutes
from khub.server.http.trace_routes import TraceRoutes


def hub_routes() -> APIRouter:
    """Return them in one router."""
    router = APIRouter()
    for routes in (CollectionRoutes(), DocumentRoutes(), PictureRoutes(), SearchRoutes(), TraceRoutes()):
        router.include_router(routes.router())
    return router
