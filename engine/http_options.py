"""What the settings say about serving over HTTP."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """`max_body_bytes`: the largest request that is read. `stop_seconds`: how long calls that are at work when
    the server is stopped may go on."""

    max_body_bytes: int = 4 << 20
    stop_seconds: int = 5
