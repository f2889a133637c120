"""Protected outputs: none is touched, but of several reads of one path only the newest stays whole."""

from __future__ import annotations

from prune_mcp.pruning.decision import Candidate, Decision
from prune_mcp.pruning.protect import normal, paths
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.stub import superseded_stub
from prune_mcp.storage.records import Output


def set_protected_aside(
    situation: Situation, candidates: list[Candidate], decision: Decision, keep: int
) -> list[Candidate]:
    """The candidates that are not protected; older protected reads give way to the newest of their path."""
    protected = [c for c in candidates if situation.protected(c.block)]
    aside = {c.output.ref for c in protected}
    superseded = [c for c, newer in _older(situation, protected, keep) if _supersede(c, newer, decision)]
    gone = {c.output.ref for c in superseded}
    decision.tell("protected", "tool or path is protected", [c for c in protected if c.output.ref not in gone])
    decision.tell("superseded", "a newer protected read of the same path is whole", superseded)
    return [c for c in candidates if c.output.ref not in aside]


def _older(situation: Situation, protected: list[Candidate], keep: int) -> list[tuple[Candidate, Output]]:
    """Protected reads outside the newest turns that a newer read of the same path follows, with that one."""
    newest: dict[tuple[str, str], Output] = {}
    older = []
    for candidate in reversed(protected):
        path = next(paths(situation.arguments(candidate.block), situation.options.path_arguments), None)
        if path is None:
            continue
        key = candidate.output.tool, normal(path, situation.conversation.cwd)
        newer = newest.setdefault(key, candidate.output)
        if newer is not candidate.output and situation.ages[candidate.index] >= keep:
            older.append((candidate, newer))
    return older


def _supersede(candidate: Candidate, newer: Output, decision: Decision) -> bool:
    output = candidate.output
    stub = superseded_stub(output.ref, output.tool, output.key, newer.ref)
    if not candidate.worth(stub):
        return False
    decision.replace(candidate, "superseded", stub, other=newer.ref)
    return True
