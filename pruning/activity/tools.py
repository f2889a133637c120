"""What the tools of coding agents do, whatever a host calls them, and where their calls name files and commands.

A new tool is one more name in one of the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any, Literal

from prune_mcp.pruning.options import PATH_ARGUMENTS
from prune_mcp.sessions.echoes import SHELLS

Deed = Literal["run", "poll", "change", "read", "other"]

RUNS = SHELLS | {
    "bash_tool", "cmd", "container_exec", "execute_bash", "execute_command", "execute_shell_command",
    "powershell", "process_start", "run_bash", "run_bash_command", "run_in_terminal", "run_shell",
    "run_terminal_cmd", "run_terminal_command", "shell_exec", "start_process", "user_bash", "zsh",
}  # fmt: skip
# What brings further output of a command that was left running, and the arguments that name it.
POLLS = frozenset(
    {
        "bash_output", "bashoutput", "get_terminal_output", "read_process_output", "shell_output", "task_output",
        "taskoutput", "write_stdin",
    }
)  # fmt: skip
POLLED = ("session_id", "bash_id", "task_id", "shell_id", "pid", "id")
CHANGES = frozenset(
    {
        "apply_diff", "apply_patch", "create", "create_file", "create_new_file", "delete_file", "edit",
        "edit_block", "edit_file", "edit_notebook", "edit_notebook_file", "file_edit", "file_write", "fs_write",
        "insert", "insert_content", "insert_edit_into_file", "multi_edit", "multiedit",
        "multi_replace_string_in_file", "notebook_edit", "notebookedit", "patch", "replace",
        "replace_file_content", "replace_in_file", "replace_string_in_file", "save_file", "search_and_replace",
        "search_replace", "str_replace", "strreplace", "update_file", "write", "write_file", "write_to_file",
    }
)  # fmt: skip
READS = frozenset(
    {
        "cat", "file_read", "fs_read", "notebook_read", "notebookread", "open", "open_file", "read", "read_file",
        "read_files", "read_many_files", "read_multiple_files", "read_notebook", "read_text_file", "view",
        "view_file", "view_image",
    }
)  # fmt: skip
# One tool for several deeds: the argument `command` tells which.
EDITORS = frozenset(
    {"edit_based_tool", "editor", "str_replace_based_edit_tool", "str_replace_editor", "text_editor"}
)
LOOKS = frozenset({"view", "open", "read", "find"})
# SWE-agent's editor: these open a file, which `edit` and `insert` change without naming it.
OPENS = {"open": 1, "create": 1, "goto": 0}

PATHS = (
    *PATH_ARGUMENTS,
    *("absolute_path", "AbsolutePath", "target_file", "TargetFile", "file_paths", "filePaths", "relative_path"),
    *("relative_workspace_path", "notebookPath", "filename", "target_notebook", "files"),
)
WITHIN = ("files", "edits", "changes", "operations", "replacements")
COMMANDS = ("command", "cmd", "CommandLine", "commands", "script", "action", "input")
PATCHES = ("patch", "patchText", "patch_text", "diff", "input", "changes", "command")
_BOUNDARY = re.compile(r"__|[./:]")
_PATCH = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t]*$", re.MULTILINE)
_DIFF = re.compile(r"^--- (?:a/)?([^\t\n]+)(?:\t[^\n]*)?\n\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_SHELL = re.compile(r"(?:.*/)?(?:ba|z|da|k|fi)?sh(?:\.exe)?|(?:.*/)?(?:cmd|powershell|pwsh)(?:\.exe)?")


def plain_name(tool: str) -> str:
    """A tool's own name in lower case: without its server or namespace, words joined by `_`."""
    return _BOUNDARY.split(tool.strip("_"))[-1].lower().replace("-", "_")


def deed_of(tool: str, arguments: Any) -> Deed:
    """What a call does."""
    name = plain_name(tool)
    if name in RUNS or tool.lower() in RUNS:
        return "run"
    if name in POLLS:
        return "poll"
    if name in EDITORS:
        action = arguments.get("command") if isinstance(arguments, Mapping) else None
        return "read" if isinstance(action, str) and action in LOOKS else "change"
    if name in CHANGES:
        return "change"
    return "read" if name in READS else "other"


def command_of(arguments: Any) -> str:
    """The command that a call runs, as a shell would be given it; "" where none can be told."""
    if isinstance(arguments, str):
        return arguments
    key, value = "", arguments
    while isinstance(value, Mapping):
        key, value = next(((key, value[key]) for key in COMMANDS if value.get(key)), ("", ""))
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return "\n".join(value) if key == "commands" else _joined(value)
    return value if isinstance(value, str) else ""


def _joined(words: list[str]) -> str:
    """A command given as words: what a shell in front of it is told to run, else the words themselves."""
    if len(words) > 2 and _SHELL.fullmatch(words[0]) and words[1].startswith(("-", "/")):
        return words[-1]
    return words[0] if len(words) == 1 else " ".join(map(quote, words))


def named_paths(arguments: Any) -> Iterator[str]:
    """The files that a call names under any of the usual argument names, as written, nested ones among them."""
    if not isinstance(arguments, Mapping):
        return
    for key, value in arguments.items():
        if key in PATHS:
            values = value if isinstance(value, list) else [value]
            yield from (item.strip() for item in values if isinstance(item, str) and item.strip())
        if key in WITHIN and isinstance(value, list):
            for item in value:
                yield from named_paths(item)
        elif key == "operation":
            yield from named_paths(value)


def patched_paths(arguments: Any) -> Iterator[str]:
    """The files that the patches in a call's arguments change: Codex's own form, or unified diffs."""
    if isinstance(arguments, Mapping):
        texts = [text for key in PATCHES if isinstance(text := arguments.get(key), str)]
    else:
        texts = [arguments] if isinstance(arguments, str) else []
    for text in texts:
        if "*** Begin Patch" in text:
            yield from _PATCH.findall(text)
        else:
            for old, new in _DIFF.findall(text):
                yield old if new == "/dev/null" else new


def polled_id(arguments: Any) -> str:
    """Which running command a call asks for more of."""
    if not isinstance(arguments, Mapping):
        return ""
    return next((str(arguments[key]) for key in POLLED if arguments.get(key) is not None), "")
