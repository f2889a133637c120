"""What headroom-ai makes of message arrays. Run by the Python of its own environment: INPUT.json OUTPUT.json.

Its own way for message arrays is `headroom.compress(messages)`, which leaves the output of reading, searching
and editing tools alone. The second configuration excludes no tool and turns every compressor on, with the
router that `compress` uses. Its text model (Kompress) comes from a model hub at first use; no such download
is made here, so both are measured without it, as headroom itself runs when offline.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

Message = dict[str, Any]

MODEL = "claude-sonnet-4-5-20250929"
MODEL_LIMIT = 200_000

# Read by headroom when it is imported. The breaker would stop code compression for the inputs after a bad one.
SETTINGS = {"HEADROOM_OFFLINE": "1", "HEADROOM_CODE_SYNTAX_BREAKER": "0", "HEADROOM_TELEMETRY": "off"}

EVERYTHING: dict[str, Any] = {
    "exclude_tools": set(),
    "enable_code_aware": True,
    "enable_cross_turn_dedup": True,
    "lossless_then_lossy": True,
    "min_chars_for_block_compression": 25,
    "smart_crusher_max_items_after_crush": 8,
    "smart_crusher_with_compaction": False,
    "protect_error_outputs": False,
}


def by_default(messages: list[Message]) -> list[Message]:
    """The messages as `headroom.compress` returns them."""
    from headroom import compress

    return list(compress(messages, model=MODEL, model_limit=MODEL_LIMIT).messages)


def everything(messages: list[Message]) -> list[Message]:
    """The messages with no tool excluded and every compressor on."""
    from headroom.transforms import TransformPipeline
    from headroom.transforms.content_router import ContentRouter, ContentRouterConfig
    from headroom.utils import extract_user_query

    pipeline = TransformPipeline(transforms=[ContentRouter(ContentRouterConfig(**EVERYTHING))])
    result = pipeline.apply(
        messages=messages,
        model=MODEL,
        model_limit=MODEL_LIMIT,
        context=extract_user_query(messages),
        protect_recent=4,
        protect_analysis_context=False,
        min_tokens_to_compress=10,
    )
    return list(result.messages)


def main() -> None:
    """Read the items, write the views of each configuration."""
    source, target = map(Path, sys.argv[1:])
    os.environ.update(SETTINGS)
    with tempfile.TemporaryDirectory(prefix="headroom-") as home:
        os.environ.update(HOME=home, HEADROOM_WORKSPACE_DIR=home)
        items = json.loads(source.read_bytes())
        found = {
            "defaults": [by_default(item["messages"]) for item in items],
            "no tool excluded, every compressor on": [everything(item["messages"]) for item in items],
        }
    target.write_text(json.dumps({"version": version("headroom-ai"), "views": found}), encoding="utf-8")


if __name__ == "__main__":
    main()
