"""A session that has something of everything, for pictures of it."""

from __future__ import annotations

from tests.usage.writing import Claude, image, lines, text

RULES = f"<project_instructions>\n{lines('Keep to the rule, always', 25)}\n</project_instructions>"


def showcase() -> Claude:
    """The session: compacted once, with thinking, images, attachments, many tools and stale reads."""
    session = (
        Claude().asks("Make uploads resumable.").says(text("I start with the tests."), prompt=30_000, output=9)
    )
    session.compacts("This session continues an earlier one.\n" + lines("fact", 60))
    session.attaches({"type": "nested_memory", "content": {"content": RULES}})
    session.asks("Go on with the retries.")
    thought = {"type": "thinking", "thinking": lines("What if the connection breaks", 40)}
    session.says(thought, text("I read the sources first."), prompt=16_700, cached=3_000, output=350)
    for number, name in enumerate(("uploads", "http", "retries", "config", "cli")):
        session.runs("Read", {"file_path": f"/project/src/{name}.py"}, lines(name, 400 - 60 * number))
    session.runs("Bash", {"command": "pytest -x tests/test_uploads.py"}, lines("FAILED", 260), error=True)
    session.runs("Grep", {"pattern": "RetryPolicy", "path": "src"}, lines("src/retries.py", 90))
    for name in ("uploads", "http"):
        session.runs(
            "Edit",
            {"file_path": f"src/{name}.py", "old_string": lines("old", 6), "new_string": lines("new", 30)},
            "The file has been updated.",
        )
    session.runs("mcp__browser__screenshot", {"url": "http://localhost:8000/uploads"}, [text("taken"), image()])
    session.attaches({"type": "nested_memory", "content": {"content": RULES}})
    for number in range(34):
        session.runs(f"mcp__tracker__tool_{number:02d}", {"id": number}, lines(f"issue {number}", 2 + number % 5))
    session.says(text(lines("Uploads now resume", 25)), prompt=35_500, cached=33_000, output=420)
    return session.asks("Thank you, and now the documentation.")
