"""What every use case works with: the settings, the store, and the transcripts that stay open between calls."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.engine.settings import Settings
from prune_mcp.storage.protocol import Store

if TYPE_CHECKING:
    from prune_mcp.engine.care.space import QuotaWatch
    from prune_mcp.engine.memory import Memory
    from prune_mcp.engine.past import PastSessions
    from prune_mcp.engine.prune.archive import Progress
    from prune_mcp.engine.prune.prune import Request
    from prune_mcp.engine.summaries.models import Models
    from prune_mcp.engine.usage.usage import UsageRequest
    from prune_mcp.sessions.reader import Reader

# Transcripts kept open between calls, so that a second prune costs only what was appended.
OPEN_TRANSCRIPTS = 4


class Desk:
    """Settings, store, past sessions and open transcripts of one environment. Opens nothing before it is used.

    `env` is the environment that settings, the store's place and the hosts' folders are read from.
    `settings_wrong`: sentences about `settings` for the diagnostics of each prune.
    """

    def __init__(
        self, env: Mapping[str, str], *, settings: Settings | None = None, settings_wrong: Sequence[str] = ()
    ) -> None:
        self._env = env
        self._settings = settings
        self._settings_wrong = settings_wrong
        self._store: Store | None = None
        self._past: PastSessions | None = None
        self._quota: QuotaWatch | None = None
        self._models: Models | None = None
        self._lock = threading.RLock()
        self._past_lock = threading.Lock()
        self._open: OrderedDict[Path, tuple[Reader, Memory | None]] = OrderedDict()

    @property
    def settings(self) -> Settings:
        """The settings in force, read when first needed."""
        if self._settings is None:
            from prune_mcp.engine.settings import keep, load
            from prune_mcp.storage.home import home

            place = home(self._env)
            self._settings, wrong = load(self._env, place)
            self._settings_wrong = wrong + keep(self._settings, place)
        return self._settings

    @property
    def store(self) -> Store:
        """The store, opened when first needed."""
        if self._store is None:
            from prune_mcp.storage.home import home
            from prune_mcp.storage.sqlite import open_store

            self._store = open_store(home(self._env))
        return self._store

    @property
    def past(self) -> PastSessions:
        """Past sessions, to be searched and read; these calls take no turns with the others."""
        from prune_mcp.engine.past import PastSessions

        with self._past_lock:
            if self._past is None:
                self._past = PastSessions(self._env, background=self.settings.background_index)
            return self._past

    @property
    def models(self) -> Models:
        """The models that write summaries, and which of them answers."""
        from prune_mcp.engine.summaries.models import Models

        if self._models is None:
            self._models = Models(self.settings.summaries, self._env)
        return self._models

    def close(self) -> None:
        """Close the store and let go of open transcripts."""
        with self._lock:
            self._open.clear()
            if self._past is not None:
                self._past.close()
            if self._store is not None:
                self._store.close()

    def _transcript(self, path: Path) -> tuple[Reader, Memory | None]:
        """The transcript as it is now, with what an earlier prune in this process left of it."""
        from prune_mcp.sessions.transcript import open_transcript

        kept = self._open.pop(path, None)
        while len(self._open) >= OPEN_TRANSCRIPTS:
            self._open.popitem(last=False)
        if kept is None:
            return open_transcript(path), None
        transcript, memory = kept
        generation = transcript.generation
        transcript.refresh()
        return transcript, memory if transcript.generation == generation else None

    def _over_quota(self) -> list[dict[str, Any]]:
        """The diagnostic that what is kept takes more than the quota, or none."""
        if self._quota is None:
            from prune_mcp.engine.care.space import QuotaWatch
            from prune_mcp.storage.home import home

            self._quota = QuotaWatch(home(self._env), self.settings.quota_bytes)
        return self._quota.diagnostics()

    def _usage_request(self, payload: object = None, progress: Progress | None = None) -> UsageRequest:
        from prune_mcp.engine.usage.usage import UsageRequest

        return UsageRequest(self.settings.prune, self.settings.usage, payload, progress)

    def _request(
        self,
        keep_turns: int | None = None,
        note: str = "",
        dry_run: bool = False,
        *,
        whole: bool,
        progress: Progress | None = None,
    ) -> Request:
        from prune_mcp.engine.prune.prune import Request

        options = self.settings.prune
        return Request(options, note=note, keep_turns=keep_turns, dry_run=dry_run, whole=whole, progress=progress)
