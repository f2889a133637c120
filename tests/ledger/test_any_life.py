"""Whatever becomes of sessions, the ledger equals a count of the views themselves.

What a session saves is counted from its messages as they came and as they were returned by its last prune; what
recoveries took back, from the answers; what models cost, from what was charged.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from prune_mcp.engine import Engine, Settings
from prune_mcp.engine.answers import EngineError, RecoverAnswer
from prune_mcp.engine.ledger import ledger
from prune_mcp.engine.recovery.fence import shape
from prune_mcp.engine.recovery.tree import tree
from prune_mcp.engine.stats import stats
from prune_mcp.pruning.options import ErrorOptions
from prune_mcp.storage.home import home
from prune_mcp.storage.records import ModelUsage
from tests.ledger.counting import IMAGE, tokens, transcript_weight, weight
from tests.pruning.build import Talk, call, log
from tests.sessions.transcripts.writing import ClaudeFile, thinking, tool_use

STEPS = 100
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}

OUTPUTS: dict[str, Any] = {
    "short": "ok",
    "log": log(30),
    "other log": log(60, "wörker"),
    "huge": log(1200, "deploy"),
    "error": "Error: it failed\n" + log(20),
    "picture": [PICTURE, {"type": "text", "text": log(9)}],
}
some_outputs = st.lists(st.sampled_from(list(OUTPUTS)), min_size=1, max_size=6)
some_texts = st.lists(st.sampled_from([name for name in OUTPUTS if name != "picture"]), min_size=1, max_size=6)
commands = st.sampled_from(["make", "make " + "all " * 200])


def count_of(answer: RecoverAnswer) -> int:
    """The tokens of one recovered item as the answer shows it, up to its closing fence."""
    (item,) = answer.items
    head, fence, rest = shape(answer).split("\n", 2)
    shown = "\n".join((head, fence, rest[: rest.rindex(fence) + len(fence)]))
    return tokens(shown) + IMAGE * len(item.images)


class Life(RuleBasedStateMachine):
    """Sessions of messages and of transcripts. `saved`: by session, counted at its last prune."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="prune-mcp-test-"))
        self.env = {"PRUNE_MCP_HOME": str(self.folder / "prune"), "HOME": str(self.folder / "user")}
        self.engine = Engine(self.env, settings=Settings())
        self.talks = {name: Talk() for name in ("first", "second")}
        self.files = [self.file("5e551014-0000-4000-8000-000000000000")]
        self.saved: Counter[str] = Counter()
        self.recovered: Counter[str] = Counter()
        self.cost: Counter[str] = Counter()
        # What is drawn may leave out whole rules: no life is to be of nothing.
        for name in self.talks:
            self.go_on(name, ["huge", "error", "log"], "make " + "all " * 200)
            self.prune(name, 0, 1)

    def teardown(self) -> None:
        self.engine.close()
        shutil.rmtree(self.folder)

    def file(self, session: str) -> ClaudeFile:
        return ClaudeFile(self.folder / f"user/.claude/projects/-home-user-app/{session}.jsonl", session)

    @property
    def known(self) -> list[str]:
        return sorted(record.id for record in self.engine.store.sessions())

    @rule(name=st.sampled_from(["first", "second"]), said=some_outputs, command=commands)
    def go_on(self, name: str, said: list[str], command: str) -> None:
        talk = self.talks[name].prompt(f"go on with {name}")
        for output in said:
            talk.turn(call("Bash", OUTPUTS[output], error=output == "error", command=command), text="next")
        talk.answer("done", thinking="let me think " * 20)

    @rule(data=st.data(), said=some_texts)
    def write_on(self, data: st.DataObject, said: list[str]) -> None:
        file = data.draw(st.sampled_from(self.files))
        file.prompt(f"go on {file.count}")
        for output in said:
            id = f"call-{file.session[-3:]}-{file.count}"
            file.says(thinking("hm " * 30, ""), tool_use(id, "Bash", command=f"make {file.count}"))
            file.result(id, OUTPUTS[output])
        file.says("done")

    @rule(name=st.sampled_from(["first", "second"]), keep=st.sampled_from([0, 1, 3]), times=st.integers(1, 2))
    def prune(self, name: str, keep: int, times: int) -> None:
        messages = self.talks[name].messages
        for _ in range(times if messages else 0):
            answer = self.engine.prune_messages(messages, session=name, keep_turns=keep)
            self.saved[name] = weight(messages) - weight(answer.messages)

    @rule(data=st.data(), keep=st.sampled_from([0, 1, 3]))
    def prune_file(self, data: st.DataObject, keep: int) -> None:
        file = data.draw(st.sampled_from(self.files))
        if file.count:
            entries = [json.loads(line) for line in file.path.read_bytes().splitlines()]
            answer = self.engine.prune_transcript(file.path, keep_turns=keep, render=True)
            self.saved[file.session] = transcript_weight(entries) - transcript_weight(answer.messages)

    @rule(name=st.sampled_from(["first", "second"]), turns=st.integers(1, 3))
    def collapse(self, name: str, turns: int) -> None:
        messages = self.talks[name].messages
        with suppress(EngineError):
            answer = self.engine.collapse_messages(messages, session=name, turns=turns) if messages else None
            if answer:
                self.saved[name] = weight(messages) - weight(answer.messages)

    @rule(data=st.data(), turns=st.integers(1, 3))
    def collapse_file(self, data: st.DataObject, turns: int) -> None:
        file = data.draw(st.sampled_from(self.files))
        if not file.count:
            return
        entries = [json.loads(line) for line in file.path.read_bytes().splitlines()]
        with suppress(EngineError):
            answer = self.engine.collapse_transcript(file.path, turns=turns, render=True)
            self.saved[file.session] = transcript_weight(entries) - transcript_weight(answer.messages)

    @rule(name=st.sampled_from(["first", "second"]))
    def try_out(self, name: str) -> None:
        if self.talks[name].messages:
            self.engine.prune_messages(self.talks[name].messages, session=name, keep_turns=0, dry_run=True)

    @precondition(lambda self: len(self.files) < 4 and any(file.count for file in self.files))
    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        """Copy a transcript up to the end of one of its exchanges."""
        source = data.draw(st.sampled_from([file for file in self.files if file.count]))
        lines = source.path.read_text().splitlines(keepends=True)
        ends = [number for number, line in enumerate(lines) if '"text": "done"' in line]
        kept = lines[: data.draw(st.sampled_from(ends)) + 1]
        fork = self.file(f"5e551014-0000-4000-8000-{len(self.files):012}")
        fork.write("".join(kept).replace(source.session, fork.session).encode())
        fork.count, fork.tip = source.count, json.loads(kept[-1])["uuid"]
        self.files.append(fork)

    @precondition(lambda self: self.known)
    @rule(
        data=st.data(),
        part=st.sampled_from([{}, {"lines": "1:3"}, {"pattern": "step"}, {"offset": 5, "limit": 300}]),
    )
    def recover(self, data: st.DataObject, part: dict[str, Any]) -> None:
        session = data.draw(st.sampled_from(self.known))
        store = self.engine.store
        refs = [f"t{o.ref}" for o in store.outputs(session)] + [f"b{b.number}" for b in store.blocks(session)]
        if refs:
            answer = self.engine.recover([data.draw(st.sampled_from(refs))], session=session, **part)
            if answer.items:
                self.recovered[session] += count_of(answer)

    @precondition(lambda self: self.known)
    @rule(data=st.data(), cost=st.integers(0, 9))
    def ask_a_model(self, data: st.DataObject, cost: int) -> None:
        session = data.draw(st.sampled_from(self.known))
        with self.engine.store.write() as writer:
            writer.charge_model(session, ModelUsage("small", 1, 100, 10, cost))
        self.cost[session] += cost

    @precondition(lambda self: self.known)
    @rule(data=st.data(), really=st.integers(0, 7).map(lambda number: number == 0))
    def forget(self, data: st.DataObject, really: bool) -> None:
        if not really:
            return
        session = data.draw(st.sampled_from(self.known))
        self.engine.store.care.forget([session])
        for counted in (self.saved, self.recovered, self.cost):
            del counted[session]

    @rule()
    def clean_up(self) -> None:
        self.engine.store.care.collect()

    @rule()
    def restart(self) -> None:
        self.engine.close()
        self.engine = Engine(self.env, settings=Settings())

    @invariant()
    def equals_a_recount(self) -> None:
        for session in self.known:
            told = ledger(self.engine.store, session)
            assert told.left_out - told.spent == self.saved[session], session
            assert told.recovered == self.recovered[session]
            assert sum(usage.cost for usage in told.usage.values()) == self.cost[session]
            assert told.net == self.saved[session] - self.recovered[session]
            # The tree has no rows for arguments of failed calls that are shown cut.
            rows = ledger(self.engine.store, session, ErrorOptions(enabled=False))
            assert tree(self.engine.store, session).saved == rows.left_out - rows.spent, session

    @invariant()
    def is_the_sum_of_its_sessions(self) -> None:
        told = stats(self.engine.store, home(self.env))
        assert [each.session for each in told.sessions] == [each.id for each in self.engine.store.sessions()]
        assert told.total.net == sum(self.saved.values()) - sum(self.recovered.values())
        assert sum(usage.cost for usage in told.total.usage.values()) == sum(self.cost.values())


TestLife = pytest.mark.requirement("SRV-STORE")(Life.TestCase)
TestLife.settings = settings(max_examples=15, stateful_step_count=STEPS)
