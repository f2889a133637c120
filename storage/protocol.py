"""What the engine asks of a store. `storage/sqlite.py` is the one implementation today."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from prune_mcp.storage.care_records import Fault, Forgotten, Garbage, Holder, KeptBody, StoreSize
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, ModelUsage, Output, Recoveries, SessionRecord

# Bodies read, and how many there are.
CareProgress = Callable[[int, int], None]


class Writer(Protocol):
    """One write transaction: everything in it is kept, or nothing is."""

    def session(self, record: SessionRecord) -> SessionRecord:
        """Make the session known, or refresh what is known of it (host, path, cwd, title); counters stay the
        store's own. Returns the record as it now stands."""

    def inherit(self, session: str, source: str, refs: Sequence[int]) -> None:
        """Copy these outputs of `source` into the (new) `session` under the same refs, count on from the
        source's numbers, and remember the parent."""

    def archive(self, session: str, drafts: Sequence[tuple[Output, bytes]]) -> list[Output]:
        """Keep outputs with their bodies; an identity already known comes back as it is, others get the
        session's next refs (the draft's own ref is ignored)."""

    def decide(self, session: str, outputs: Iterable[Output]) -> None:
        """Keep the decision of each output (state, stub, other, flush)."""

    def body(self, data: bytes) -> str:
        """Keep a body and return its sha."""

    def facet(self, session: str, ref: int, name: str, data: bytes) -> None:
        """Keep something beside an output's text, shown as `t<ref>:<name>` (`args`, `full`, `image1`)."""

    def block(self, session: str, block: ChainBlock) -> ChainBlock:
        """Keep a block under the session's next number (returned in a copy)."""

    def flush(self, session: str, flush: Flush) -> Flush:
        """Keep a flush under the session's next number, and move the frontier forward to `flush.frontier`."""

    def diagnose(self, session: str, diagnostics: Iterable[Diagnostic]) -> None:
        """Count diagnostics, once per kind and key."""

    def charge_recovery(self, session: str, recovered: Recoveries) -> None:
        """Add to what recoveries brought back into the session's context. The session counts as written to by
        neither of these."""

    def charge_model(self, session: str, usage: ModelUsage) -> None:
        """Add to what this model was asked for the session."""


class Store(Protocol):
    """The index store. Every method may raise `StoreError`, whose message says what to do."""

    def write(self, wait: float | None = None) -> AbstractContextManager[Writer]:
        """A transaction; an exception inside it keeps nothing. `wait`: seconds to wait for other writers."""

    def version(self) -> int:
        """A number that changes whenever another connection has written, or care has taken something away (for
        callers that keep copies)."""

    def sessions(self) -> list[SessionRecord]:
        """Every session, the latest written first."""

    def session(self, id: str) -> SessionRecord | None:
        """One session by its exact id."""

    def outputs(self, session: str) -> list[Output]:
        """The session's outputs by ref."""

    def blocks(self, session: str) -> list[ChainBlock]:
        """The session's blocks by number."""

    def flushes(self, session: str) -> list[Flush]:
        """The session's flushes by number."""

    def facets(self, session: str) -> dict[tuple[int, str], str]:
        """The sha of each facet by (ref, name)."""

    def diagnostics(self, session: str) -> list[Diagnostic]:
        """The session's diagnostics."""

    def recoveries(self, session: str) -> Recoveries:
        """What recoveries brought back into the session's context so far."""

    def model_usage(self, session: str) -> list[ModelUsage]:
        """What each model was asked for the session so far, by its name."""

    def occurrences(self, call_ids: Sequence[str]) -> list[tuple[str, Output]]:
        """Every (session, output) of these tool-call ids, by session and ref."""

    def body(self, sha: str) -> bytes:
        """A body's bytes, checked against its hash.

        Raises:
            BodyDamaged: the kept bytes are missing or not what was stored.
        """

    def missing(self, session: str) -> set[str]:
        """The bodies of the session's outputs that are no longer there, by sha. Looks for them, and reads none."""

    @property
    def care(self) -> Care:
        """Care of the store."""

    def close(self) -> None:
        """Close the store; using it again opens it anew."""


class Care(Protocol):
    """Care of a store. Every method may raise `StoreError`; where there is no store yet, none is made. Killed at
    any moment, each leaves a whole store, and doing it again goes on."""

    @property
    def cut_short(self) -> bool:
        """Whether a forgetting was begun and not brought to its end: `resume` does that."""

    def size(self) -> StoreSize:
        """How large the store is."""

    def garbage(self) -> Garbage:
        """What nothing refers to. Reads only."""

    def collect(self) -> Garbage:
        """Take away what nothing refers to, but for the free pages; returns what it was."""

    def latest(self) -> dict[str, list[KeptBody]]:
        """The bodies by the latest written of the sessions that name them, without those given up already: giving
        up every session up to that one frees them."""

    def release(self, sessions: Sequence[str], shas: Collection[str]) -> int:
        """Give up those of these bodies that only these sessions name; their records stay, and archiving the same
        again keeps them anew. Returns the bytes on disk that they took."""

    def held(self, sessions: Sequence[str]) -> list[KeptBody]:
        """The bodies that these sessions name and no other does. Reads only."""

    def forget(self, sessions: Sequence[str]) -> Forgotten:
        """Take sessions out of the store with every body that no other session names, down to the last byte;
        what nothing named before goes as well."""

    def resume(self) -> None:
        """Bring a forgetting that was cut short to its end."""

    def tidy(self) -> None:
        """Give free pages back to the disk, and empty the log: no byte of what was deleted stays."""

    def faults(self, progress: CareProgress | None = None) -> Iterator[Fault]:
        """Everything in the store that is not as it was written. Reads every body."""

    def holders(self, sha: str) -> list[Holder]:
        """Whose body this is."""

    def mend(self, sha: str, data: bytes) -> None:
        """Keep the bytes of a known body anew.

        Raises:
            ValueError: they are not its bytes.
        """
