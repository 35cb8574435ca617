"""The routes by which the hub's own things are read and edited."""

from fastapi import APIRouter

from server.http.document_routes import DocumentRoutes


def hub_routes() -> APIRouter:
    """Return them in one router."""
    router = APIRouter()
    for routes in (DocumentRoutes(),):
        router.include_router(routes.router())
    return router
