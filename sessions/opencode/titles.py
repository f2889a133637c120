"""What an opencode session is called."""

from __future__ import annotations

import re

# Until a model has named it.
_UNNAMED = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT", re.IGNORECASE)


def given(title: str) -> str:
    """The title that somebody gave a session, "" for the host's own."""
    return "" if _UNNAMED.match(title) else title
