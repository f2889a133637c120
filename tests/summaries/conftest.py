"""What the tests of model summaries share: an endpoint on loopback, and pruning with its help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.engine.ledger import Ledger, ledger
from prune_mcp.engine.prune.prune import Request, prune_array
from prune_mcp.engine.prune.shape import shape
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.engine.summaries.models import Models
from prune_mcp.engine.summaries.options import ModelOptions, SummaryOptions
from prune_mcp.engine.summaries.run import summarized
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.sessions.messages.open import open_messages
from prune_mcp.storage.home import home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store
from tests.pruning.build import JSON
from tests.summaries.endpoint import Endpoint, serving

if TYPE_CHECKING:
    from prune_mcp.engine.summaries.run import Summarize

Progress = Callable[[float, float, str], None]
KEY = "sk-test-4f1b9c"
# Reasons that outcomes give.
SUMMARIZED = "replaced by a stub with a model's summary"
DIGESTED = "replaced by a stub"
TOO_LARGE = "the summary would not be smaller"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint that answers every question with a bullet for each label."""
    yield from serving()


@pytest.fixture
def elsewhere() -> Iterator[Endpoint]:
    """Another endpoint, that no setting names."""
    yield from serving()


class Pruner:
    """Prunes messages with the help of the models that `options` name; `now` is what its clock shows."""

    def __init__(self, env: dict[str, str], options: SummaryOptions, pruning: PruneOptions) -> None:
        self.now = 0.0
        self.store: Store = open_store(home(env))
        self.models = Models(options, env, lambda: self.now)
        self._pruning = pruning

    def prune(
        self,
        messages: list[JSON],
        summarize: Summarize = "endpoint",
        progress: Progress | None = None,
        dry_run: bool = False,
    ) -> PruneAnswer:
        """The answer to one prune of these messages."""

        request = Request(self._pruning, dry_run=dry_run, progress=progress)

        def attempt() -> PruneAnswer:
            pruned, pruned_messages = prune_array(self.store, open_messages(messages), request)
            answer = shape(pruned, request)
            answer.messages = pruned_messages
            return answer

        return summarized(attempt, request, summarize, self)

    def original(self, ref: str, session: str) -> str:
        """What a ref stands for."""
        return recover(self.store, [ref], session=session, budget=1_000_000).items[0].text

    def ledger(self, session: str) -> Ledger:
        """The ledger of a session."""
        return ledger(self.store, session)


@pytest.fixture
def make_pruner(env: dict[str, str], endpoint: Endpoint) -> Iterator[Callable[..., Pruner]]:
    """Pruners on one store, whose first model is `main` at the endpoint; `pruning` is how they prune, all else are
    fields of SummaryOptions."""
    made: list[Pruner] = []
    main = ModelOptions(base_url=endpoint.url, model="main", input_price=2.0, output_price=10.0)

    def make(pruning: PruneOptions | None = None, **options: Any) -> Pruner:
        known: dict[str, Any] = {"endpoint": main, "idle_timeout_ms": 20_000, "retries": 0} | options
        keyed = env | {"OPENAI_API_KEY": KEY}
        made.append(Pruner(keyed, SummaryOptions(**known), pruning or PruneOptions()))
        return made[-1]

    yield make
    for pruner in made:
        pruner.store.close()


@pytest.fixture
def pruner(make_pruner: Callable[..., Pruner]) -> Pruner:
    """A pruner with the default settings, but for retries."""
    return make_pruner()


def told(answer: PruneAnswer, key: str) -> str:
    """What an answer's diagnostics say of one cause; empty if they say nothing of it."""
    return next((str(found["detail"]) for found in answer.diagnostics if found["key"] == key), "")


def causes(answer: PruneAnswer) -> list[str]:
    """The causes that an answer's diagnostics name."""
    return [str(found["key"]) for found in answer.diagnostics if found["kind"] == "summary"]


def outcome(answer: PruneAnswer, reason: str) -> JSON:
    """The outcome of this reason; empty if there is none."""
    return next((found for found in answer.outcomes if found["reason"] == reason), {})
