"""One model behind an OpenAI-compatible endpoint, asked through the official client library."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from prune_mcp.engine.recovery.fence import inline
from prune_mcp.engine.summaries.failure import AskFailed
from prune_mcp.engine.summaries.key import host_of
from prune_mcp.engine.summaries.options import ModelOptions, SummaryOptions
from prune_mcp.engine.summaries.usage import Counted, usage_of
from prune_mcp.storage.records import ModelUsage

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import APIStatusError, AsyncOpenAI

HearChars = Callable[[int], None]

# An answer longer than this many times what it summarises, and so many characters, is one that does not end.
ENDLESS, ENDLESS_CHARS = 2, 20_000
# Ends of an answer that are no ends.
CUT = ("length", "content_filter")
QUOTED = 200


@dataclass(slots=True)
class Reply:
    """A model's answer; `cut`: it ends before its end."""

    text: str
    cut: bool = False


@dataclass(slots=True)
class Endpoint:
    """A model to ask, within one event loop. `usages`: what each request so far came to, whatever became of it."""

    options: ModelOptions
    key: str = field(repr=False)
    limits: SummaryOptions
    usages: list[ModelUsage] = field(default_factory=list)
    _client: AsyncOpenAI | None = None
    _counts_usage: bool = True

    @property
    def name(self) -> str:
        """The model and where it is, in words."""
        return f"{self.options.model} at {host_of(self.options)}"

    async def ask(self, prompt: str, size: int, heard: HearChars) -> Reply:
        """The answer to a prompt; `heard` is told how many characters have come so far.

        `size`: no useful answer is longer, in characters.

        Raises:
            AskFailed: there is none.
        """
        from openai import APIConnectionError, APIError, APIStatusError

        counted = Counted(prompt)
        try:
            return await self._timed(prompt, size, counted, heard)
        except APIStatusError as error:
            raise self._turned_away(error) from error
        except APIConnectionError as error:
            broken = "closed the connection before its answer ended" if counted.began else "cannot be reached"
            raise AskFailed("connection", f"{self.name} {broken}", transient=True) from error
        except (APIError, ValueError) as error:
            raise AskFailed("broken", f"{self.name} sends what is no answer", transient=True) from error
        finally:
            self.usages.append(usage_of(self.options, counted))

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _timed(self, prompt: str, size: int, counted: Counted, heard: HearChars) -> Reply:
        """The answer within the two timeouts."""
        limits, loop = self.limits, asyncio.get_running_loop()
        idle_seconds = limits.idle_timeout_ms / 1000 or None
        whole_seconds = limits.max_timeout_ms / 1000 or None
        idle = asyncio.timeout(idle_seconds)

        def alive() -> None:
            if idle_seconds:
                idle.reschedule(loop.time() + idle_seconds)

        try:
            async with asyncio.timeout(whole_seconds), idle:
                return await self._read(prompt, size, counted, heard, alive)
        except TimeoutError as error:
            waited = f"sent nothing for {idle_seconds:g} s" if idle.expired() else f"took over {whole_seconds:g} s"
            raise AskFailed("timeout", f"{self.name} {waited}", transient=True) from error

    async def _read(
        self, prompt: str, size: int, counted: Counted, heard: HearChars, alive: Callable[[], None]
    ) -> Reply:
        """The answer as it streams in."""
        finish = ""
        async with await self._stream(prompt) as stream:
            async for chunk in stream:
                alive()
                counted.take(getattr(chunk, "usage", None))
                text, ended = _piece(chunk)
                counted.text += text
                finish = ended or finish
                heard(len(counted.text))
                if len(counted.text) > ENDLESS * size + ENDLESS_CHARS:
                    return Reply(counted.text, cut=True)
        if not finish:
            raise AskFailed("broken", f"{self.name} ended its answer in the middle", transient=True)
        return Reply(counted.text, finish in CUT)

    async def _stream(self, prompt: str) -> Any:
        from openai import BadRequestError, UnprocessableEntityError

        try:
            return await self._create(prompt)
        except (BadRequestError, UnprocessableEntityError) as error:
            if not self._counts_usage or "stream_options" not in str(error):
                raise
            # Some servers refuse what they do not know; this one then tells no usage, and it is estimated.
            self._counts_usage = False
            return await self._create(prompt)

    async def _create(self, prompt: str) -> Any:
        more: dict[str, Any] = {"stream_options": {"include_usage": True}} if self._counts_usage else {}
        if self.options.thinking != "default":
            more["reasoning_effort"] = "none" if self.options.thinking == "off" else self.options.thinking
        self._client = self._client or self._made()
        return await self._client.chat.completions.create(
            model=self.options.model, messages=[{"role": "user", "content": prompt}], stream=True, **more
        )

    def _made(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        return AsyncOpenAI(
            base_url=self.options.base_url,
            api_key=self.key,
            max_retries=self.limits.retries,
            # The two timeouts here are ours.
            timeout=None,
            # What is asked is for the endpoint of the settings, and for no other that it names.
            http_client=DefaultAsyncHttpxClient(
                timeout=None, follow_redirects=False, event_hooks={"response": [self._no_long_wait]}
            ),
        )

    async def _no_long_wait(self, response: Response) -> None:
        """Have the library not wait to ask again for longer than we wait for a sign of life."""
        longest = self.limits.idle_timeout_ms / 1000
        if longest and _seconds(response.headers.get("retry-after", "")) >= longest:
            response.headers["x-should-retry"] = "false"

    def _turned_away(self, error: APIStatusError) -> AskFailed:
        status = error.status_code
        if status in (401, 403):
            # What the server says of a key may quote it.
            return AskFailed("key", f"{self.name} does not take the key (HTTP {status})", fatal=True)
        detail = f"{self.name} answered HTTP {status}{self._reason(error)}"
        if status == 429:
            return AskFailed("busy", detail, transient=True)
        if status in (408, 409) or status >= 500:
            return AskFailed("server", detail, transient=True)
        if 300 <= status < 400:
            why = f"{self.name} redirects (HTTP {status}), which is not followed; set base_url to where it is"
            return AskFailed("refused", why, fatal=True)
        return AskFailed("refused", detail, fatal=status == 404)

    def _reason(self, error: APIStatusError) -> str:
        said = error.body.get("message") if isinstance(error.body, dict) else None
        return f": {inline(said.replace(self.key, '[key]'), QUOTED)}" if isinstance(said, str) and said else ""


def _seconds(retry_after: str) -> float:
    """How long a server asks to wait; without end where it names a date."""
    if not retry_after:
        return 0.0
    try:
        return float(retry_after)
    except ValueError:
        return inf


def _piece(chunk: Any) -> tuple[str, str]:
    """The text that a piece of an answer adds, and why the answer ends with it, if it does. The library checks
    nothing of what a server sends."""
    choices = getattr(chunk, "choices", None)
    first = choices[0] if isinstance(choices, list) and choices else None
    text = getattr(getattr(first, "delta", None), "content", None)
    finish = getattr(first, "finish_reason", None)
    return text if isinstance(text, str) else "", finish if isinstance(finish, str) else ""
