"""Spill: an output too large to stand in the context even once gives way at once to a preview of its head."""

from __future__ import annotations

from prune_mcp.pruning.decision import Candidate, Decision
from prune_mcp.pruning.dedup import Originals, alias
from prune_mcp.pruning.digest import digest
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.stub import spill_stub


def spill(
    situation: Situation, candidates: list[Candidate], originals: Originals, seen: Seen, decision: Decision
) -> list[Candidate]:
    """The candidates under the threshold. Of the others those that repeat an earlier output point there."""
    threshold = situation.options.spill_threshold
    rest: list[Candidate] = []
    equal: list[Candidate] = []
    spilled: list[Candidate] = []
    for candidate in candidates:
        if candidate.output.chars < threshold:
            rest.append(candidate)
        elif alias(candidate, originals.find(candidate), decision):
            equal.append(candidate)
        elif candidate.worth(stub := _stub(situation, candidate, seen)):
            spilled.append(candidate)
            decision.replace(candidate, "spill", stub)
        else:
            rest.append(candidate)
    decision.tell("dedup", "the same output of the same tool came before", equal)
    decision.tell("spill", f"{threshold:,} characters or more", spilled, threshold=threshold)
    return rest


def _stub(situation: Situation, candidate: Candidate, seen: Seen) -> str:
    output = candidate.output
    text = situation.conversation.text(candidate.block)
    head = preview(text, situation.options.spill_preview_bytes)
    said = digest(text, seen, tool=output.tool, key=output.key, error=output.error)
    return spill_stub(output.ref, output.tool, output.key, output.error, output.chars, output.lines, head, said)


def preview(text: str, size: int) -> str:
    """The head of `text`: at most `size` UTF-8 bytes, cut between characters and back to the last line end."""
    head = text[:size].encode("utf-8", "replace")[:size].decode("utf-8", "ignore")
    if len(head) < len(text):
        end = head.rfind("\n")
        head = head[: end + 1] if end >= 0 else head
    return head
