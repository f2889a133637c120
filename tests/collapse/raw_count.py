"""What was done in raw entries, counted without the product: from the hosts' and the APIs' own JSON.

Each host's entries become calls with their results; files, commands, failures and commits are then counted from
these, by patterns instead of by the product's parser of shell commands.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

SHELLS = {"bash", "shell", "exec_command", "run_shell_command"}
EDITORS = {"edit", "multiedit", "write", "notebookedit", "write_file", "replace"}
READERS = {"read", "read_file"}
PATHS = ("file_path", "path", "notebook_path")
HEREDOC = re.compile(r"<<-?\s*'?\"?\\?(\w+)'?\"?(.*?)\n.*?^\s*\1\s*$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
COMMITTED = re.compile(r"^\[[^\]\n]+ ([0-9a-f]{7,})\] ", re.MULTILINE)
PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
EXIT = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:) (-?\d+)")
# What of the recorded sessions checks the work, found by its words alone.
CHECK = re.compile(
    r"(?:npm (?:run (?:build|check|lint|typecheck|type-check|test)|test)|npx (?:biome check|knip|tsc|vitest)"
    r"|mix (?:compile|credo|dialyzer|test|format --check-formatted)|pytest|\S*runtests\.py"
    r"|python3? test\w*\.py)(?!\S)"
)
EDITOR = {"create", "edit", "insert"}
EDITOR_LOOKS = {"open", "goto", "scroll_down", "scroll_up", "search_dir", "search_file", "find_file", "submit"}
RUNNING = re.compile(r"Process running with session ID (\d+)")


@dataclass
class Call:
    """A call with its result (None: there is none) and whether that tells of a failure."""

    name: str
    arguments: Any
    output: str | None = None
    failed: bool = False

    @property
    def command(self) -> str:
        """The command of a shell."""
        found = self.arguments.get("command") or self.arguments.get("cmd") or ""
        return found if isinstance(found, str) else str(found[-1])


@dataclass
class Count:
    """What was done: files by their paths from the root."""

    calls: int = 0
    modified: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    commands: int = 0
    checks: int = 0
    failures: int = 0
    commits: set[str] = field(default_factory=set)


def count(entries: Sequence[Any], format: str, cwd: str = "") -> Count:
    """What was done in these raw entries of a host's or an API's format."""
    found = Count()
    looked: set[str] = set()
    for call in CALLS[format](entries):
        found.calls += 1
        found.failures += call.failed
        name = call.name.lower()
        done = call.output is not None and not call.failed
        if name in SHELLS:
            found.commands += 1
            found.checks += checks(call.command)
            if re.search(r"\bgit\b[^|]*\b(?:commit|merge|rebase|cherry-pick|revert)\b", call.command):
                found.commits.update(COMMITTED.findall(call.output or ""))
            if call.output is not None:
                shown, written = shell_files(call, cwd)
                looked |= shown
                found.modified |= written
        elif done and name in EDITORS:
            found.modified |= {rooted(call.arguments[key], cwd) for key in PATHS if call.arguments.get(key)}
        elif done and name == "apply_patch":
            patch = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
            found.modified |= {rooted(path, cwd) for path in PATCHED.findall(patch)}
        elif done and name in READERS:
            looked |= {rooted(call.arguments[key], cwd) for key in PATHS if call.arguments.get(key)}
    found.read = looked - found.modified
    return found


def count_swe_agent(trajectory: Sequence[Any]) -> Count:
    """What was done in the steps of SWE-agent, whose editor has one file open."""
    found, opened = Count(len(trajectory)), ""
    for step in trajectory:
        name, *words = step["action"].split()
        if name in ("open", "create"):
            opened = words[0].strip('"')
        if name in EDITOR:
            found.modified.add(opened)
        elif name not in EDITOR_LOOKS:
            found.commands += 1
            found.checks += checks(step["action"])
    return found


def checks(command: str) -> bool:
    """Whether a part of a command line begins with a run that checks the work."""
    bare = HEREDOC.sub(r"<<\1\2", command.replace("\\\n", " "))
    parts = re.split(r"&&|\|\||[;\n|]", QUOTED.sub("''", bare))
    parts = [re.sub(r"^(?:(?:\w+=\S*|timeout \d+|time) +)*", "", part.strip()) for part in parts]
    return any(CHECK.match(part) for part in parts)


def shell_files(call: Call, cwd: str) -> tuple[set[str], set[str]]:
    """The files that a command shows and those that it writes; of a failed one its last part does not count."""
    shown: set[str] = set()
    written: set[str] = set()
    command = HEREDOC.sub(lambda found: f"<<{found[1]}{found[2]}", call.command.replace("\\\n", " "))
    command = re.sub(r"^\s*#.*$", "", command, flags=re.MULTILINE)
    quoted: list[str] = []

    def hide(found: re.Match[str]) -> str:
        quoted.append(found[0][1:-1])
        return f"\x00{len(quoted) - 1}\x00"

    def show(word: str) -> str:
        return re.sub(r"\x00(\d+)\x00", lambda found: quoted[int(found[1])], word)

    parts = [part for part in re.split(r"&&|\|\||[;\n|()]", QUOTED.sub(hide, command)) if part.strip()]
    folder = cwd
    for part in parts[:-1] if call.failed else parts:
        words = [show(word) for word in part.split()]
        bare = [word for word in words if not re.match(r"\d?[<>]|&>", word)]
        for at, word in enumerate(words):
            if re.fullmatch(r"1?>{1,2}", word) and at + 1 < len(words):
                written |= paths([words[at + 1]], folder)
            elif target := re.fullmatch(r"1?>{1,2}([^&>].*)", word):
                written |= paths([target[1]], folder)
        files = [word for word in bare[1:] if word not in written_targets(words)]
        if bare[:1] == ["cd"]:
            folder = posixpath.join(folder, bare[1]) if len(bare) > 1 else folder
        elif bare[:1] in (["cat"], ["nl"]):
            shown |= paths([word for word in files if not word.startswith("-")], folder)
        elif bare[:1] in (["head"], ["tail"]):
            shown |= paths([word for word in files if not word.startswith("-") and not word.isdigit()], folder)
        elif bare[:2] == ["sed", "-n"]:
            shown |= paths(files[2:], folder)
        elif bare[:2] == ["sed", "-i"]:
            scripted = [word for word in files[1:] if word]
            written |= paths(scripted[1:] if not {"-e", "-f"} & set(scripted) else scripted[-1:], folder)
        elif bare[:1] == ["tee"]:
            written |= paths([word for word in files if not word.startswith("-")], folder)
    return shown, written


def written_targets(words: Sequence[str]) -> set[str]:
    """The words behind redirections."""
    return {words[at + 1] for at in range(len(words) - 1) if re.fullmatch(r"\d?[<>]{1,2}", words[at])}


def paths(words: Iterable[str], folder: str) -> set[str]:
    """Words that can only be files, from the root."""
    return {rooted(word, folder) for word in words if word and not re.search(r"[*?$`{}\[\]]|^/dev/|^-|^&", word)}


def rooted(path: str, cwd: str) -> str:
    """A path from the root."""
    return posixpath.normpath(posixpath.join(cwd, path))


def _claude(entries: Sequence[Any]) -> Iterator[Call]:
    yield from _anthropic([entry["message"] for entry in entries if isinstance(entry.get("message"), dict)])


def _anthropic(messages: Sequence[Any]) -> Iterator[Call]:
    calls: dict[str, Call] = {}
    for message in messages:
        for part in message["content"] if isinstance(message.get("content"), list) else ():
            if part.get("type") == "tool_use":
                calls.setdefault(part["id"], Call(part["name"], part["input"]))
            elif part.get("type") == "tool_result" and part["tool_use_id"] in calls:
                call = calls[part["tool_use_id"]]
                call.output, call.failed = _said(part.get("content")), bool(part.get("is_error"))
    yield from calls.values()


def _pi(entries: Sequence[Any]) -> Iterator[Call]:
    calls: dict[str, Call] = {}
    for entry in entries:
        message = entry.get("message", {})
        if message.get("role") == "assistant":
            for part in message["content"]:
                if part.get("type") == "toolCall":
                    calls[part["id"]] = Call(part["name"], part["arguments"])
        elif message.get("role") == "toolResult" and message["toolCallId"] in calls:
            call = calls[message["toolCallId"]]
            call.output, call.failed = _said(message["content"]), bool(message["isError"])
    yield from calls.values()


def _codex(entries: Sequence[Any]) -> Iterator[Call]:
    yield from _responses([entry["payload"] for entry in entries if entry.get("type") == "response_item"])


def _responses(items: Sequence[Any]) -> Iterator[Call]:
    """Codex lets commands go on: how one ended is told by the call that asked for the rest of its output."""
    calls: dict[str, Call] = {}
    running: dict[str, Call] = {}
    for item in items:
        kind = item.get("type")
        if kind == "function_call":
            calls[item["call_id"]] = Call(item["name"], json.loads(item["arguments"]))
        elif kind == "custom_tool_call":
            calls[item["call_id"]] = Call(item["name"], item["input"])
        elif kind in ("function_call_output", "custom_tool_call_output") and item["call_id"] in calls:
            call = calls[item["call_id"]]
            call.output = _said(item["output"])
            code = EXIT.search(call.output[:400])
            call.failed = code[1] != "0" if code else bool(re.match(r"\w+ failed", call.output))
            if started := RUNNING.search(call.output[:400]):
                running[started[1]] = call
    yield from calls.values()


def _gemini(entries: Sequence[Any]) -> Iterator[Call]:
    for entry in entries:
        for call in entry.get("toolCalls") or ():
            done = call.get("result")
            yield Call(call["name"], call["args"], json.dumps(done) if done else None, call["status"] == "error")


def _mini_swe(entries: Sequence[Any]) -> Iterator[Call]:
    for entry, after in zip(entries, [*entries[1:], {}], strict=True):
        blocks = re.findall(r"```bash\n(.*?)\n```", str(entry.get("content")), re.DOTALL)
        if entry.get("role") == "assistant" and len(blocks) == 1:
            code = re.match(r"<returncode>(-?\d+)</returncode>", str(after.get("content")))
            output = after.get("content") if after.get("role") == "user" else None
            yield Call("bash", {"command": blocks[0]}, output, bool(code and code[1] != "0"))


def _chat(messages: Sequence[Any]) -> Iterator[Call]:
    calls: dict[str, Call] = {}
    for message in messages:
        for call in message.get("tool_calls") or ():
            calls[call["id"]] = Call(call["function"]["name"], json.loads(call["function"]["arguments"]))
        if message["role"] == "tool" and message["tool_call_id"] in calls:
            calls[message["tool_call_id"]].output = _said(message["content"])
    yield from calls.values()


CALLS: dict[str, Callable[[Sequence[Any]], Iterator[Call]]] = {
    "claude-code": _claude,
    "pi": _pi,
    "codex": _codex,
    "gemini": _gemini,
    "mini-swe-agent": _mini_swe,
    "anthropic": _anthropic,
    "openai-chat": _chat,
    "openai-responses": _responses,
}


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or () if isinstance(part, dict))
