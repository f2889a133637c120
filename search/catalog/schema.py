"""The tables of the catalog, as the migration that makes each version of them."""

from __future__ import annotations

from collections.abc import Sequence

from prune_mcp.storage.schema import APPLICATION_ID, Migration

# The form of segments, and of the words in them: segments of any other version are built anew.
INDEX_VERSION = 1

# What a source is: `DEAD` has left rows behind in segments, `UNFINISHED` is not all in yet, so it is not shown.
DEAD, LIVE, UNFINISHED = 0, 1, 2

# `version` goes up with every commit, `epoch` whenever rows of sources went away. A catalog's first version is the
# time, so that it is ahead of any that stood there before. `wiped`: 0 while what was forgotten may be there.
STATE = """
CREATE TABLE state (
    version INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    index_version INTEGER NOT NULL,
    next_source INTEGER NOT NULL,
    wiped INTEGER NOT NULL
)
"""

# `position`, `stamp` and `mark`: a Mark. `held`: how many passages behind the mark are in already; `waiting`: how
# large the file was where that is not all of them, else 0. `bytes`: of text. `named`: the session's id as
# its place tells it. `changed`: the version that brought this.
SOURCES = """
CREATE TABLE sources (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    inside TEXT NOT NULL,
    host TEXT NOT NULL,
    session TEXT NOT NULL,
    parent TEXT NOT NULL,
    cwd TEXT NOT NULL,
    project TEXT NOT NULL,
    title TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    position INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    mark TEXT NOT NULL,
    gone INTEGER NOT NULL,
    held INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    status INTEGER NOT NULL,
    named TEXT NOT NULL,
    changed INTEGER NOT NULL
)
"""

TOOLS = "CREATE TABLE tools (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"

# `start` and `length`: bytes in the shard's pack. `first`: how many passages of the source come before.
FRAMES = """
CREATE TABLE frames (
    shard TEXT NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    source INTEGER NOT NULL,
    first INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (shard, start)
) WITHOUT ROWID
"""

PACKS = "CREATE TABLE packs (shard TEXT PRIMARY KEY NOT NULL, generation INTEGER NOT NULL, bytes INTEGER NOT NULL)"

SEGMENTS = """
CREATE TABLE segments (
    shard TEXT NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    docs INTEGER NOT NULL,
    PRIMARY KEY (shard, name)
)
"""

SKIPPED = """
CREATE TABLE skipped (
    path TEXT NOT NULL,
    inside TEXT NOT NULL,
    host TEXT NOT NULL,
    stamp TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (path, inside)
)
"""

# Passages that a damaged pack lost, of sources that are gone.
LOST = "CREATE TABLE lost (source INTEGER NOT NULL, shard TEXT NOT NULL, passages INTEGER NOT NULL)"

# What could not be read of a source: as JSON how much of each kind, see `History.skipped`.
DAMAGE = "CREATE TABLE damage (source INTEGER PRIMARY KEY, kinds TEXT NOT NULL)"

FIRST: Migration = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    STATE,
    f"INSERT INTO state VALUES (CAST(strftime('%s', 'now') AS INTEGER), 0, {INDEX_VERSION}, 1, 1)",
    SOURCES,
    "CREATE INDEX sources_path ON sources (path)",
    "CREATE INDEX sources_session ON sources (session)",
    "CREATE INDEX sources_named ON sources (named)",
    "CREATE INDEX sources_changed ON sources (changed)",
    TOOLS,
    FRAMES,
    "CREATE INDEX frames_source ON frames (source, first)",
    PACKS,
    SEGMENTS,
    SKIPPED,
    LOST,
)

SECOND: Migration = (DAMAGE,)

MIGRATIONS: Sequence[Migration] = (FIRST, SECOND)
