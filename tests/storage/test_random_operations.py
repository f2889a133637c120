"""Whatever is done to a store in whatever order, it answers as plain memory would, also when opened anew."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from prune_mcp.storage.home import home
from prune_mcp.storage.protocol import Writer
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, ModelUsage, Output, Recoveries, SessionRecord
from prune_mcp.storage.sqlite import open_store
from tests.storage.memory_store import MemoryStore

pytestmark = pytest.mark.requirement("REC-LAST", "REC-SURROGATE")

# Any code point, lone surrogates and NUL included.
texts = st.text(st.characters(codec=None, categories=None), max_size=12) | st.sampled_from(
    ["", "\0", "\ud800", "é"]
)
names = st.sampled_from(["a", "b", "é\0", "\udfff"])
numbers = st.integers(0, 2**40)
bodies = st.binary(max_size=40) | st.builds(
    lambda piece, times: piece * times, st.binary(min_size=1, max_size=9), st.sampled_from([30, 8000, 20000])
)
states = st.sampled_from(["whole", "stub", "summary", "alias", "inside", "spill", "superseded"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner, max_size=3)
)
records = st.builds(SessionRecord, names, names, texts, texts, texts, texts, names)
drafts = st.builds(
    Output,
    numbers,
    names,
    names,
    texts,
    texts,
    texts,
    texts,
    st.booleans(),
    *[numbers] * 4,
    states,
    texts,
    numbers,
)
outcomes = st.lists(st.dictionaries(texts, json_values, max_size=3), max_size=3)
flushes = st.builds(Flush, numbers, outcomes, texts, st.integers(0, 9), numbers, numbers, texts)
recoveries = st.builds(Recoveries, numbers, numbers)
usages = st.builds(ModelUsage, names, *[numbers] * 3, st.floats(0, 100))
diagnostics = st.lists(st.builds(Diagnostic, names, names, texts, st.integers(1, 9)), max_size=3)


class Operations(RuleBasedStateMachine):
    """Writes to the store and to the model alike; `session` is the session written to."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="prune-mcp-test-"))
        self.home = home({"PRUNE_MCP_HOME": str(self.folder)})
        self.store = open_store(self.home, clock=lambda: "")
        self.model = MemoryStore()

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    def write(self, operation: Callable[[Writer | MemoryStore], object]) -> None:
        with self.store.write() as writer:
            assert operation(writer) == operation(self.model)

    def some_session(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.model.sessions)))

    def some_refs(self, data: st.DataObject, session: str) -> list[int]:
        refs = [output.ref for output in self.model.sessions[session].outputs]
        return data.draw(st.lists(st.sampled_from(refs), unique=True)) if refs else []

    @rule(record=records)
    def know(self, record: SessionRecord) -> None:
        self.write(lambda to: to.session(record))

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), drafts=st.lists(st.tuples(drafts, bodies), max_size=4))
    def archive(self, data: st.DataObject, drafts: list[tuple[Output, bytes]]) -> None:
        session = self.some_session(data)
        self.write(lambda to: to.archive(session, drafts))

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), like=drafts)
    def decide(self, data: st.DataObject, like: Output) -> None:
        session = self.some_session(data)
        refs = self.some_refs(data, session)
        decided = [Output(ref, "", "", "", state=like.state, stub=f"{like.stub}{ref}", other=ref) for ref in refs]
        self.write(lambda to: to.decide(session, decided))

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), name=names, body=bodies)
    def put_beside(self, data: st.DataObject, name: str, body: bytes) -> None:
        session = self.some_session(data)
        refs = self.some_refs(data, session)
        self.write(lambda to: [to.facet(session, ref, name, body) for ref in refs])

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), ends=st.tuples(texts, texts), text=texts, document=bodies | st.none())
    def block(self, data: st.DataObject, ends: tuple[str, str], text: str, document: bytes | None) -> None:
        session = self.some_session(data)
        refs = self.some_refs(data, session)

        def write(to: Writer | MemoryStore) -> object:
            sha = "" if document is None else to.body(document)
            return to.block(session, ChainBlock(0, "chain", *ends, text, sha, refs, refs, 1, len(text)))

        self.write(write)

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), flush=flushes, found=diagnostics)
    def flush(self, data: st.DataObject, flush: Flush, found: list[Diagnostic]) -> None:
        session = self.some_session(data)
        self.write(lambda to: to.flush(session, flush))
        self.write(lambda to: to.diagnose(session, found))

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), recovered=recoveries, usage=usages)
    def charge(self, data: st.DataObject, recovered: Recoveries, usage: ModelUsage) -> None:
        session = self.some_session(data)
        self.write(lambda to: to.charge_recovery(session, recovered))
        self.write(lambda to: to.charge_model(session, usage))

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), new=st.integers(0, 3))
    def inherit(self, data: st.DataObject, new: int) -> None:
        source = self.some_session(data)
        refs = self.some_refs(data, source)
        copy = f"copy {new} of {source}"

        def write(to: Writer | MemoryStore) -> object:
            to.session(SessionRecord(copy))
            return to.inherit(copy, source, refs)

        self.write(write)

    @precondition(lambda self: self.model.sessions)
    @rule(data=st.data(), drafts=st.lists(st.tuples(drafts, bodies), max_size=4), flush=flushes)
    def break_off(self, data: st.DataObject, drafts: list[tuple[Output, bytes]], flush: Flush) -> None:
        session = self.some_session(data)
        with pytest.raises(LookupError), self.store.write() as writer:
            self.archive_and_break(writer, session, drafts, flush)

    def archive_and_break(
        self, writer: Writer, session: str, drafts: list[tuple[Output, bytes]], flush: Flush
    ) -> None:
        writer.archive(session, drafts)
        writer.flush(session, flush)
        raise LookupError

    @rule()
    def open_anew(self) -> None:
        self.store.close()

    @rule()
    def open_beside(self) -> None:
        beside = open_store(self.home, clock=lambda: "")
        self.store.close()
        self.store = beside

    @invariant()
    def answers_alike(self) -> None:
        model = self.model.sessions
        assert [record.id for record in self.store.sessions()] == list(reversed(model))
        for session, kept in model.items():
            assert self.store.session(session) == kept.record
            assert self.store.outputs(session) == kept.outputs
            assert self.store.blocks(session) == kept.blocks
            assert self.store.flushes(session) == kept.flushes
            assert self.store.facets(session) == kept.facets
            found = {(each.kind, each.key): each for each in self.store.diagnostics(session)}
            assert found == kept.diagnostics
            assert self.store.recoveries(session) == kept.recoveries
            assert {usage.model: usage for usage in self.store.model_usage(session)} == kept.usage

    @invariant()
    def finds_alike(self) -> None:
        for call_id in ("a", "\udfff"):
            expected = [
                (s, o) for s, kept in self.model.sessions.items() for o in kept.outputs if o.call_id == call_id
            ]
            expected.sort(key=lambda each: (each[0], each[1].ref))
            assert self.store.occurrences([call_id]) == expected

    @invariant()
    def brings_bodies_back(self) -> None:
        for sha, data in self.model.bodies.items():
            assert self.store.body(sha) == data


TestOperations = Operations.TestCase
TestOperations.settings = settings(max_examples=60, stateful_step_count=20)
