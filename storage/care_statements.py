"""The statements that care of the store runs. `?` in `SOME` is a JSON array of sessions' keys."""

from __future__ import annotations

from prune_mcp.storage.bodies import RELEASED

SOME = "session IN (SELECT value FROM json_each(?))"

NAMED = """
SELECT sha FROM outputs UNION ALL SELECT sha FROM facets
UNION ALL SELECT document FROM blocks WHERE document IS NOT NULL
"""
ORPHANS = f"SELECT sha, size, length(data) FROM bodies WHERE sha NOT IN ({NAMED})"
DROP_ORPHANS = f"DELETE FROM bodies WHERE sha NOT IN ({NAMED})"
MISSING = f"SELECT DISTINCT sha FROM ({NAMED}) WHERE sha NOT IN (SELECT sha FROM bodies) ORDER BY sha"


def named_by(which: str) -> str:
    """The bodies that the records of some sessions name; takes the keys three times."""
    return f"""
    SELECT sha FROM outputs WHERE {which} UNION SELECT sha FROM facets WHERE {which}
    UNION SELECT document FROM blocks WHERE document IS NOT NULL AND {which}
    """


# The bodies that some sessions name and no other does; takes the keys six times.
HELD = f"""
SELECT sha, size, packing, length(data) FROM bodies
WHERE sha IN ({named_by(SOME)}) AND sha NOT IN ({named_by(f"NOT {SOME}")}) ORDER BY sha
"""
LATEST = f"""
SELECT s.id, b.sha, b.size, b.packing, length(b.data) FROM (
    SELECT n.sha AS sha, max(s.written) AS written FROM (
        SELECT session, sha FROM outputs UNION ALL SELECT session, sha FROM facets
        UNION ALL SELECT session, document FROM blocks WHERE document IS NOT NULL
    ) n JOIN sessions s ON s.key = n.session GROUP BY n.sha
) l JOIN sessions s ON s.written = l.written JOIN bodies b ON b.sha = l.sha
WHERE b.packing <> {RELEASED} ORDER BY b.sha
"""
RELEASE = "UPDATE bodies SET packing = ?, data = NULL WHERE sha = ?"
LIVE_FILES = "SELECT sha, packing FROM bodies WHERE data IS NULL AND sha >= ? AND sha < ?"
LIVE_FILE = "SELECT packing FROM bodies WHERE data IS NULL AND sha = ?"

# What a session has, children before their parents.
OF_SESSION = ("recoveries", "model_usage", "diagnostics", "flushes", "blocks", "facets", "outputs")
DROP_SESSION = "DELETE FROM sessions WHERE key = ?"
DISOWN = "UPDATE sessions SET parent = '' WHERE parent = ?"

EVERY_BODY = "SELECT sha, packing FROM bodies ORDER BY sha"
HOLDERS = """
SELECT s.id, o.ref, 'text' FROM outputs o JOIN sessions s ON s.key = o.session WHERE o.sha = ?1
UNION ALL SELECT s.id, f.ref, f.name FROM facets f JOIN sessions s ON s.key = f.session WHERE f.sha = ?1
UNION ALL SELECT s.id, b.number, 'document' FROM blocks b JOIN sessions s ON s.key = b.session
WHERE b.document = ?1
"""
# What no whole store holds: the sentence about it, and a statement that tells in which sessions.
WRONG = {
    "an output has a number that was never given out": """
        SELECT DISTINCT s.id FROM outputs o JOIN sessions s ON s.key = o.session WHERE o.ref >= s.next_ref
    """,
    "a block has a number that was never given out": """
        SELECT DISTINCT s.id FROM blocks b JOIN sessions s ON s.key = b.session WHERE b.number >= s.next_block
    """,
    "a prune has a number that was never given out": """
        SELECT DISTINCT s.id FROM flushes f JOIN sessions s ON s.key = f.session WHERE f.number > s.flushes
    """,
    "an output was decided on, yet nothing stands for it": """
        SELECT DISTINCT s.id FROM outputs o JOIN sessions s ON s.key = o.session
        WHERE o.state <> 'whole' AND o.stub = ''
    """,
    "a block's lists cannot be read": """
        SELECT DISTINCT s.id FROM blocks b JOIN sessions s ON s.key = b.session
        WHERE NOT (json_valid(b.refs) AND json_valid(b.blocks))
    """,
    "a block names an output that is not there": """
        SELECT DISTINCT s.id FROM blocks b JOIN sessions s ON s.key = b.session,
            json_each(iif(json_valid(b.refs), b.refs, '[]')) ref
        WHERE NOT EXISTS (SELECT 1 FROM outputs o WHERE o.session = b.session AND o.ref = ref.value)
    """,
    "what a prune decided cannot be read": """
        SELECT DISTINCT s.id FROM flushes f JOIN sessions s ON s.key = f.session WHERE NOT json_valid(f.outcomes)
    """,
}
STRAYS = " UNION ALL ".join(
    f"SELECT '{table}', count(*) FROM {table} WHERE session NOT IN (SELECT key FROM sessions)"
    for table in OF_SESSION
)
