"""Points in time as people and models write them: a date, a date with a time, or so long ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

AGO = re.compile(r"(\d{1,6}) ?(min|h|d|w|m|y)[a-z]* ?(?:ago)?", re.IGNORECASE)
SECONDS = {"min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "m": 30 * 86_400, "y": 365 * 86_400}
WORDS = {"today": 0, "yesterday": 1}
FORMS = "a date such as 2026-03-01, one with a time such as 2026-03-01T14:30, or so long ago as 12h, 3d or 2w"


def point_in_time(text: str, now: datetime, *, end: bool = False) -> float:
    """Seconds since the epoch that `text` means at `now` (local time, with its zone).

    `end`: a date alone means the end of that day, not its start.

    Raises:
        ValueError: it is none; the message says what it could be.
    """
    words = " ".join(text.split()).lower()
    if (ago := AGO.fullmatch(words)) is not None:
        return now.timestamp() - int(ago[1]) * SECONDS[ago[2].lower()]
    if words in WORDS:
        return _of_day(now - timedelta(days=WORDS[words]), end)
    try:
        point = datetime.fromisoformat(text.strip())
        if re.fullmatch(r"\d{4}-?\d\d-?\d\d", text.strip()):
            return _of_day(point.replace(tzinfo=now.tzinfo), end)
        return (point if point.tzinfo else point.replace(tzinfo=now.tzinfo)).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text[:40]!r} is no point in time; give {FORMS}.") from None


def filter_point(name: str, text: str, *, end: bool = False) -> float:
    """The point in time that the filter `name` of a search is given as, 0.0 where it is not given.

    Raises:
        QuestionWrong: it is none.
    """
    from prune_mcp.engine.past import QuestionWrong

    try:
        return point_in_time(text, local_now(), end=end) if text else 0.0
    except ValueError as error:
        raise QuestionWrong(f"`{name}`: {error}") from None


def _of_day(point: datetime, end: bool) -> float:
    start = point.replace(hour=0, minute=0, second=0, microsecond=0)
    return (start + timedelta(days=1, seconds=-1) if end else start).timestamp()


def local_now() -> datetime:
    """The time now, in the zone of this machine."""
    return datetime.now(UTC).astimezone()
