"""The model summaries of one prune: what models have written, and what is still to be asked of them.

A prune that wants summaries is decided twice: the first try finds the questions, the last one uses the answers. In
between nothing is held, neither the engine's lock nor a transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from prune_mcp.engine.summaries.options import SummaryOptions
from prune_mcp.engine.summaries.usage import told
from prune_mcp.pruning.chains import Span
from prune_mcp.pruning.decision import Candidate
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.summaries.items import output_items
from prune_mcp.pruning.summaries.labels import labelled
from prune_mcp.pruning.summaries.question import Item, Question, QuestionKind, newest, question, split
from prune_mcp.pruning.summaries.range import range_item
from prune_mcp.pruning.summaries.words import said, words
from prune_mcp.pruning.trivial import batches
from prune_mcp.storage.records import Diagnostic, ModelUsage

if TYPE_CHECKING:
    from prune_mcp.engine.memory import Memory

# Where all is asked in one question, it shows no output in fewer characters.
LEAST_SHOWN = 1000
# Characters below which no question makes sense, whatever the setting.
LEAST_ROOM = 4000


class Unanswered(Exception):
    """Questions to a model are open, so nothing was decided. `memory`: what the next try may go on with."""

    def __init__(self, memory: Memory) -> None:
        super().__init__("questions to a model are open")
        self.memory = memory


@dataclass(slots=True)
class Summaries:
    """What one prune knows of models' summaries.

    `together`: all is asked in one question, which shows the newest outputs. `closed`: nothing more is asked, what
    has no summary keeps its digest. `written`: the words by the ref of their output or the key of their range.
    `open`: the questions that the latest try would have needed answers to. `usages`: what was asked and is still
    to be charged; `spent`: what was charged.
    """

    options: SummaryOptions = field(default_factory=SummaryOptions)
    together: bool = False
    closed: bool = False
    session: str = ""
    written: dict[int | str, str] = field(default_factory=dict)
    open: list[Question] = field(default_factory=list)
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    usages: list[ModelUsage] = field(default_factory=list)
    spent: list[ModelUsage] = field(default_factory=list)
    _asked: set[int | str] = field(default_factory=set)
    _outputs: list[list[Item]] = field(default_factory=list)
    _ranges: dict[int | str, Item] = field(default_factory=dict)

    def begin(self, session: str) -> None:
        """Begin a try at a session."""
        self.session = session
        self.open, self._outputs, self._ranges = [], [], {}

    def of_outputs(self, situation: Situation, candidates: Sequence[Candidate]) -> Mapping[int, str]:
        """The words there are for these outputs, by ref; what was never asked about is from now on."""
        for batch in batches(situation, candidates):
            items = [item for item in output_items(situation, batch) if item.target not in self._asked]
            self._outputs += [items] if items else []
        refs = [candidate.output.ref for candidate in candidates]
        return {ref: self.written[ref] for ref in refs if ref in self.written}

    def of_range(self, situation: Situation, span: Span) -> str:
        """The words for several summaries of a span; empty where there are none."""
        item = range_item(situation, span) if self.options.fuse_range_summary else None
        if item is None:
            return ""
        if item.target not in self._asked:
            self._ranges[item.target] = item
        return self.written.get(item.target, "")

    def opened(self) -> bool:
        """Whether this try leaves anything to be asked. Ranges are asked about once all their outputs were."""
        if self.closed:
            return False
        ranges = [[item] for item in self._ranges.values()]
        kind: QuestionKind = "outputs" if self._outputs else "ranges"
        groups, room = self._outputs or ranges, max(self.options.input_chars, LEAST_ROOM)
        if self.together:
            items = [newest([item for group in groups for item in group], room, LEAST_SHOWN)] if groups else []
        else:
            items = [some for group in groups for some in split(group, room)]
        self.open = [question(kind, some, room) for some in items]
        return bool(self.open)

    def take(self, asked: Question, answer: str, cut: bool = False) -> bool:
        """Use an answer as far as it goes; whether anything of it could be used. `cut`: it ends before its end."""
        self._close(asked)
        text = said(answer)
        if cut or not text.strip():
            told = "was cut off before its end" if cut else "is empty"
            return self._unused("cut" if cut else "blank", f"a model's answer {told}; digests stand instead")
        names = [item.name for item in asked.items]
        found = labelled(text, names, lambda at: _mention(asked.items[at]))
        refs = frozenset().union(*(item.refs for item in asked.items))
        used = {asked.items[at].target: line for at, told in found.texts.items() if (line := words(told, refs))}
        self.written |= used
        if found.refused or not used:
            detail = "parts of a model's answer that name no call they were asked about are not used"
            self.tell("unlabelled", detail, max(found.refused, 1))
        return bool(used)

    def fail(self, asked: Question, cause: str, detail: str) -> None:
        """Let a question stay without an answer."""
        self._close(asked)
        self.tell(cause, detail)

    def told(self) -> list[dict[str, Any]]:
        """What became of the questions, as outcomes of the prune."""
        return [*self.outcomes, *map(told, self.spent)]

    def tell(self, cause: str, detail: str, count: int = 1) -> None:
        """Count a diagnostic, once per cause; the first detail stands."""
        for at, known in enumerate(self.diagnostics):
            if known.key == cause:
                self.diagnostics[at] = replace(known, count=known.count + count)
                return
        self.diagnostics.append(Diagnostic("summary", cause, detail, count))

    def _close(self, asked: Question) -> None:
        """Ask no more about these items, nor about those that the one question had no room for."""
        self._asked.update(item.target for item in asked.items)
        if self.together and asked.kind == "outputs":
            self._asked.update(item.target for items in self._outputs for item in items)

    def _unused(self, cause: str, detail: str) -> bool:
        self.tell(cause, detail)
        return False


def unasked(reason: str = "", dry_run: bool = False) -> Summaries:
    """No summaries, and why."""
    summaries = Summaries(closed=True)
    if dry_run:
        summaries.outcomes.append({"step": "summary", "reason": "a dry run asks no model"})
    elif reason:
        summaries.tell("client", f"{reason}; digests stand instead")
    return summaries


def _mention(item: Item) -> str:
    """How a summary names another item."""
    return f"t{item.target}" if isinstance(item.target, int) else ""
