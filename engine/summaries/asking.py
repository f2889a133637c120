"""Asking questions: several at once or one by one, each failure by itself, with progress and an early end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from prune_mcp.engine.prune.archive import Progress
from prune_mcp.engine.summaries.endpoint import HearChars, Reply
from prune_mcp.engine.summaries.failure import AskFailed
from prune_mcp.engine.summaries.progress import Heard
from prune_mcp.engine.summaries.summaries import Summaries
from prune_mcp.pruning.summaries.question import Question

Ask = Callable[[Question, HearChars], Awaitable[Reply]]

# Seconds between two reports while answers stream in, which is also how soon a cancelled call is noticed.
TICK = 0.5
# After so many failures without an answer in between nobody is asked any more.
GIVE_UP = 3


class Stopped(Exception):
    """A progress report ended the work; `reason` is what it raised."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__()
        self.reason = reason


class Asking:
    """Asks the open questions of `summaries`, at most `parallel` at once."""

    def __init__(self, summaries: Summaries, ask: Ask, parallel: int, progress: Progress | None) -> None:
        self._summaries = summaries
        self._questions = list(summaries.open)
        self._ask = ask
        self._gate = asyncio.Semaphore(max(1, parallel))
        self._heard = Heard(progress, len(self._questions))
        self._failures = 0

    async def run(self) -> None:
        """Ask them all.

        Raises:
            BaseException: whatever a progress report raised; questions without an answer by then have none.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                watch = tasks.create_task(self._watch())
                asked = [tasks.create_task(self._one(n, q)) for n, q in enumerate(self._questions)]
                await asyncio.wait(asked)
                watch.cancel()
        except* Stopped as stopped:
            raise _reason(stopped) from None

    async def _one(self, number: int, question: Question) -> None:
        async with self._gate:
            if self._failures < GIVE_UP:
                await self._answered(number, question)
            else:
                self._summaries.fail(
                    question, "given-up", "nothing more was asked after several failures in a row"
                )
        self._tell(lambda: self._heard.end(number))

    async def _answered(self, number: int, question: Question) -> None:
        try:
            reply = await self._ask(question, lambda chars: self._heard.hear(number, chars))
        except AskFailed as failed:
            self._failures = GIVE_UP if failed.fatal else self._failures + failed.transient
            self._summaries.fail(question, failed.cause, f"{failed}; digests stand instead")
        else:
            self._failures = 0
            self._summaries.take(question, reply.text, reply.cut)

    async def _watch(self) -> None:
        """Report now and then, also when nothing comes."""
        while True:
            await asyncio.sleep(TICK)
            self._tell(self._heard.tell)

    def _tell(self, report: Callable[[], None]) -> None:
        try:
            report()
        except BaseException as reason:
            # A cancelled call is told by an exception that a task group would take for its own.
            raise Stopped(reason) from reason


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, whether or not this thread has an event loop at work; raises what it raises."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(main)
        return
    raised: list[BaseException] = []

    def apart() -> None:
        try:
            asyncio.run(main)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=apart, name="summaries")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


def _reason(stopped: BaseExceptionGroup[Stopped]) -> BaseException:
    first = stopped.exceptions[0]
    return _reason(first) if isinstance(first, BaseExceptionGroup) else first.reason
