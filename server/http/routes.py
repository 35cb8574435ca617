"""The routes of an application, those of routers that are included too."""

from collections.abc import Iterator, Sequence

from starlette.routing import BaseRoute


def all_routes(routes: Sequence[BaseRoute]) -> Iterator[BaseRoute]:
    """Yield routes with those of the routers that are included."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from all_routes(included.routes)


def first_parts(routes: Sequence[BaseRoute]) -> frozenset[str]:
    """Return what the paths of routes begin with."""
    return frozenset(str(getattr(route, "path", "/")).split("/")[1] for route in all_routes(routes))
