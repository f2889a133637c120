"""One write transaction on the SQLite store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from prune_mcp.storage import statements as sql
from prune_mcp.storage.codec import digest
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.failures import Failures
from prune_mcp.storage.keeper import BodyKeeper
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, ModelUsage, Output, Recoveries, SessionRecord
from prune_mcp.storage.rows import block_row, flush_row, kept, output_from, output_row, session_from


class SQLiteWriter:
    """The `Writer` of one transaction; it is of no use once that has ended.

    A step that failed fails the transaction, also when the caller went on: numbers were given out in it.
    """

    def __init__(self, connection: sqlite3.Connection, bodies: BodyKeeper, failures: Failures, now: str) -> None:
        self.failed: BaseException | None = None
        self._connection = connection
        self._bodies = bodies
        self._failures = failures
        self._now = now
        self._keys: dict[str, int] = {}
        self._ended = False

    def session(self, record: SessionRecord) -> SessionRecord:
        """Make the session known, or refresh what is known of it: an empty text changes nothing."""
        with self._step() as connection:
            texts = (record.id, record.format, record.host, record.path, record.cwd, record.title)
            connection.execute(sql.KNOW, (*map(kept, texts), self._now))
            self._key(record.id)
            return self._record(record.id)

    def inherit(self, session: str, source: str, refs: Sequence[int]) -> None:
        """Copy these outputs, and what was kept beside them, from `source` into the new `session`.

        A session that has inherited from `source` before stays as it is.

        Raises:
            StoreError: the session has outputs or blocks of its own, or `source` has no such ref.
        """
        with self._step() as connection:
            key, origin = self._key(session), self._key(source, write=False)
            record = self._record(session)
            if record.next_ref > 1 or record.next_block > 1 or record.flushes:
                if record.parent == source:
                    return
                raise StoreError(f"The session {session} has numbers of its own and cannot inherit from {source}.")
            wanted = sorted(set(refs))
            copied = connection.executemany(sql.COPY_OUTPUT, [(key, origin, ref) for ref in wanted]).rowcount
            if copied < len(wanted):
                raise StoreError(f"The session {source} lacks some of the outputs to inherit: nothing was copied.")
            connection.executemany(sql.COPY_FACETS, [(key, origin, ref) for ref in wanted])
            connection.execute(sql.COPY_COUNTERS, (kept(source), origin, key))

    def archive(self, session: str, drafts: Sequence[tuple[Output, bytes]]) -> list[Output]:
        """Keep outputs with their bodies; the store itself names each body and gives out the refs."""
        with self._step() as connection:
            key = self._key(session)
            named = [(digest(data), data) for _, data in drafts]
            self._bodies.keep(connection, named)
            (first,) = connection.execute(sql.NEXT_REF, (key,)).fetchone()
            identified = [(draft, sha) for (draft, _), (sha, _) in zip(drafts, named, strict=True)]
            outputs, fresh = self._numbered(key, first, identified)
            if fresh:
                connection.executemany(sql.ADD_OUTPUT, [output_row(key, o.ref, o.sha, o) for o in fresh])
                connection.execute(sql.SET_NEXT_REF, (first + len(fresh), key))
            return outputs

    def decide(self, session: str, outputs: Iterable[Output]) -> None:
        """Keep the decision of each output (state, stub, other, flush).

        Raises:
            StoreError: the session has no output of such a ref.
        """
        with self._step() as connection:
            key = self._key(session)
            rows = [(o.state, kept(o.stub), o.other, o.flush, key, o.ref) for o in outputs]
            if rows and connection.executemany(sql.DECIDE, rows).rowcount < len(rows):
                raise StoreError(f"The session {session} lacks some of the outputs to decide: none was decided.")

    def body(self, data: bytes) -> str:
        """Keep a body and return its sha."""
        with self._step() as connection:
            sha = digest(data)
            self._bodies.keep(connection, [(sha, data)])
            return sha

    def facet(self, session: str, ref: int, name: str, data: bytes) -> None:
        """Keep something beside an output's text; a facet of the same name is replaced."""
        with self._step() as connection:
            key = self._key(session)
            sha = digest(data)
            self._bodies.keep(connection, [(sha, data)])
            connection.execute(sql.ADD_FACET, (key, ref, kept(name), sha))

    def block(self, session: str, block: ChainBlock) -> ChainBlock:
        """Keep a block under the session's next number (returned in a copy); its document is kept before it."""
        with self._step() as connection:
            key = self._key(session)
            number = self._record(session).next_block
            connection.execute(sql.ADD_BLOCK, block_row(key, number, block))
            connection.execute(sql.SET_NEXT_BLOCK, (number + 1, key))
            return replace(block, number=number)

    def flush(self, session: str, flush: Flush) -> Flush:
        """Keep a flush under the session's next number, and move the frontier forward to `flush.frontier`."""
        with self._step() as connection:
            key = self._key(session)
            number = self._record(session).flushes + 1
            connection.execute(sql.ADD_FLUSH, flush_row(key, number, flush))
            connection.execute(sql.SET_FLUSHES, (number, flush.frontier, key))
            return replace(flush, number=number)

    def diagnose(self, session: str, diagnostics: Iterable[Diagnostic]) -> None:
        """Count diagnostics: one row for a kind and key, with the first detail and the sum of the counts."""
        with self._step() as connection:
            key = self._key(session)
            rows = [(key, kept(d.kind), kept(d.key), kept(d.detail), d.count) for d in diagnostics]
            connection.executemany(sql.DIAGNOSE, rows)

    def charge_recovery(self, session: str, recovered: Recoveries) -> None:
        """Add to what recoveries brought back into the session's context; it does not count as written to."""
        with self._step() as connection:
            key = self._key(session, write=False)
            connection.execute(sql.CHARGE_RECOVERY, (key, recovered.count, recovered.tokens))

    def charge_model(self, session: str, usage: ModelUsage) -> None:
        """Add to what this model was asked for the session; it does not count as written to."""
        with self._step() as connection:
            key = self._key(session, write=False)
            asked = (usage.calls, usage.input_tokens, usage.output_tokens, usage.cost)
            connection.execute(sql.CHARGE_MODEL, (key, kept(usage.model), *asked))

    def end(self) -> None:
        """Let nobody write through this object any more."""
        self._ended = True

    @contextmanager
    def _step(self) -> Iterator[sqlite3.Connection]:
        """One step of the transaction, with its errors said as store errors."""
        if self._ended or self.failed:
            raise StoreError("This write has ended or failed before; begin another one.")
        try:
            with self._failures:
                yield self._connection
        except BaseException as error:
            self.failed = error
            raise

    def _key(self, session: str, write: bool = True) -> int:
        """The key of a session, marked as written to when this is the first step of the transaction that does."""
        key = self._keys.get(session)
        if key is not None:
            return key
        row = self._connection.execute(sql.KEY, (kept(session),)).fetchone()
        if row is None:
            raise StoreError(f"The store knows no session {session}: make it known first.")
        (found,) = row
        if write:
            self._connection.execute(sql.TOUCH, (self._now, found))
            self._keys[session] = found
        return int(found)

    def _record(self, session: str) -> SessionRecord:
        return session_from(self._connection.execute(sql.SESSION, (kept(session),)).fetchone())

    def _numbered(
        self, key: int, first: int, drafts: Sequence[tuple[Output, str]]
    ) -> tuple[list[Output], list[Output]]:
        """Each draft as the store has it, and those of them that are new, under the refs from `first` on."""
        outputs: list[Output] = []
        fresh: dict[tuple[str, str, str], Output] = {}
        for draft, sha in drafts:
            identity = (draft.call_id, draft.entry, sha)
            output = fresh.get(identity) or (self._known(key, *identity) if first > 1 else None)
            if output is None:
                output = fresh[identity] = replace(draft, ref=first + len(fresh), sha=sha)
            outputs.append(output)
        return outputs, list(fresh.values())

    def _known(self, key: int, call_id: str, entry: str, sha: str) -> Output | None:
        row = self._connection.execute(sql.KNOWN, (kept(call_id), key, kept(entry), sha)).fetchone()
        return output_from(row) if row else None
