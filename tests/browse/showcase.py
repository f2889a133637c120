"""A session made up to be browsed: outputs of all sizes, repeats, an error, text that no terminal should get."""

from __future__ import annotations

from pathlib import Path

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import TreeAnswer
from tests.server.transcripts import write_session

SESSION = "5eed1e55-0000-4000-8000-000000000000"
HOSTILE = "\x1b]0;owned\x07\x1b[2J half a pair: \ud83d. a tab:\there, \u65e5\u672c\u8a9e, [bold]no markup[/bold]\n"


def outputs() -> list[str]:
    """The outputs of the session, the oldest first."""
    log = "".join(f"{number:05d} GET /orders/{number} 200\n" for number in range(5_000))
    listing = "".join(f"src/module_{number}.py\n" for number in range(400))
    return [log, HOSTILE * 40, listing, "long line " * 900, listing, *(f"part {n}\n" * 300 for n in range(8))]


def pruned(folder: Path) -> tuple[Engine, TreeAnswer]:
    """An engine on a store of its own, in which the session was pruned twice, and its tree."""
    engine = Engine({"PRUNE_MCP_HOME": str(folder / "prune"), "HOME": str(folder)})
    texts = outputs()
    for count in (7, len(texts)):
        path = write_session(
            folder, SESSION, Path("/orders"), outputs=texts[:count], prompt="Why do orders fail at night?"
        )
        engine.prune_transcript(path, keep_turns=1, note="after the logs" if count == 7 else "")
    return engine, engine.tree(SESSION)
