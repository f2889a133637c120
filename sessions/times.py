"""Times as hosts write them, in seconds since the epoch."""

from __future__ import annotations

from datetime import UTC, datetime


def seconds(time: object) -> float:
    """An ISO 8601 time in seconds since the epoch, 0.0 for what is none; without a zone it is UTC."""
    if not isinstance(time, str):
        return 0.0
    try:
        moment = datetime.fromisoformat(time)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
