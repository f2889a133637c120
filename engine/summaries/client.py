"""Summaries by a model that only the caller can ask: the client's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from prune_mcp.engine.summaries.options import SummaryOptions
from prune_mcp.engine.summaries.summaries import Summaries
from prune_mcp.engine.summaries.usage import CLIENT
from prune_mcp.pruning.summaries.question import Question
from prune_mcp.search.secrets.masking import mask
from prune_mcp.storage.records import ModelUsage

# What came of the outputs, then what becomes of ranges that hold several summaries.
Step = Literal["outputs", "ranges"]
STEPS: tuple[Step, ...] = ("outputs", "ranges")


@dataclass(slots=True)
class ClientModel:
    """What one prune asks the client's model: at most one question a step, so that a person who has to allow each
    of them is asked seldom. `refused`: why nothing more is asked; empty where it is."""

    summaries: Summaries
    refused: str = ""
    _questions: dict[Step, Question | None] = field(default_factory=dict)
    _asked: set[Step] = field(default_factory=set)
    _replied: set[Step] = field(default_factory=set)

    @classmethod
    def wanted(cls, options: SummaryOptions) -> ClientModel:
        """A model yet to be asked."""
        return cls(Summaries(options, together=True))

    def replied(self, step: Step) -> bool:
        """Whether the step's question has had its reply, or there was none to ask."""
        return step in self._replied

    def find(self, step: Step) -> None:
        """Take what the latest try left open as the step's question."""
        self._questions[step] = next(iter(self.summaries.open), None)

    def prompt(self, step: Step) -> str:
        """What the model is asked, the same each time; empty where there is nothing to ask."""
        question = self._questions.get(step)
        return mask(question.prompt) if question else ""

    def ask(self, step: Step) -> None:
        """The step's question goes out."""
        self._asked.add(step)

    def waits_for(self, step: Step) -> bool:
        """Whether the step's question went out and has had no reply."""
        return step in self._asked and step not in self._replied

    def reply(self, step: Step, text: str, cut: bool = False) -> None:
        """Take the reply to the step's question; a second one changes nothing. `cut`: it ends before its end."""
        question = self._settle(step)
        if question:
            self.summaries.usages.append(ModelUsage(CLIENT))
            self.summaries.take(question, text, cut)

    def skip(self, step: Step) -> None:
        """The step has nothing to ask."""
        self._settle(step)

    def refuse(self, reason: str) -> None:
        """What has had no reply stays without one, and nothing more is asked: who refused is not asked twice."""
        self.refused = self.refused or reason
        for step in STEPS:
            if question := self._settle(step):
                self.summaries.fail(question, "client", f"{reason}; digests stand instead")

    def _settle(self, step: Step) -> Question | None:
        if step in self._replied:
            return None
        self._replied.add(step)
        return self._questions.get(step)
