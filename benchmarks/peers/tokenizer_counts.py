"""Token counts by real tokenizers. Run by the Python of its own environment: INPUT.json OUTPUT.json.

Both ship their vocabulary inside a registry package: o200k in bpe-openai, and the last vocabulary that
Anthropic published (of Claude 2) in version 0.38.0 of its SDK.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import anthropic
import bpe_openai
from tokenizers import Tokenizer

VOCABULARY = Path(anthropic.__file__).parent / "tokenizer.json"
LONGEST = 100_000


def parts(text: str) -> list[str]:
    """The text in pieces that bpe-openai accepts; each cut may add one token."""
    return [text[start : start + LONGEST] for start in range(0, len(text), LONGEST)]


def main() -> None:
    """Read the texts, write the counts of each tokenizer."""
    source, target = map(Path, sys.argv[1:])
    texts = json.loads(source.read_bytes())
    o200k = bpe_openai.get_encoding("o200k_base")
    claude = Tokenizer.from_file(str(VOCABULARY))
    counts = {
        "o200k": [sum(len(o200k.encode(part, disallowed_special=())) for part in parts(text)) for text in texts],
        "Claude 2": [len(encoded.ids) for encoded in claude.encode_batch(texts)],
    }
    target.write_text(json.dumps(counts), encoding="utf-8")


if __name__ == "__main__":
    main()
