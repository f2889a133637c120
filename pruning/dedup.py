"""Dedup: outputs that repeat an earlier one, and reads that a longer read of the same file contains."""

from __future__ import annotations

from collections.abc import Callable

from prune_mcp.pruning.decision import Candidate, Decision
from prune_mcp.pruning.equality import contained
from prune_mcp.pruning.protect import normal, paths
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.stub import alias_stub, inside_stub
from prune_mcp.sessions.model import Block
from prune_mcp.storage.records import Output, OutputState


class Originals:
    """First outputs by tool and equal text, and reads by file, over the context of one conversation.

    An original is always older than what repeats it; a container may also be newer, and is never itself
    decided to be contained in what it contains.
    """

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._equal: dict[tuple[str, str], Output] = {}
        self._reads: dict[str, list[tuple[Output, Block]]] = {}
        if situation.options.dedup_by_content_hash:
            for _, _, output in situation.results():
                if output.chars and not output.images:
                    self._equal.setdefault((output.tool, output.norm), output)

    def find(self, candidate: Candidate) -> Output | None:
        """The earlier output of the same tool with equal text, if any."""
        original = self._equal.get((candidate.output.tool, candidate.output.norm))
        if original is None or original.ref >= candidate.output.ref:
            return None
        return original

    def container(self, candidate: Candidate) -> Output | None:
        """A longer read of the same file that holds this one whole, the newest first."""
        if not self._situation.options.dedup_by_content_hash:
            return None
        key = self._file(candidate.block)
        if key is None:
            return None
        if not self._reads:
            self._collect()
        text = self._situation.conversation.text
        own = candidate.output
        for other, block in reversed(self._reads.get(key, ())):
            if other.chars > own.chars and contained(text(candidate.block), text(block)):
                return other
        return None

    def _collect(self) -> None:
        for _, block, output in self._situation.results():
            key = self._file(block)
            if key is not None and output.state in ("whole", "stub", "summary", "spill"):
                self._reads.setdefault(key, []).append((output, block))

    def _file(self, result: Block) -> str | None:
        call = self._situation.pairing.call_of[result.place]
        if "read" not in call.tool.lower() and "view" not in call.tool.lower():
            return None
        options = self._situation.options
        path = next(paths(self._situation.arguments(result), options.path_arguments), None)
        return None if path is None else f"{call.tool} {normal(path, self._situation.conversation.cwd)}"


def dedup(candidates: list[Candidate], originals: Originals, decision: Decision) -> list[Candidate]:
    """The candidates that say something of their own."""
    rest: list[Candidate] = []
    equal: list[Candidate] = []
    inside: list[Candidate] = []
    for candidate in candidates:
        if alias(candidate, originals.find(candidate), decision):
            equal.append(candidate)
        elif _inside(candidate, originals.container(candidate), decision):
            inside.append(candidate)
        else:
            rest.append(candidate)
    decision.tell("dedup", "the same output of the same tool came before", equal)
    decision.tell("contained", "a longer read of the same file and version holds it", inside)
    return rest


def alias(candidate: Candidate, original: Output | None, decision: Decision) -> bool:
    """Let the candidate point to the output that it repeats, if there is one and that is smaller."""
    return _point(candidate, original, decision, "alias", alias_stub)


def _inside(candidate: Candidate, container: Output | None, decision: Decision) -> bool:
    return _point(candidate, container, decision, "inside", inside_stub)


def _point(
    candidate: Candidate,
    other: Output | None,
    decision: Decision,
    state: OutputState,
    write: Callable[[int, str, str, int], str],
) -> bool:
    if other is None:
        return False
    output = candidate.output
    stub = write(output.ref, output.tool, output.key, other.ref)
    if not candidate.worth(stub):
        return False
    decision.replace(candidate, state, stub, other=other.ref)
    return True
