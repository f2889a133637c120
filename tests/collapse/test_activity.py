"""What a stretch of a session is told to have done, whatever its host calls the tools."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.pruning.activity.activity import Activity, Step, activity
from prune_mcp.pruning.activity.commits import Commit
from prune_mcp.pruning.activity.failures import Failure, telling

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/b.py\n+z\n*** End Patch\n"
DIFF = "--- a/src/a.py\t2026\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n--- a/old.py\n+++ /dev/null\n"


def done(*steps: Step, cwd: str = "") -> Activity:
    return activity(steps, cwd)


def step(tool: str, arguments: Any, said: str = "ok", ref: int = 1, error: bool = False) -> Step:
    return Step(tool, arguments, lambda: said, ref, error)


def ran(command: str, said: str = "ok", error: bool = False) -> Activity:
    return done(step("Bash", {"command": command}, said, error=error))


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize(
    ("tool", "arguments", "files"),
    [
        ("Edit", {"file_path": "src/a.py", "old_string": "x", "new_string": "y"}, ["src/a.py"]),
        ("MultiEdit", {"file_path": "src/a.py", "edits": [{"old_string": "x"}]}, ["src/a.py"]),
        ("Write", {"file_path": "./src/../src/a.py", "content": "x"}, ["src/a.py"]),
        ("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "x"}, ["a.ipynb"]),
        ("edit", {"path": "src/a.py", "edits": [{"oldText": "x", "newText": "y"}]}, ["src/a.py"]),
        ("write_file", {"file_path": "src/a.py", "content": "x"}, ["src/a.py"]),
        ("replace", {"file_path": "src/a.py", "old_string": "x"}, ["src/a.py"]),
        ("str_replace_editor", {"command": "str_replace", "path": "/src/a.py"}, ["/src/a.py"]),
        ("str_replace_based_edit_tool", {"command": "create", "path": "/src/a.py"}, ["/src/a.py"]),
        ("mcp__filesystem__write_file", {"path": "src/a.py", "content": "x"}, ["src/a.py"]),
        ("functions.apply_patch", {"input": PATCH}, ["src/a.py", "src/b.py"]),
        ("apply_patch", PATCH, ["src/a.py", "src/b.py"]),
        ("apply_patch", {"patchText": PATCH}, ["src/a.py", "src/b.py"]),
        ("apply_patch", {"operation": {"type": "update_file", "path": "src/a.py"}}, ["src/a.py"]),
        ("exec", f"await tools.apply_patch({PATCH!r})".replace("\\n", "\n"), ["src/a.py", "src/b.py"]),
        ("patch", {"diff": DIFF}, ["src/a.py", "old.py"]),
        ("multi_edit", {"replacements": [{"filePath": "a.ts"}, {"filePath": "b.ts"}]}, ["a.ts", "b.ts"]),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]}, ["src/a.py", "src/b.py"]),
        ("shell", {"command": ["apply_patch", PATCH]}, ["src/a.py", "src/b.py"]),
    ],
)  # fmt: skip
def test_the_files_that_an_edit_changes_are_found_in_every_form(
    tool: str, arguments: Any, files: list[str]
) -> None:
    found = done(step(tool, arguments))
    assert (found.modified, found.read) == (files, [])
    assert done(step(tool, arguments, error=True)).modified == []
    assert done(Step(tool, arguments, lambda: "", answered=False)).modified == []


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize(
    ("tool", "arguments", "files"),
    [
        ("Read", {"file_path": "a.py", "offset": 3}, ["a.py"]),
        ("read_file", {"target_file": "a.py"}, ["a.py"]),
        ("view", {"path": "a.py"}, ["a.py"]),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, ["a.py"]),
        ("read_many_files", {"paths": ["a.py", "b.py"]}, ["a.py", "b.py"]),
        ("read_files", {"files": [{"path": "a.py"}, {"path": "b.py"}]}, ["a.py", "b.py"]),
        ("open", {"path": "a.py", "line_number": 3}, ["a.py"]),
        ("exec_command", {"cmd": "sed -n '1,180p' a.py && nl -ba b.py | sed -n '3,9p'"}, ["a.py", "b.py"]),
        ("bash", {"command": "head -n 20 a.py; tail -5 b.py"}, ["a.py", "b.py"]),
        ("local_shell", {"command": ["cat", "a.py"]}, ["a.py"]),
        ("shell", {"commands": ["cat a.py", "cat b.py"]}, ["a.py", "b.py"]),
    ],
)
def test_the_files_that_are_only_read_are_found_too(tool: str, arguments: Any, files: list[str]) -> None:
    found = done(step(tool, arguments))
    assert (found.modified, found.read) == ([], files)


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat <<'EOF' > a.py\nprint('it''s > b.py')\nEOF", ["a.py"]),
        ("cat > a.py << EOF\nx\nEOF\necho y >> b.txt", ["a.py", "b.txt"]),
        ("sed -i 's/x > y/z/' a.py b.py", ["a.py", "b.py"]),
        ("sed -i '' 's/a/b/' a.py", ["a.py"]),
        ("sed -i.bak -e 's/a/b/' a.py", ["a.py"]),
        ("perl -pi -e 's/a/b/' a.py", ["a.py"]),
        ("echo x | tee -a a.log", ["a.log"]),
        ("cd sub && echo x > a.txt", ["sub/a.txt"]),
        ("make 2>&1 > /dev/null; ls 2> err.txt", ["err.txt"]),
        ("python -c \"print('a > b')\"", []),
        ('git commit -m "a -> b > c"', []),
        ("echo x > $OUT; echo y > *.txt; echo z > `name`", []),
        ("cat 'unclosed > a.py", []),
    ],
)
def test_files_that_a_shell_writes_count_where_that_is_sure(command: str, files: list[str]) -> None:
    assert ran(command).modified == files


@pytest.mark.requirement("COL-BUILD")
def test_what_the_last_part_of_a_failed_command_was_to_write_does_not_count() -> None:
    assert ran("sed -i 's/a/b/' a.py && pytest", "1 failed", error=True).modified == ["a.py"]
    assert ran("sed -i 's/a/b/' a.py", "no such file", error=True).modified == []


@pytest.mark.requirement("COL-BUILD")
def test_one_file_is_one_path_however_it_is_written() -> None:
    edits = [{"file_path": path} for path in ("/app/src/a.py", "src/a.py", "./src/a.py", "file:///app/src/a.py")]
    assert done(*[step("Edit", each) for each in edits], cwd="/app").modified == ["src/a.py"]
    # Without the folder of the session the whole path tells where the other one leads.
    assert done(*[step("Edit", each) for each in edits]).modified == ["/app/src/a.py"]


@pytest.mark.requirement("COL-BUILD")
def test_a_file_that_was_read_and_changed_counts_as_changed_and_the_last_touched_comes_last() -> None:
    reads = [step("Read", {"file_path": path}) for path in ("a", "b", "c")]
    edits = [step("Edit", {"file_path": path}) for path in ("c", "a", "c")]
    found = done(*reads, *edits)
    assert (found.modified, found.read) == (["a", "c"], ["b"])


@pytest.mark.requirement("COL-BUILD")
def test_an_editor_whose_edits_name_no_file_changes_the_one_it_has_open() -> None:
    opened = step("open", {"command": "open src/a.py 12"})
    edit = step("edit", {"command": "edit 1:3\nx\nend_of_edit"})
    assert done(opened, edit).modified == ["src/a.py"]
    assert done(edit).modified == []


@pytest.mark.requirement("COL-BUILD")
def test_commands_are_counted_and_those_that_only_look_around_are_told_by_their_number() -> None:
    commands = ["ls -la", "git status", "cd x && rg foo | head", "npm install", "npm install", "git push", "cat a"]
    found = done(*[step("Bash", {"command": command}) for command in commands])
    assert (found.commands, found.looked, found.ran) == (7, 4, {"npm install": 2, "git push": 1})


@pytest.mark.requirement("COL-BUILD")
def test_a_failure_names_its_command_and_the_first_line_that_says_why() -> None:
    trouble = "Compiling\nsrc/a.ts(3,1): error TS2304: Cannot find name 'x'.\nFound 1 error."
    found = done(
        step("Bash", {"command": "# build it\ncd /app && npm run build"}, trouble, 7, error=True),
        step(
            "Edit", {"file_path": "a.py", "old_string": "x" * 300}, "String to replace not found in file.", 8, True
        ),
        step("Bash", {"command": "which gitleaks"}, "", 9, True),
    )
    assert [(each.ref, each.call, each.line) for each in found.failures] == [
        (7, "npm run build", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."),
        (8, "Edit a.py", "String to replace not found in file."),
        (9, "which gitleaks", ""),
    ]


@pytest.mark.requirement("COL-BUILD")
def test_a_command_that_was_left_running_ends_where_its_rest_is_asked_for() -> None:
    started = (
        "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 42\nOutput:\ncollected 3 items\n"
    )
    waiting = "Chunk ID: 2\nProcess running with session ID 42\nOutput:\n"
    ended = "Chunk ID: 3\nProcess exited with code 1\nOutput:\n1 failed, 2 passed in 4.20s\n"
    poll = {"session_id": 42, "chars": ""}
    found = done(
        step("exec_command", {"cmd": "pytest"}, started, 1, error=True),
        step("write_stdin", poll, waiting, 2),
        step("write_stdin", poll, ended, 3, error=True),
    )
    (check,) = found.checks
    assert (check.outcome, check.line, check.ref) == ("failed", "1 failed, 2 passed in 4.20s", 3)
    assert [(each.ref, each.call) for each in found.failures] == [(3, "pytest")]
    assert found.commands == 1
    (endless,) = done(step("exec_command", {"cmd": "pytest"}, started, 1)).checks
    assert endless.outcome == "unknown"


@pytest.mark.requirement("COL-BUILD")
def test_commits_are_told_by_what_git_printed_or_by_their_message() -> None:
    printed = "[main 1a2b3c4] Fix the parser\n 2 files changed\n[main (root-commit) 5d6e7f8a] Begin\n"
    assert ran("git add . && git commit -m x && git push", printed, error=True).commits == [
        Commit("1a2b3c4", "Fix the parser"),
        Commit("5d6e7f8a", "Begin"),
    ]
    assert ran('git commit -qam "Quiet one"', "").commits == [Commit("", "Quiet one")]
    heredoc = "git commit -q -m \"$(cat <<'EOF'\nThe subject\n\nThe body\nEOF\n)\""
    assert ran(heredoc, "").commits == [Commit("", "The subject")]
    assert ran("git commit -qm x", "nothing to commit", error=True).commits == []
    assert ran("cat log.txt", printed).commits == []


@pytest.mark.requirement("COL-BUILD")
def test_calls_of_other_tools_are_counted_by_name() -> None:
    found = done(*[step(tool, {"query": "x"}) for tool in ("WebSearch", "Task", "WebSearch")])
    assert (found.calls, found.commands, found.others) == (3, 0, {"WebSearch": 2, "Task": 1})


@pytest.mark.requirement("COL-BUILD")
def test_arguments_of_any_type_are_taken() -> None:
    odd: list[Any] = [
        None,
        3,
        [],
        {},
        {"command": 5},
        {"command": ["a", 1]},
        {"path": None},
        {"path": ["", 2]},
        "text",
        {"input": {}},
    ]
    for tool in ("Bash", "Edit", "Read", "write_stdin", "apply_patch", "", "str_replace_editor", "Task"):
        for arguments in odd:
            assert done(step(tool, arguments), step(tool, arguments, error=True)).calls == 2


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("<tool_use_error>File does not exist.</tool_use_error>", "File does not exist."),
        ("<returncode>1</returncode>\n<output>\n</output>", "exit code 1"),
        ("a:1: RuntimeWarning: Expected 80, got 96\nE  ValueError: no x", "E ValueError: no x"),
        ("a:1: RuntimeWarning: Expected 80, got 96\nCI: undefined\n1 failed in 0.8s", "1 failed in 0.8s"),
        ("<tool_use_error>Found 2 matches.\nString: x: an error</tool_use_error>", "Found 2 matches."),
        ("a:1: RuntimeWarning: Expected 80, got 96", "a:1: RuntimeWarning: Expected 80, got 96"),
    ],
)  # fmt: skip
def test_the_line_of_a_failure_is_the_error_without_what_hosts_wrap_around_it(said: str, line: str) -> None:
    (failure,) = done(step("Bash", {"command": "x"}, said, error=True)).failures
    assert failure.line == line


@pytest.mark.requirement("COL-BUILD")
def test_of_many_failures_those_are_told_that_say_more_than_their_exit_code() -> None:
    failures = [Failure(ref, f"call {ref}", f"error {ref}" if ref % 2 else "exit code 1") for ref in range(1, 25)]
    assert [each.ref for each in telling(failures, 12)] == list(range(1, 24, 2))
    assert [each.ref for each in telling(failures, 14)] == [*range(1, 22, 2), 22, 23, 24]
    assert [each.ref for each in telling(failures[:4], 12)] == [1, 2, 3, 4]
    assert [each.ref for each in telling(failures, 5)] == [15, 17, 19, 21, 23]
