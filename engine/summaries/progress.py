"""How far a prune is that asks models: numbers that only grow, through archiving and all questions."""

from __future__ import annotations

from prune_mcp.engine.prune.archive import Progress

# What a report without news adds: clients expect every number to be above the last one.
LEAST_STEP = 0.001
# Characters at which half of one answer is taken to be there; nobody knows how long it will be.
HALF = 2000


class Steps:
    """A progress function that remembers where it stands, so that what follows goes on from there."""

    def __init__(self, report: Progress) -> None:
        self.done = 0.0
        self._report = report

    def __call__(self, done: float, total: float, message: str) -> None:
        self.done = max(done, self.done)
        self._report(done, total, message)


class Heard:
    """What has come of the answers to some questions, told as the number of the question and its characters."""

    def __init__(self, report: Progress | None, questions: int) -> None:
        self._report = report
        self._base = report.done if isinstance(report, Steps) else 0.0
        self._told = self._base
        self._chars = [0] * questions
        self._ended = [False] * questions
        self._latest = 0

    def hear(self, number: int, chars: int) -> None:
        """So many characters have come of the answer to question `number`, counted from 0."""
        self._chars[number] = chars
        self._latest = number

    def end(self, number: int) -> None:
        """The question has had its answer, or will have none."""
        self._ended[number] = True
        self._latest = number
        self.tell()

    def tell(self) -> None:
        """Report; what the report raises ends the work."""
        if self._report is None:
            return
        shares = (1.0 if end else n / (n + HALF) for n, end in zip(self._chars, self._ended, strict=True))
        self._told = max(self._told + LEAST_STEP, self._base + sum(shares))
        message = f"summary {self._latest + 1} of {len(self._chars)}: {self._chars[self._latest]:,} characters"
        self._report(self._told, self._base + len(self._chars), message)
