"""Writes the session to standard output: python -m samples.flaky_upload > samples/flaky-upload.jsonl"""

from __future__ import annotations

import sys

from samples.flaky_upload.story import Story

if __name__ == "__main__":
    sys.stdout.buffer.write(Story().play().render())
