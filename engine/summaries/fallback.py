"""Which of two models is asked: the one that is wanted, or the other while that one does not answer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from prune_mcp.engine.summaries.endpoint import Endpoint
from prune_mcp.engine.summaries.failure import AskFailed

Answer = TypeVar("Answer")
Send = Callable[[Endpoint], Awaitable[Answer]]
Tell = Callable[[str, str], None]


class Fallback:
    """Which model's turn it is. Lives as long as the process; it is kept nowhere.

    A question that the first model fails for a passing reason is asked again of the second. From then on the
    second is asked, and the first one is tried again once in each cooldown (seconds). What no other model could
    help, such as a key that is not taken or an answer of no use, changes nothing.
    """

    def __init__(self, cooldown: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.fallen_back = False
        self.owes_warning = False
        self._cooldown = cooldown
        self._clock = clock
        self._tried = 0.0

    async def ask(self, first: Endpoint, second: Endpoint | None, send: Send[Answer], tell: Tell) -> Answer:
        """The answer of the model whose turn it is, or of the other one; `tell` hears when the turn changes.

        Raises:
            AskFailed: neither answers.
        """
        if second is None:
            return await send(first)
        trying = self.fallen_back and self._clock() - self._tried >= self._cooldown
        if self.fallen_back and not trying:
            return await self._ask_second(first, second, send, tell)
        if trying:
            self._tried = self._clock()
        try:
            answer = await send(first)
        except AskFailed as failed:
            if not (failed.transient or trying):
                raise
            return await self._instead(first, second, failed, send, tell)
        if trying:
            self._recover(first, tell)
        return answer

    async def _instead(
        self, first: Endpoint, second: Endpoint, failed: AskFailed, send: Send[Answer], tell: Tell
    ) -> Answer:
        """The second model's answer to what the first one failed."""
        if not self.fallen_back:
            self.fallen_back = self.owes_warning = True
            self._tried = self._clock()
        try:
            return await self._ask_second(first, second, send, tell)
        except AskFailed as also:
            fatal = also.fatal and failed.fatal
            raise AskFailed(also.cause, f"{failed}; {also}", transient=also.transient, fatal=fatal) from failed

    async def _ask_second(self, first: Endpoint, second: Endpoint, send: Send[Answer], tell: Tell) -> Answer:
        answer = await send(second)
        if self.owes_warning:
            self.owes_warning = False
            again = f"the first is tried again every {self._cooldown / 60:g} minutes"
            tell("fallback", f"{first.name} does not answer, so {second.name} is asked; {again}")
        return answer

    def _recover(self, first: Endpoint, tell: Tell) -> None:
        """The first model answers again; a warning that nobody has heard by now is no longer worth it."""
        self.fallen_back = self.owes_warning = False
        tell("recovered", f"{first.name} answers again and is asked first")
