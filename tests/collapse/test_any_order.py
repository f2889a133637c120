"""A session that is pruned, collapsed, recovered from and forgotten in any order: valid always, and nothing lost.

The caller sends the whole history, or what came back last with what was added since.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from prune_mcp.engine import Engine, Settings
from prune_mcp.engine.answers import EngineError, PruneAnswer
from prune_mcp.storage.records import ChainBlock
from tests.arrays import FORMATS, Call, Result, Turn
from tests.pruning.build import log
from tests.pruning.test_properties import CHECKS, Array, dumped, inner

STEPS = 100
SESSION = "any-order"
# Statuses of what was brought back: an output of a call that failed says so.
FOUND = ("ok", "error")
# An exchange that the next prompt interrupted has its results in front of that prompt.
ONE_SPEAKER = "twice in a row"
COMMANDS = ("pytest -q", "cat src/a.py", "sed -i s/a/b/ src/a.py", "git commit -m x")


class AnyOrder(RuleBasedStateMachine):
    """`whole`: the history as it was; `held`: what the caller holds; `kept`: outputs that were brought in."""

    @initialize(format=st.sampled_from(sorted(FORMATS)))
    def begin(self, format: str) -> None:
        self.format = format
        self.folder = Path(tempfile.mkdtemp(prefix="prune-mcp-test-"))
        self.engine = self.new_engine()
        self.whole: Array = []
        self.held: Array = []
        self.outputs: list[str] = []
        self.kept: set[str] = set()
        self.prompts: list[str] = []

    def teardown(self) -> None:
        assert self.recovered("t") == self.outputs[: len(self.kept)]
        told = "\n".join(self.recovered("b"))
        in_blocks = {ref for block in self.blocks for ref in block.refs}
        assert all(self.outputs[ref - 1] in told for ref in in_blocks)
        self.engine.close()
        shutil.rmtree(self.folder)

    def new_engine(self) -> Engine:
        return Engine({"PRUNE_MCP_HOME": str(self.folder)}, settings=Settings())

    @property
    def blocks(self) -> list[ChainBlock]:
        return list(self.engine.store.blocks(SESSION)) if self.kept else []

    def recovered(self, kind: str) -> list[str]:
        """What the refs of a kind bring back, each whole."""
        store = self.engine.store
        if not self.kept:
            return []
        refs = [o.ref for o in store.outputs(SESSION)] if kind == "t" else [b.number for b in self.blocks]
        asked = [
            self.engine.recover([f"{kind}{ref}"], session=SESSION, budget=10**9).items for ref in sorted(refs)
        ]
        assert all(item.status in FOUND for (item,) in asked)
        return [item.text for (item,) in asked]

    def add(self, turns: list[Turn]) -> None:
        made = FORMATS[self.format](turns)
        self.whole, self.held = self.whole + made, self.held + made

    @rule(sizes=st.lists(st.sampled_from([1, 8, 30]), max_size=3), ends=st.booleans(), error=st.booleans())
    def go_on(self, sizes: list[int], ends: bool, error: bool) -> None:
        """An exchange; one that does not end is interrupted by the next."""
        self.prompts.append(f"prompt number {len(self.prompts)}")
        turns = [Turn("user", self.prompts[-1])]
        for size in sizes:
            number = len(self.outputs)
            self.outputs.append(f"output number {number}\n{log(size, f'n{number}')}")
            command = {"command": COMMANDS[number % len(COMMANDS)]}
            turns.append(Turn("assistant", f"step {number}", calls=[Call(f"c{number}", "bash", command)]))
            turns.append(Turn("results", results=[Result(f"c{number}", self.outputs[-1], error=error)]))
        self.add([*turns, Turn("assistant", f"answer {len(self.prompts)}")] if ends else turns)

    def send(self, answer: PruneAnswer, sent: Array, hold: bool) -> None:
        self.kept.update(self.outputs)
        assert [wrong for wrong in CHECKS[self.format](answer.messages) if ONE_SPEAKER not in wrong] == []
        assert answer.tokens_after <= answer.tokens_before
        view = dumped(answer.messages)
        assert all(inner(prompt) in view for prompt in self.prompts)
        refs = {int(ref[1:]) for ref in answer.refs if ref[0] == "b"}
        assert refs <= {block.number for block in self.blocks}
        if hold:
            self.held = answer.messages

    @precondition(lambda self: self.held)
    @rule(whole=st.booleans(), hold=st.booleans(), keep=st.sampled_from([None, 0, 2]))
    def prune(self, whole: bool, hold: bool, keep: int | None) -> None:
        sent = self.whole if whole else self.held
        answer = self.engine.prune_messages(sent, format=self.format, session=SESSION, keep_turns=keep)
        self.send(answer, sent, hold)

    @precondition(lambda self: self.held)
    @rule(whole=st.booleans(), hold=st.booleans(), turns=st.integers(1, 4))
    def collapse(self, whole: bool, hold: bool, turns: int) -> None:
        sent = self.whole if whole else self.held
        with suppress(EngineError):
            answer = self.engine.collapse_messages(sent, format=self.format, session=SESSION, turns=turns)
            self.send(answer, sent, hold)

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def recover(self, data: st.DataObject) -> None:
        output = data.draw(st.sampled_from(sorted(self.engine.store.outputs(SESSION), key=lambda each: each.ref)))
        (item,) = self.engine.recover([f"t{output.ref}"], session=SESSION, budget=10**9).items
        assert item.status in FOUND
        assert item.text in self.outputs

    @precondition(lambda self: self.kept)
    @rule(really=st.integers(0, 9).map(lambda number: number == 0))
    def forget(self, really: bool) -> None:
        """The caller goes on from what it has of its own."""
        if really:
            self.engine.store.care.forget([SESSION])
            self.held, self.kept = self.whole, set()

    @rule()
    def restart(self) -> None:
        self.engine.close()
        self.engine = self.new_engine()

    @invariant()
    def every_output_is_known_once(self) -> None:
        assert len(self.engine.store.outputs(SESSION) if self.kept else []) == len(self.kept)


TestAnyOrder = pytest.mark.requirement("COL-BUILD", "PRU-RECOVER", "PRU-VALID")(AnyOrder.TestCase)
TestAnyOrder.settings = settings(max_examples=12, stateful_step_count=STEPS)
