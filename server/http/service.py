"""Serve until the service is told to stop; what was asked before is still answered."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

import uvicorn
from uvicorn.supervisors import Multiprocess

from khub.components.errors import KhubError
from khub.server.http.app import Service, build_service
from khub.server.http.metrics import added_up
from khub.server.http.service_options import ServiceOptions
from khub.server.listening.connection_limits import ConnectionLimits
from khub.server.listening.limited_connection import LimitedConnection
from khub.server.listening.open_files import allow_many_open_files
from khub.server.listening.ports import listening_socket, worker_sockets
from khub.server.mcp.stderr_log import warnings_only
from khub.server.mcp.warm_up import import_native_modules
from khub.server.traces.app_log import configure_logging

LEAVING_S = 20
"""So long may requests take that are being answered when the service is told to stop."""
STARTING_S = 60
"""So long may a worker be busy with loading before it is taken for one that hangs."""
SWITCH_S = 0.001
"""So long may one thread run while others wait, a fifth of Python's own: the one that all requests pass wakes often."""
LIMITS = ConnectionLimits()


def serve(options: ServiceOptions, port: int, told: Callable[[int], object] = lambda _: None) -> None:
    """Serve until the process is told to stop.

    :param options: what the service allows, and with how many workers.
    :param port: to listen on; 0 for any that is free.
    :param told: is given the port once it is listened on.
    :raises KhubError: if the port is taken, or something is asked for that only one worker can do.
    """
    if options.workers > 1 and options.rate:
        raise KhubError("--rate counts in one process", "leave --workers out, or let the proxy count")
    if options.workers > 1 and options.dashboard is not None:
        raise KhubError("the pages of a visit live in one process", "leave --workers out")
    config = service_config(options, port)
    sockets = [listening_socket(config)] if options.workers == 1 else worker_sockets(config)
    told(sockets[0].getsockname()[1])
    if options.workers == 1:
        uvicorn.Server(config).run(sockets)
    else:
        with added_up():
            _Workers(config, sockets).run()


class _Workers(Multiprocess):
    """Worker processes; who comes when they are told to end is refused, and does not wait for nobody."""

    def keep_subprocess_alive(self) -> None:
        # With an end of its own open, this process would wait its whole limit for the answer of a worker that has died.
        for one in self.processes:
            one.child_conn.close()
        super().keep_subprocess_alive()

    def terminate_all(self) -> None:
        for one in self.sockets:
            one.close()
        super().terminate_all()


def service_config(options: ServiceOptions, port: int) -> uvicorn.Config:
    """Return what a server is made of.

    :param options: what it allows.
    :param port: 0 for any that is free.
    """
    connection = partial(LimitedConnection, limits=LIMITS.within(allow_many_open_files()))
    return uvicorn.Config(
        partial(_application, options),
        factory=True,
        http=connection,  # type: ignore[arg-type]  # it is called and nothing else
        ws="none" if options.dashboard is None else "websockets-sansio",
        host=options.host,
        port=port,
        workers=options.workers,
        log_config=None,
        timeout_keep_alive=LIMITS.idle_s,
        timeout_graceful_shutdown=LEAVING_S,
        timeout_worker_healthcheck=STARTING_S,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )


def _application(options: ServiceOptions) -> Service:
    """Return what a process serves; one that was started by another ends with it, however that ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
    import_native_modules()
    sys.setswitchinterval(SWITCH_S)
    configure_logging()
    warnings_only()
    return build_service(options)


def _end_with(parent: "multiprocessing.process.BaseProcess") -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
