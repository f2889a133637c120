"""Real sessions in every format, summarised: smaller, valid, the same the second time, every byte still there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from prune_mcp.engine.prune.prune import Request, prune, recall
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.engine.summaries.run import summarized
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import open_transcript
from tests.summaries.conftest import Pruner
from tests.summaries.endpoint import Endpoint

LARGEST = 400_000


@pytest.mark.requirement("PRU-SUMMARY", "PRU-IDEM", "PRU-RECOVER")
def test_recorded_sessions_are_summarised_once_and_stay_recoverable(
    make_pruner: Callable[..., Pruner], endpoint: Endpoint, shared_sessions: Path
) -> None:
    pruner, summarised = make_pruner(), 0
    for path in sorted((shared_sessions / "home").rglob("*.jsonl")):
        if path.stat().st_size <= LARGEST:
            summarised += _pruned(pruner, endpoint, path)
    assert summarised > 20


def _pruned(pruner: Pruner, endpoint: Endpoint, path: Path) -> int:
    """Prune a session twice; how many of its outputs a model summarised."""
    try:
        conversation = open_transcript(path)
    except SessionError:
        return 0
    store = pruner.store

    request = Request(PruneOptions())

    def attempt() -> list[object]:
        pruned, _ = prune(store, conversation, recall(store, conversation), request)
        assert pruned.measure.after <= pruned.measure.before
        return list(conversation.render(pruned.view))

    first = summarized(attempt, request, "endpoint", pruner)
    asked = len(endpoint.asked)
    assert summarized(attempt, request, "endpoint", pruner) == first
    assert len(endpoint.asked) == asked
    outputs = [output for output in store.outputs(conversation.session) if output.state == "summary"]
    for output in outputs[:5]:
        item = recover(store, [f"t{output.ref}"], session=conversation.session, budget=1_000_000).items[0]
        assert hashlib.sha256(item.text.encode("utf-8", "surrogatepass")).hexdigest() == output.sha
    return len(outputs)
