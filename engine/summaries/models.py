"""The models that the settings name, and asking them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from importlib.util import find_spec

from prune_mcp.engine.prune.archive import Progress
from prune_mcp.engine.summaries.asking import Asking, run
from prune_mcp.engine.summaries.endpoint import Endpoint, HearChars, Reply
from prune_mcp.engine.summaries.failure import NotSet
from prune_mcp.engine.summaries.fallback import Fallback
from prune_mcp.engine.summaries.key import host_of, key_for
from prune_mcp.engine.summaries.options import ModelOptions, SummaryOptions
from prune_mcp.engine.summaries.summaries import Summaries
from prune_mcp.engine.summaries.usage import charge, together
from prune_mcp.pruning.summaries.question import Question
from prune_mcp.search.secrets.masking import mask
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.protocol import Store


class Models:
    """The models of the settings. Keeps, as long as the process lives, which of them answers."""

    def __init__(
        self, options: SummaryOptions, env: Mapping[str, str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.options = options
        self._env = env
        self._fallback = Fallback(options.cooldown_ms / 1000, clock)

    def ask(self, store: Store, summaries: Summaries, progress: Progress | None = None) -> None:
        """Ask the open questions. Each answer counts, whatever becomes of the others, and each request is charged.

        Without a model to ask, or where none answers, a diagnostic says so, and digests stand.

        Raises:
            BaseException: what a progress report raises to end the work; what was asked by then is charged.
        """
        try:
            models = self._set_up(summaries)
        except NotSet as missing:
            summaries.tell("settings", f"{missing} Digests stand instead.")
            summaries.closed = True
            return
        try:
            run(self._asked(models, summaries, progress))
        finally:
            summaries.usages += [usage for model in models for usage in model.usages]
            settle(store, summaries)

    async def _asked(self, models: list[Endpoint], summaries: Summaries, progress: Progress | None) -> None:
        first, second = models[0], models[1] if len(models) > 1 else None

        async def ask(question: Question, heard: HearChars) -> Reply:
            prompt = mask(question.prompt)

            def send(model: Endpoint) -> Awaitable[Reply]:
                return model.ask(prompt, question.size, heard)

            return await self._fallback.ask(first, second, send, summaries.tell)

        try:
            await Asking(summaries, ask, self.options.parallel, progress).run()
        finally:
            for model in models:
                await model.close()

    def _set_up(self, summaries: Summaries) -> list[Endpoint]:
        """The first model, and the second if there is one that can be asked.

        Raises:
            NotSet: there is no first one.
        """
        if find_spec("openai") is None:
            raise NotSet("summaries: asking an endpoint takes `pip install 'prune-mcp[llm]'`.")
        models = [self._endpoint(self.options.primary)]
        if second := self.options.second:
            try:
                models.append(self._endpoint(second))
            except NotSet as missing:
                summaries.tell("fallback-settings", f"{missing} There is no fallback until then.")
        return models

    def _endpoint(self, options: ModelOptions) -> Endpoint:
        host = host_of(options)
        if not options.model:
            raise NotSet(f"summaries: no model of {host} is named; set summaries.endpoint.model.")
        return Endpoint(options, key_for(options, self._env), self.options)


def settle(store: Store, summaries: Summaries) -> None:
    """Charge what was asked, so that it can be told of."""
    usages, summaries.usages = summaries.usages, []
    try:
        charge(store, summaries.session, usages)
    except StoreError as error:
        summaries.tell("ledger", f"what the models cost is not counted in the ledger: {error}")
    summaries.spent = together([*summaries.spent, *usages])
