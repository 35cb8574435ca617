import asyncio
import threading

import pytest

from khub.components.cancellation import Run
from khub.server.graphs.places import Places, Share, TooBusyError, counted_among, take_place, work_in_place

pytestmark = pytest.mark.unit
SHARES = {"verify": Share(at_once=3, of_one=2, waiting=2), "query": Share(at_once=1, of_one=1, waiting=2)}
PATIENCE_S = 30


def places(patience_s: float = PATIENCE_S) -> Places:
    return Places(SHARES, patience_s)


async def waits(task: "asyncio.Task[object]") -> bool:
    for _ in range(20):
        await asyncio.sleep(0)
    return not task.done()


def test_one_caller_cannot_take_all_and_waits_behind_its_own():
    async def run() -> None:
        some = places()
        own = [await some.take("verify", "a") for _ in range(2)]
        third = asyncio.create_task(some.take("verify", "a"))
        assert await waits(third)
        await some.take("verify", "b")
        fourth = asyncio.create_task(some.take("verify", "b"))
        assert await waits(fourth)
        own[0].give_back()
        own[0].give_back()  # once is enough
        await fourth if not await waits(fourth) else await third
        assert third.done() != fourth.done()
        await some.take("query", "a")  # a kind of its own

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def test_who_has_too_much_waiting_is_told_and_the_others_are_not():
    async def run() -> None:
        some = places()
        first = await some.take("query", "a")
        waiting = [asyncio.create_task(some.take("query", "a")) for _ in range(2)]
        assert await waits(waiting[1])
        with pytest.raises(TooBusyError) as told:
            await some.take("query", "a")
        assert told.value.status == 429
        other = asyncio.create_task(some.take("query", "b"))
        assert await waits(other)
        waiting[0].cancel()
        first.give_back()
        (await other).give_back()
        await waiting[1]

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def test_nobody_waits_for_ever():
    async def run() -> None:
        some = places(patience_s=0.01)
        place = await some.take("query", "a")
        for who in ("a", "b"):
            with pytest.raises(TooBusyError) as told:
                await some.take("query", who)
            assert told.value.status == 503
        place.give_back()
        await asyncio.sleep(0)
        await some.take("query", "a")

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def test_a_thread_keeps_its_place_until_it_ends_though_nobody_waits():
    async def run() -> None:
        began, go_on = threading.Event(), threading.Event()

        def work() -> None:
            began.set()
            go_on.wait(PATIENCE_S)

        with counted_among(places(), "a"):
            left = asyncio.create_task(work_in_place("query", work))
            await asyncio.to_thread(began.wait, PATIENCE_S)
            left.cancel()
            with pytest.raises(asyncio.CancelledError):
                await left
            following = asyncio.create_task(take_place("query"))
            assert await waits(following)
            go_on.set()
            await following
            with pytest.raises(ZeroDivisionError):
                await work_in_place("verify", lambda: 1 / 0)

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def test_where_no_service_counts_there_is_always_a_place():
    async def run() -> None:
        for _ in range(50):
            await take_place("verify")

    asyncio.run(run())


def test_a_run_says_when_its_last_thread_has_ended():
    run, told = Run(), list[str]()
    run.when_no_thread_works(lambda: told.append("none"))
    run.thread_begins()
    run.thread_begins()
    run.when_no_thread_works(lambda: told.append("ended"))
    run.thread_ends()
    assert told == ["none"]
    run.thread_ends()
    assert told == ["none", "ended"]
