"""The statements of the SQLite store, each prepared once for a connection."""

from __future__ import annotations

from prune_mcp.storage.rows import (
    BLOCK_COLUMNS,
    DIAGNOSTIC_COLUMNS,
    FLUSH_COLUMNS,
    OUTPUT_COLUMNS,
    SESSION_COLUMNS,
    USAGE_COLUMNS,
)


def places(columns: str, more: int = 0) -> str:
    """The placeholders for some columns and `more`."""
    return ", ".join("?" * (columns.count(",") + 1 + more))


# Sessions
SESSIONS = f"SELECT {SESSION_COLUMNS} FROM sessions ORDER BY written DESC"
SESSION = f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ?"
KEY = "SELECT key FROM sessions WHERE id = ?"
KNOW = """
INSERT INTO sessions (id, format, host, path, cwd, title, parent, updated, written)
VALUES (?, ?, ?, ?, ?, ?, '', ?, 0)
ON CONFLICT (id) DO UPDATE SET
    format = coalesce(nullif(excluded.format, ''), format),
    host = coalesce(nullif(excluded.host, ''), host),
    path = coalesce(nullif(excluded.path, ''), path),
    cwd = coalesce(nullif(excluded.cwd, ''), cwd),
    title = coalesce(nullif(excluded.title, ''), title)
"""
TOUCH = """
UPDATE sessions SET updated = ?, written = (SELECT max(written) + 1 FROM sessions) WHERE key = ?
"""
NEXT_REF = "SELECT next_ref FROM sessions WHERE key = ?"
SET_NEXT_REF = "UPDATE sessions SET next_ref = ? WHERE key = ?"
SET_NEXT_BLOCK = "UPDATE sessions SET next_block = ? WHERE key = ?"
SET_FLUSHES = "UPDATE sessions SET flushes = ?, frontier = max(frontier, ?) WHERE key = ?"
COPY_COUNTERS = """
UPDATE sessions SET parent = ?, (next_ref, next_block, frontier, flushes) =
    (SELECT next_ref, next_block, frontier, flushes FROM sessions WHERE key = ?)
WHERE key = ?
"""

# Outputs
OUTPUTS = f"""
SELECT {OUTPUT_COLUMNS} FROM outputs WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY ref
"""
ADD_OUTPUT = f"INSERT INTO outputs (session, {OUTPUT_COLUMNS}) VALUES ({places(OUTPUT_COLUMNS, 1)})"
KNOWN = f"SELECT {OUTPUT_COLUMNS} FROM outputs WHERE call_id = ? AND session = ? AND entry = ? AND sha = ?"
DECIDE = "UPDATE outputs SET state = ?, stub = ?, other = ?, flush = ? WHERE session = ? AND ref = ?"
COPY_OUTPUT = f"""
INSERT INTO outputs (session, {OUTPUT_COLUMNS})
SELECT ?, {OUTPUT_COLUMNS} FROM outputs WHERE session = ? AND ref = ?
"""


def occurrences(count: int) -> str:
    """The statement that finds the outputs of `count` tool-call ids, each behind its session's id."""
    wanted = ", ".join("?" * count)
    columns = ", ".join(f"o.{name.strip()}" for name in OUTPUT_COLUMNS.split(","))
    return f"""
    SELECT s.id, {columns} FROM outputs o JOIN sessions s ON s.key = o.session WHERE o.call_id IN ({wanted})
    """


# Bodies
BODY = "SELECT packing, size, data FROM bodies WHERE sha = ?"
FIND_BODY = "SELECT packing, data IS NULL FROM bodies WHERE sha = ?"
# The bodies of a session's outputs that are no row, or a row that names a file.
ELSEWHERE = """
SELECT DISTINCT o.sha, b.packing FROM outputs o LEFT JOIN bodies b ON b.sha = o.sha
WHERE o.session = (SELECT key FROM sessions WHERE id = ?) AND b.data IS NULL
"""
ADD_BODY = "INSERT INTO bodies (sha, size, packing, data) VALUES (?, ?, ?, ?)"
PUT_BODY = """
INSERT INTO bodies (sha, size, packing, data) VALUES (?, ?, ?, ?)
ON CONFLICT (sha) DO UPDATE SET size = excluded.size, packing = excluded.packing, data = excluded.data
"""
IDENTITY = "SELECT id FROM identity"

# Facets
FACETS = """
SELECT ref, name, sha FROM facets WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY ref, name
"""
ADD_FACET = "INSERT OR REPLACE INTO facets (session, ref, name, sha) VALUES (?, ?, ?, ?)"
COPY_FACETS = """
INSERT INTO facets (session, ref, name, sha)
SELECT ?, ref, name, sha FROM facets WHERE session = ? AND ref = ?
"""

# Blocks, flushes, diagnostics
BLOCKS = f"""
SELECT {BLOCK_COLUMNS} FROM blocks WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY number
"""
ADD_BLOCK = f"INSERT INTO blocks (session, {BLOCK_COLUMNS}) VALUES ({places(BLOCK_COLUMNS, 1)})"
FLUSHES = f"""
SELECT {FLUSH_COLUMNS} FROM flushes WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY number
"""
ADD_FLUSH = f"INSERT INTO flushes (session, {FLUSH_COLUMNS}) VALUES ({places(FLUSH_COLUMNS, 1)})"
DIAGNOSTICS = f"""
SELECT {DIAGNOSTIC_COLUMNS} FROM diagnostics WHERE session = (SELECT key FROM sessions WHERE id = ?)
ORDER BY kind, key
"""
DIAGNOSE = f"""
INSERT INTO diagnostics (session, {DIAGNOSTIC_COLUMNS}) VALUES ({places(DIAGNOSTIC_COLUMNS, 1)})
ON CONFLICT (session, kind, key) DO UPDATE SET count = count + excluded.count
"""

# What flows
RECOVERIES = "SELECT count, tokens FROM recoveries WHERE session = (SELECT key FROM sessions WHERE id = ?)"
CHARGE_RECOVERY = """
INSERT INTO recoveries (session, count, tokens) VALUES (?, ?, ?)
ON CONFLICT (session) DO UPDATE SET count = count + excluded.count, tokens = tokens + excluded.tokens
"""
USAGE = f"""
SELECT {USAGE_COLUMNS} FROM model_usage WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY model
"""
CHARGE_MODEL = f"""
INSERT INTO model_usage (session, {USAGE_COLUMNS}) VALUES ({places(USAGE_COLUMNS, 1)})
ON CONFLICT (session, model) DO UPDATE SET
    calls = calls + excluded.calls,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    cost = cost + excluded.cost
"""
