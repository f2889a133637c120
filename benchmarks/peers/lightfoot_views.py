"""What lightfoot makes of message arrays. Run by the Python of its own environment: INPUT.json OUTPUT.json.

Lightfoot is a proxy that rewrites request after request, and rewrites tool output once, when it is new. So
each session is replayed request by request through its own planner, as its `estimate` command does, on an
account that allows history edits. Every request comes on a cold cache, where a rewrite costs lightfoot's own
economics nothing: that is its best case. What the last request would carry is the view.
"""

from __future__ import annotations

import copy
import json
import shutil
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lightfoot.adapters import ANTHROPIC
from lightfoot.config import DEFAULTS
from lightfoot.profiles import CLAUDE_CODE, GENERIC
from lightfoot.prune import message_tokens
from lightfoot.store import Store
from lightfoot.transform import Context, Plan, plan_request

Message = dict[str, Any]

MODEL = "claude-sonnet-4-5"
IDLE_SECONDS = 7200.0
NO_BUDGET_MS = 60_000

# Old turns are pruned as soon as there are any, down to the newest prompt.
PRUNE_EARLY: dict[str, dict[str, Any]] = {
    "prune": {
        "trigger_tokens": 1000,
        "cold_trigger_tokens": 0,
        "keep_tokens": 1000,
        "min_kept_prompts": 1,
        "min_drop_tokens": 1000,
        "mid_loop": True,
        "safety_factor": 0.0,
    },
}

# And every tool output is trimmed when small and young already, whatever the tool.
TRIM_EARLY: dict[str, dict[str, Any]] = {
    **PRUNE_EARLY,
    "thresholds": {
        "spill_tokens": 250,
        "spill_head": 5,
        "spill_tail": 5,
        "search_age": 3,
        "old_result_age": 3,
        "old_result_tokens": 250,
        "min_read_tokens": 50,
        "images_keep": 0,
    },
    "epochs": {"min_saving_tokens": 100, "min_gap_turns": 1},
    "exclude": {"json": [], "noise": [], "spill": [], "old_results": []},
}

CONFIGURATIONS = {"defaults": {}, "old turns pruned at once": PRUNE_EARLY, "all output trimmed too": TRIM_EARLY}


def settings(changes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Lightfoot's defaults with these changes, and without its limits on its own running time."""
    config: dict[str, Any] = copy.deepcopy(DEFAULTS)
    for table, values in changes.items():
        config[table].update(values)
    config["rewrite_budget_ms"] = NO_BUDGET_MS
    config["epochs"]["budget_ms"] = NO_BUDGET_MS
    return config


def requests(messages: list[Message]) -> list[list[Message]]:
    """The messages of each request that the host sent, the last one whole."""
    ends = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    return [messages[:end] for end in ends if end] + [messages]


def view(item: dict[str, Any], config: dict[str, Any], folder: Path) -> list[Message]:
    """The messages of the last request as lightfoot would forward them."""
    store = Store(folder / "lightfoot.db")
    first = {"messages": item["messages"]}
    session = store.get_or_create_session(ANTHROPIC.session_key(first), None, "live", 0.0)
    session.floor_tokens = 1
    forwarded: list[Message] = item["messages"]
    for number, messages in enumerate(requests(item["messages"]), start=1):
        body: dict[str, Any] = {"model": MODEL, "max_tokens": 1000, "messages": messages}
        now = number * IDLE_SECONDS
        plan = plan_request(body, context(item["host"], config, store, session, folder, now))
        remember(store, session, plan, now)
        forwarded = (plan.body_out or body)["messages"]
        session.context_tokens = sum(map(message_tokens, forwarded))
    store.close()
    return forwarded


def remember(store: Store, session: Any, plan: Plan, now: float) -> None:
    """Keep what a request decided, as lightfoot's proxy does before it forwards the request."""
    store.put_rewrites(plan.new_rewrites)
    if plan.new_prune:
        store.put_prune(plan.new_prune)
    if plan.epoch and plan.new_rewrites:
        session.epochs, session.last_epoch_turn = session.epochs + 1, plan.turns
    session.last_request = now


def context(host: str, config: dict[str, Any], store: Store, session: Any, folder: Path, now: float) -> Context:
    """What lightfoot's planner wants to know of one request."""
    return Context(
        cfg=config,
        store=store,
        mode="live",
        session=session,
        spill_dir=folder / "spill",
        graphify_report=None,
        enforced=False,
        started=time.perf_counter(),
        now=now,
        profile=CLAUDE_CODE if host == "claude-code" else GENERIC,
    )


def views(items: list[dict[str, Any]], config: dict[str, Any]) -> list[list[Message]]:
    """One view per item, each with a store of its own."""
    made = []
    for item in items:
        folder = Path(tempfile.mkdtemp(prefix="lightfoot-"))
        made.append(view(item, config, folder))
        shutil.rmtree(folder)
    return made


def main() -> None:
    """Read the items, write the views of each configuration."""
    source, target = map(Path, sys.argv[1:])
    items = json.loads(source.read_bytes())
    found = {name: views(items, settings(changes)) for name, changes in CONFIGURATIONS.items()}
    target.write_text(json.dumps({"version": version("lightfoot"), "views": found}), encoding="utf-8")


if __name__ == "__main__":
    main()
