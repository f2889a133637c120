"""What was done in a stretch of a session, told from its tool calls and their results without a model.

One walk over the calls finds the files that were changed and those that were only read, the commands, the runs
that checked the work and how they ended, what failed, and what was committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from prune_mcp.pruning.activity.checks import Outcome, checking, fails_alone, told_status, verdict
from prune_mcp.pruning.activity.commands import looks_only, read_files, written_files
from prune_mcp.pruning.activity.commits import Commit, commits_in
from prune_mcp.pruning.activity.failures import Failure, failure_line
from prune_mcp.pruning.activity.files import Files
from prune_mcp.pruning.activity.labels import call_label, checks_label, one_line
from prune_mcp.pruning.activity.running import Running
from prune_mcp.pruning.activity.shell import Simple, simple_commands
from prune_mcp.pruning.activity.tools import command_of, deed_of, named_paths, patched_paths
from prune_mcp.sessions.codex.status import printed


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call and what came of it. `read`: the result's text, asked for only where it tells something.

    `ref`: the archived output's number, 0 where there is none. `answered`: there is a result. `key`: the call's
    telling argument, as it was when the output was archived. `told`: had the call failed the source would say so.
    `inner`: another call made it, which counts in its place.
    """

    tool: str
    arguments: Any
    read: Callable[[], str]
    ref: int = 0
    error: bool = False
    answered: bool = True
    key: str = ""
    told: bool = True
    inner: bool = False


@dataclass(slots=True)
class Check:
    """The runs of one check: how many, how many of them failed, how the last one ended and what it said."""

    label: str
    runs: int = 0
    failed: int = 0
    outcome: Outcome = "unknown"
    line: str = ""
    ref: int = 0


@dataclass(slots=True)
class Activity:
    """What was done. Files, commands and checks each once, in the order they were last touched or run.

    `modified` and `read` are paths, in `read` those that were only read. `commands` counts every command, `looked`
    those that only looked around; `ran` holds the others with how often they ran, checks aside. `others` counts
    the calls of tools that neither run commands nor touch files.
    """

    calls: int = 0
    modified: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    commands: int = 0
    looked: int = 0
    ran: dict[str, int] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)


def activity(steps: Iterable[Step], cwd: str = "") -> Activity:
    """What these calls did; `cwd` is the folder that relative paths are told from."""
    walk = _Walk(cwd)
    for step in steps:
        walk.take(step)
    return walk.end()


@dataclass(slots=True)
class _Command:
    """A command as it was given: its label, the line itself, and its parts; `told`: see `Step`."""

    label: str
    line: str
    parts: list[Simple]
    told: bool


class _Walk:
    """What is known of the calls so far."""

    def __init__(self, cwd: str) -> None:
        self._found = Activity()
        self._files = Files(cwd)
        self._checks: dict[str, Check] = {}
        self._commits: dict[str, Commit] = {}
        self._running: Running[_Command] = Running()

    def take(self, step: Step) -> None:
        """Take in a call."""
        self._found.calls += not step.inner
        deed = deed_of(step.tool, step.arguments)
        if deed == "run":
            self._run(step)
            return
        if deed == "poll":
            self._poll(step)
            return
        if deed == "other":
            self._found.others[step.tool] = self._found.others.get(step.tool, 0) + 1
        if step.error:
            self._fail(step.ref, self._label(step), step.read())
        elif step.answered:
            self._touch(step, deed == "change", deed == "read")

    def end(self) -> Activity:
        """What was done in all."""
        for left in self._running.unended():
            self._conclude(left.command, left.text, left.error, left.ref, known=left.error)
        found = self._found
        found.modified, found.read = self._files.modified(), self._files.read()
        found.checks, found.commits = list(self._checks.values()), list(self._commits.values())
        return found

    def _label(self, step: Step) -> str:
        label = call_label(step.tool, step.arguments)
        # The arguments of a call that failed long ago may be cut in what came in.
        return f"{step.tool} {step.key}" if "<purged-errored-args" in label else label

    def _fail(self, ref: int, label: str, text: str) -> None:
        self._found.failures.append(Failure(ref, label, failure_line(text)))

    def _touch(self, step: Step, changes: bool, reads: bool) -> None:
        patched = list(patched_paths(step.arguments))
        if changes:
            named = [*named_paths(step.arguments), *patched] or self._files.named(step.tool, step.arguments)
            self._files.change(named)
        elif reads:
            named = list(named_paths(step.arguments)) or self._files.named(step.tool, step.arguments)
            self._files.look(named)
        elif isinstance(step.arguments, str) and "*** Begin Patch" in step.arguments:
            # Hosts whose tools are called from a program have patches in its text.
            self._files.change(patched)

    def _run(self, step: Step) -> None:
        line = command_of(step.arguments)
        parts = simple_commands(line) if isinstance(step.arguments, dict) else []
        command = _Command(self._label(step), line, parts, step.told)
        self._found.commands += 1
        if not step.answered:
            self._conclude(command, "", False, step.ref, known=False)
            return
        self._shell_files(step, command)
        text = step.read()
        if not self._running.starts(command, text, step.ref, step.error):
            self._conclude(command, text, step.error, step.ref, known=True)

    def _poll(self, step: Step) -> None:
        left, ended = self._running.goes_on(step.arguments, step.read() if step.answered else "")
        if left and ended:
            text = left.text or step.read()
            self._conclude(left.command, text, step.error or left.error, step.ref, known=True)
        elif step.error:
            self._fail(step.ref, left.command.label if left else self._label(step), step.read())

    def _shell_files(self, step: Step, command: _Command) -> None:
        """The files that a command shows and writes; of one that failed what its last part did is not sure."""
        workdir = (
            step.arguments.get("workdir") or step.arguments.get("cwd") if isinstance(step.arguments, dict) else ""
        )
        done = command.parts[:-1] if step.error else command.parts
        for part in done:
            folder = self._files.folder(workdir, part.folder)
            self._files.look(read_files(part), folder)
            self._files.change(written_files(part), folder)
        if "*** Begin Patch" in command.line and not step.error:
            self._files.change(patched_paths(command.line), self._files.folder(workdir, ""))

    def _conclude(self, command: _Command, text: str, error: bool, ref: int, *, known: bool) -> None:
        """Note what a command was once it has ended; `known`: how it ended is told."""
        if error:
            self._fail(ref, command.label, text)
        text = printed(text)
        if checks := checking(command.parts):
            self._check(command, checks, text, error, ref, known)
        elif command.parts and all(map(looks_only, command.parts)):
            self._found.looked += 1
        else:
            self._found.ran[command.label] = self._found.ran.pop(command.label, 0) + 1
        for commit in commits_in(command.line, command.parts, text, error or not known):
            self._commits.setdefault(commit.id or commit.subject, commit)

    def _check(
        self, command: _Command, checks: list[Simple], text: str, error: bool, ref: int, known: bool
    ) -> None:
        label = checks_label(checks)
        check = self._checks.pop(label, None) or Check(label)
        status = told_status(command.parts, checks[-1], text) if len(checks) == 1 else None
        if status is not None:
            ended = verdict(text, status != 0, tells=True)
        else:
            tells = command.told and all(part.tells for part in checks)
            ended = verdict(text, error, tells, fails_alone(command.parts, checks[-1]))
        check.runs += 1
        check.outcome, check.line, check.ref = "unknown", "", ref
        if known:
            check.outcome, check.line = ended.outcome, one_line(ended.line)
            check.failed += ended.outcome == "failed"
        self._checks[label] = check
