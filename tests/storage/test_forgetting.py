"""A session that is forgotten leaves no byte in the store, and takes nothing from others."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, ModelUsage, Output, Recoveries, SessionRecord
from prune_mcp.storage.sqlite import open_store
from tests.storage.connections import every_connection
from tests.storage.examples import archive, everything_in, records_of

pytestmark = pytest.mark.requirement("SRV-STORE")

MINE, THEIRS, FORK = "mine", "theirs", "fork"
SECRET = random.Random(7).randbytes(24).hex()
# Bodies of such bytes are kept as they are: no compression hides them.
BYTES = random.Random(8).randbytes(40)
PROGRAM = ("-m", "tests.storage.forgetting_process")
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def careless() -> Iterator[None]:
    """What is deleted is left in its pages, as SQLite does where it was not built otherwise."""
    with every_connection(lambda connection: connection.execute("PRAGMA secure_delete = OFF")):
        yield


def secret(mark: str) -> str:
    """A text that holds the secret."""
    return f"{SECRET} {mark}"


def body(session: str, mark: str, size: int = 400) -> bytes:
    """A body of about so many bytes; it holds the secret if it is of the session to be forgotten."""
    return (BYTES if session == MINE else b"theirs") + random.Random(session + mark).randbytes(size)


def fill(store: Store) -> None:
    """Two sessions with every kind of record, and bodies they share; a fork of the first, without the secret."""
    with store.write() as writer:
        for session in (MINE, THEIRS):
            own = secret if session == MINE else str
            writer.session(SessionRecord(session, title=own("title"), cwd="/work", path="/gone.jsonl"))
            bodies = [b"shared", b"shared large" * 9000, body(session, "small"), body(session, "large", 90_000)]
            drafts = [(Output(0, f"call-{n}", "entry", ""), data) for n, data in enumerate(bodies)]
            outputs = writer.archive(session, drafts)
            for n in range(30):
                # Each replaces the one before it: the old ones are in nothing but pages that were let go.
                writer.facet(session, 1, "args", body(session, f"args {n}", 900))
            document = writer.body(body(session, "document"))
            writer.block(session, ChainBlock(0, "chain", own("start"), "", own("block"), document, [1, 2]))
            writer.flush(session, Flush(0, note=own("note")))
            decided = [Output(o.ref, "", "", "", state="stub", stub=own(f"stub {o.ref}")) for o in outputs]
            writer.decide(session, decided)
            writer.diagnose(session, [Diagnostic("kind", own("key"), own("detail"))])
            writer.charge_recovery(session, Recoveries(1, 10))
            writer.charge_model(session, ModelUsage(own("model")))
    with store.write() as writer:
        writer.session(SessionRecord(FORK, title="a fork"))
        writer.inherit(FORK, MINE, [1, 2])
        writer.decide(FORK, [Output(ref, "", "", "", state="stub", stub=f"stub {ref}") for ref in (1, 2)])
        writer.facet(FORK, 1, "args", b"own arguments")


def found(place: Home) -> list[str]:
    """The files below the home that hold the secret."""
    files = [path for path in place.data.parent.rglob("*") if path.is_file()]
    contents = {path.name: path.read_bytes() for path in files}
    return [name for name, data in contents.items() if SECRET.encode() in data or BYTES in data]


def told_of(store: Store, session: str) -> tuple[object, ...]:
    """All that the store tells of a session, bodies included."""
    bodies = {output.sha: store.body(output.sha) for output in store.outputs(session)}
    facets = {sha: store.body(sha) for sha in store.facets(session).values()}
    flows = store.recoveries(session), store.model_usage(session)
    return store.session(session), *records_of(store, session), bodies, facets, flows


def test_no_byte_of_a_forgotten_session_is_left_and_others_keep_all_of_theirs(store: Store, place: Home) -> None:
    fill(store)
    assert {name.partition("-")[0][:8] for name in found(place)} > {"store.db"}
    theirs, fork = told_of(store, THEIRS), told_of(store, FORK)
    # As a killed writer leaves it.
    (place.data / "bodies" / "unfinished" / "tmp1").write_bytes(BYTES)
    forgotten = store.care.forget([MINE])
    assert forgotten.sessions == 1
    # Facets that were replaced are named by nothing, so those of others go as well.
    assert forgotten.bodies == 4 + 2 * 29
    assert forgotten.bytes > 90_000
    assert found(place) == []
    assert store.session(MINE) is None
    assert (store.outputs(MINE), store.blocks(MINE), store.facets(MINE)) == ([], [], {})
    assert told_of(store, THEIRS) == theirs
    record = store.session(FORK)
    assert record is not None
    assert (record.parent, told_of(store, FORK)[1:]) == ("", fork[1:])
    assert list(store.care.faults()) == []
    assert not store.care.cut_short
    assert not (place.data / "forgetting").exists()


def test_the_last_session_is_forgotten_with_the_bodies_that_were_shared(store: Store, place: Home) -> None:
    fill(store)
    store.care.forget([MINE, THEIRS, FORK, "nobody"])
    assert everything_in(store) == {}
    assert [
        path.name for path in place.data.rglob("*") if path.is_file() and not path.name.startswith("store")
    ] == ["owner"]
    archive(store, "begins anew", session=MINE)
    assert [output.ref for output in store.outputs(MINE)] == [1]


def test_one_who_has_the_store_open_sees_the_session_go_and_can_begin_it_anew(store: Store, place: Home) -> None:
    fill(store)
    beside = open_store(place)
    assert beside.session(MINE)
    version = beside.version()
    store.care.forget([MINE])
    assert beside.version() != version
    assert beside.session(MINE) is None
    assert [output.ref for output in archive(beside, "new", session=MINE)] == [1]
    beside.close()


def knows(place: Home, session: str) -> bool:
    """Whether the store of a home knows a session."""
    store = open_store(place)
    known = store.session(session) is not None
    store.close()
    return known


def run(place: Home, act: str, dies_at: int) -> bool:
    """Act in a process of its own that dies at its n-th step that the system sees; whether it lived to the end."""
    command = [sys.executable, *PROGRAM, str(place.data.parent), act, str(dies_at)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 9), done.stderr
    return done.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows names other steps")
@pytest.mark.parametrize("act", ["forget", "collect", "release", "tidy"])
def test_killed_at_any_step_it_leaves_a_whole_store_and_goes_on_when_done_again(place: Home, act: str) -> None:
    store = open_store(place)
    fill(store)
    with store.write() as writer:
        writer.body(b"small litter")
        writer.body(body(MINE, "litter", 90_000))
    theirs = told_of(store, THEIRS)
    store.close()
    steps = 0
    while not run(place, act, steps):
        steps += 1
        store = open_store(place)
        assert told_of(store, THEIRS) == theirs
        assert list(store.care.faults()) == []
        store.close()
    assert steps > 2
    store = open_store(place)
    if act == "forget":
        assert not store.care.cut_short
        assert told_of(store, THEIRS) == theirs
        store.care.collect()
        store.care.tidy()
        assert found(place) == []
    assert list(store.care.faults()) == []
    store.close()


def test_a_forgetting_that_was_cut_short_is_known_and_brought_to_its_end(place: Home) -> None:
    store = open_store(place)
    fill(store)
    store.close()
    steps = 0
    while knows(place, MINE):
        assert not run(place, "forget", steps)
        steps += 1
    assert found(place) != []
    store = open_store(place)
    assert store.care.cut_short
    store.care.resume()
    assert not store.care.cut_short
    assert found(place) == []
    store.close()
