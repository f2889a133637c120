"""The tables of the store, as the migration that makes each version of them.

Texts that are not valid Unicode (lone surrogates) stand as blobs of their bytes in the text columns.
"""

from __future__ import annotations

from collections.abc import Sequence

Migration = Sequence[str]

# "prun" in ASCII: tells the store from any other SQLite file.
APPLICATION_ID = 0x7072756E

# `written` orders the sessions by their last write; a clock could not.
SESSIONS = """
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    format TEXT NOT NULL,
    host TEXT NOT NULL,
    path TEXT NOT NULL,
    cwd TEXT NOT NULL,
    title TEXT NOT NULL,
    parent TEXT NOT NULL,
    next_ref INTEGER NOT NULL DEFAULT 1,
    next_block INTEGER NOT NULL DEFAULT 1,
    frontier INTEGER NOT NULL DEFAULT 0,
    flushes INTEGER NOT NULL DEFAULT 0,
    updated TEXT NOT NULL,
    written INTEGER NOT NULL
)
"""

# `data` is NULL where the body stands in a file of its own.
BODIES = """
CREATE TABLE bodies (
    sha TEXT PRIMARY KEY NOT NULL,
    size INTEGER NOT NULL,
    packing INTEGER NOT NULL,
    data BLOB
)
"""

OUTPUTS = """
CREATE TABLE outputs (
    session INTEGER NOT NULL REFERENCES sessions (key),
    ref INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    entry TEXT NOT NULL,
    sha TEXT NOT NULL REFERENCES bodies (sha),
    norm TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    error INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    size INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    images INTEGER NOT NULL,
    state TEXT NOT NULL,
    stub TEXT NOT NULL,
    other INTEGER NOT NULL,
    flush INTEGER NOT NULL,
    PRIMARY KEY (session, ref)
) WITHOUT ROWID
"""

FACETS = """
CREATE TABLE facets (
    session INTEGER NOT NULL,
    ref INTEGER NOT NULL,
    name TEXT NOT NULL,
    sha TEXT NOT NULL REFERENCES bodies (sha),
    PRIMARY KEY (session, ref, name),
    FOREIGN KEY (session, ref) REFERENCES outputs (session, ref)
) WITHOUT ROWID
"""

BLOCKS = """
CREATE TABLE blocks (
    session INTEGER NOT NULL REFERENCES sessions (key),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    start TEXT NOT NULL,
    "end" TEXT NOT NULL,
    text TEXT NOT NULL,
    document TEXT REFERENCES bodies (sha),
    refs TEXT NOT NULL,
    blocks TEXT NOT NULL,
    flush INTEGER NOT NULL,
    PRIMARY KEY (session, number)
)
"""

FLUSHES = """
CREATE TABLE flushes (
    session INTEGER NOT NULL REFERENCES sessions (key),
    number INTEGER NOT NULL,
    outcomes TEXT NOT NULL,
    note TEXT NOT NULL,
    frontier INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    time TEXT NOT NULL,
    PRIMARY KEY (session, number)
)
"""

DIAGNOSTICS = """
CREATE TABLE diagnostics (
    session INTEGER NOT NULL REFERENCES sessions (key),
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    detail TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (session, kind, key)
)
"""

FIRST: Migration = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    SESSIONS,
    "CREATE INDEX sessions_written ON sessions (written)",
    BODIES,
    OUTPUTS,
    "CREATE UNIQUE INDEX outputs_identity ON outputs (call_id, session, entry, sha)",
    FACETS,
    BLOCKS,
    FLUSHES,
    DIAGNOSTICS,
)

RECOVERIES = """
CREATE TABLE recoveries (
    session INTEGER PRIMARY KEY REFERENCES sessions (key),
    count INTEGER NOT NULL,
    tokens INTEGER NOT NULL
)
"""

MODEL_USAGE = """
CREATE TABLE model_usage (
    session INTEGER NOT NULL REFERENCES sessions (key),
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (session, model)
) WITHOUT ROWID
"""

# Tells this store from one that stood in its place before: the folder of bodies names its owner.
IDENTITY = "CREATE TABLE identity (id TEXT NOT NULL)"

# The ledger's flows, which the records themselves do not tell, and what care of the store needs.
SECOND: Migration = (
    "ALTER TABLE blocks ADD COLUMN words INTEGER NOT NULL DEFAULT -1",
    RECOVERIES,
    MODEL_USAGE,
    IDENTITY,
    "INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))))",
)

MIGRATIONS: Sequence[Migration] = (FIRST, SECOND)
