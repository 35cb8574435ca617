"""Threads for what may wait for an issuer: nothing else waits when it is away."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")
_THREADS = ThreadPoolExecutor(4, "issuer")


async def asking(ask: Callable[Given, Found], *arguments: Given.args, **named: Given.kwargs) -> Found:
    """Return what a function finds that may ask the issuer; it knows which hub it is for, as `asyncio.to_thread`."""
    here = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_THREADS, partial(here.run, ask, *arguments, **named))
