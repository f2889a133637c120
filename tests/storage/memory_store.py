"""What a store must answer, in plain memory: the model that random operations are compared with."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace

from prune_mcp.storage.codec import digest
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, ModelUsage, Output, Recoveries, SessionRecord


@dataclass
class Kept:
    """Everything about one session."""

    record: SessionRecord
    outputs: list[Output] = field(default_factory=list)
    blocks: list[ChainBlock] = field(default_factory=list)
    flushes: list[Flush] = field(default_factory=list)
    facets: dict[tuple[int, str], str] = field(default_factory=dict)
    diagnostics: dict[tuple[str, str], Diagnostic] = field(default_factory=dict)
    recoveries: Recoveries = field(default_factory=Recoveries)
    usage: dict[str, ModelUsage] = field(default_factory=dict)


class MemoryStore:
    """The sessions by id, the latest written last, and every body."""

    def __init__(self) -> None:
        self.sessions: dict[str, Kept] = {}
        self.bodies: dict[str, bytes] = {}

    def copy(self) -> MemoryStore:
        return deepcopy(self)

    def touch(self, session: str) -> Kept:
        kept = self.sessions.pop(session)
        self.sessions[session] = kept
        return kept

    def session(self, record: SessionRecord) -> SessionRecord:
        new = SessionRecord(record.id)
        kept = self.sessions.setdefault(record.id, Kept(new))
        for name in ("format", "host", "path", "cwd", "title"):
            setattr(kept.record, name, getattr(record, name) or getattr(kept.record, name))
        return self.touch(record.id).record

    def body(self, data: bytes) -> str:
        sha = digest(data)
        self.bodies[sha] = data
        return sha

    def archive(self, session: str, drafts: list[tuple[Output, bytes]]) -> list[Output]:
        kept = self.touch(session)
        answer = []
        for draft, data in drafts:
            sha = self.body(data)
            known = [o for o in kept.outputs if (o.call_id, o.entry, o.sha) == (draft.call_id, draft.entry, sha)]
            if not known:
                known = [replace(draft, ref=kept.record.next_ref, sha=sha)]
                kept.outputs += known
                kept.record.next_ref += 1
            answer += known
        return answer

    def decide(self, session: str, outputs: list[Output]) -> None:
        kept = self.touch(session)
        for decided in outputs:
            for output in kept.outputs:
                if output.ref == decided.ref:
                    output.state, output.stub = decided.state, decided.stub
                    output.other, output.flush = decided.other, decided.flush

    def facet(self, session: str, ref: int, name: str, data: bytes) -> None:
        self.touch(session).facets[ref, name] = self.body(data)

    def block(self, session: str, block: ChainBlock) -> ChainBlock:
        kept = self.touch(session)
        kept.blocks.append(replace(block, number=kept.record.next_block))
        kept.record.next_block += 1
        return kept.blocks[-1]

    def flush(self, session: str, flush: Flush) -> Flush:
        kept = self.touch(session)
        kept.record.flushes += 1
        kept.record.frontier = max(kept.record.frontier, flush.frontier)
        kept.flushes.append(replace(flush, number=kept.record.flushes))
        return kept.flushes[-1]

    def diagnose(self, session: str, diagnostics: list[Diagnostic]) -> None:
        kept = self.touch(session).diagnostics
        for new in diagnostics:
            known = kept.setdefault((new.kind, new.key), replace(new, count=0))
            known.count += new.count

    def charge_recovery(self, session: str, recovered: Recoveries) -> None:
        kept = self.sessions[session]
        known = kept.recoveries
        kept.recoveries = Recoveries(known.count + recovered.count, known.tokens + recovered.tokens)

    def charge_model(self, session: str, usage: ModelUsage) -> None:
        known = self.sessions[session].usage
        before = known.get(usage.model, ModelUsage(usage.model, 0))
        known[usage.model] = ModelUsage(
            usage.model,
            before.calls + usage.calls,
            before.input_tokens + usage.input_tokens,
            before.output_tokens + usage.output_tokens,
            before.cost + usage.cost,
        )

    def inherit(self, session: str, source: str, refs: list[int]) -> None:
        kept, origin = self.touch(session), self.sessions[source]
        record = kept.record
        if record.next_ref > 1 or record.next_block > 1 or record.flushes:
            return
        kept.outputs = [replace(o) for o in origin.outputs if o.ref in refs]
        kept.facets |= {key: sha for key, sha in origin.facets.items() if key[0] in refs}
        kept.record.parent = source
        for name in ("next_ref", "next_block", "flushes", "frontier"):
            setattr(kept.record, name, getattr(origin.record, name))
