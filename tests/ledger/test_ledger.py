"""The ledger: charged once however often one prunes, taken back by recoveries, and true for stores of old."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from prune_mcp.engine import Engine, EngineError
from prune_mcp.engine.ledger import Ledger, ledger
from prune_mcp.engine.prune.document import Segment, write_document
from prune_mcp.engine.recovery.fence import shape
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.engine.stats import stats
from prune_mcp.pruning.options import ChainOptions, ErrorOptions
from prune_mcp.storage.home import home
from prune_mcp.storage.records import ChainBlock, ModelUsage, Output, SessionRecord
from prune_mcp.storage.sqlite import open_store
from tests.ledger.counting import IMAGE, tokens, weight
from tests.pruning.build import Talk, call, log

pytestmark = pytest.mark.requirement("SRV-STORE")

Make = Callable[..., Engine]
OLD = Path(__file__).parent.parent / "storage" / "version_1"


def story() -> Talk:
    """Eight finished exchanges, one of them failed with long arguments, and one that goes on."""
    talk = Talk()
    for number in range(8):
        talk.prompt(f"part {number}")
        talk.turn(call("Read", log(60, f"module_{number}"), file_path=f"module_{number}.py"))
        talk.turn(call("Bash", "Error: no\n" + log(9), error=number == 6, command="make " + "all " * 200))
        talk.answer(f"done {number}", thinking="hm " * 50)
    return talk.prompt("go on").turns(5)


def test_pruning_twice_charges_once_and_trying_charges_nothing(make_engine: Make) -> None:
    engine = make_engine()
    messages = story().messages
    engine.prune_messages(messages, session="s", dry_run=True)
    assert ledger(engine.store, "s") == Ledger()
    answer = engine.prune_messages(messages, session="s")
    told = ledger(engine.store, "s")
    assert told.left_out - told.spent == answer.tokens_before - answer.tokens_after > 5000
    assert min(told.stubs, told.blocks) > 0
    for _ in range(3):
        engine.prune_messages(messages, session="s")
    assert ledger(make_engine().store, "s") == told


def test_what_a_store_of_version_1_saved_is_what_version_1_measured(env: dict[str, str]) -> None:
    place = home(env)
    shutil.copytree(OLD, place.data)
    store = open_store(place)
    # Version 1 took four bytes for a token instead of 3.2.
    told = ledger(store, "first")
    assert told.left_out - told.spent == pytest.approx((39_090 - 1_407) * 4 / 3.2, rel=0.001)
    told = ledger(store, "second \udfff")
    assert told.left_out - told.spent == pytest.approx((952 - 71) * 4 / 3.2, rel=0.001)
    store.close()


def test_the_engine_tells_of_one_session_or_of_all_by_its_own_settings(make_engine: Make) -> None:
    engine = make_engine(purge_errors=ErrorOptions(enabled=False), chain_compression=ChainOptions(enabled=False))
    for name in ("first-one", "second-one"):
        engine.prune_messages(story().messages, session=name)
    [one] = engine.stats("first").sessions
    told = engine.stats()
    assert (one.session, one.prunes) == ("first-one", 1)
    assert one.ledger == ledger(engine.store, "first-one", ErrorOptions(enabled=False))
    assert {each.session for each in told.sessions} == {"first-one", "second-one"}
    assert told.total.net == 2 * one.ledger.net > 0
    assert (told.space.quota, told.space.total > 0) == (engine.settings.quota_bytes, True)
    with pytest.raises(EngineError, match="third"):
        engine.stats("third")


def test_arguments_count_as_the_settings_show_them(make_engine: Make) -> None:
    engine = make_engine(chain_compression=ChainOptions(enabled=False))
    messages = story().messages
    answer = engine.prune_messages(messages, session="s")
    told = ledger(engine.store, "s")
    assert told.left_out - told.spent == answer.tokens_before - answer.tokens_after
    whole = ledger(engine.store, "s", ErrorOptions(enabled=False))
    assert 100 < told.left_out - whole.left_out < 300


def test_each_recovery_is_charged_with_what_its_answer_shows(make_engine: Make) -> None:
    engine = make_engine()
    engine.prune_messages(story().messages, session="s")
    before = ledger(engine.store, "s")
    answers = [
        engine.recover(["t1"], session="s"),
        engine.recover(["t1"], session="s", offset=10, limit=500),
        engine.recover(["b1"], session="s"),
    ]
    told = ledger(engine.store, "s")
    assert (told.recoveries, told.left_out, told.spent) == (3, before.left_out, before.spent)
    shown = [shape(answer).split("\n\n")[0] for answer in answers]
    assert told.recovered == sum(map(tokens, shown))
    assert told.net == before.net - told.recovered


def test_items_of_several_sessions_are_charged_to_each(make_engine: Make) -> None:
    engine = make_engine()
    for name in ("one-of-two", "two-of-two"):
        engine.prune_messages(story().messages, session=name)
    engine.recover(["t1@one-of-two", "t2@two-of-two", "t3@two-of-two"])
    counts = [ledger(engine.store, name).recoveries for name in ("one-of-two", "two-of-two")]
    assert counts == [1, 2]


def test_images_that_come_back_cost_what_images_cost(make_engine: Make) -> None:
    engine = make_engine()
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    talk = Talk().prompt("look").turn(call("Shot", [picture, {"type": "text", "text": "a window"}])).turns(4)
    engine.prune_messages(talk.messages, session="s")
    engine.recover(["t1"], session="s")
    assert IMAGE < ledger(engine.store, "s").recovered < IMAGE + 100


def test_what_goes_into_no_context_is_not_charged(make_engine: Make) -> None:
    engine = make_engine()
    engine.prune_messages(story().messages, session="s")
    recover(engine.store, ["t1"], charged=False)
    assert ledger(engine.store, "s").recoveries == 0


def test_a_recovery_comes_whole_while_another_process_writes_and_says_that_it_is_not_counted(
    make_engine: Make, env: dict[str, str]
) -> None:
    engine = make_engine()
    engine.prune_messages(story().messages, session="s")
    writer = sqlite3.connect(home(env).data / "store.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    answer = engine.recover(["t1"], session="s")
    assert answer.items[0].text == log(60, "module_0")
    assert answer.notes == ["this recovery is not counted in the ledger: the store cannot be written now"]
    writer.execute("ROLLBACK")
    writer.close()
    assert ledger(engine.store, "s").recoveries == 0
    assert engine.recover(["t1"], session="s").notes == []
    assert ledger(engine.store, "s").recoveries == 1


def test_what_a_block_took_in_from_another_counts_once(make_engine: Make) -> None:
    store = make_engine().store
    said = [Segment("assistant", f"e{number}", text="word " * 100) for number in range(3)]
    with store.write() as writer:
        writer.session(SessionRecord("s"))
        inner = ChainBlock(0, "chain", "a", "b", "inner " * 10, writer.body(write_document(said[:2])))
        writer.block("s", inner)
        outer = ChainBlock(0, "open", "a", "c", "outer " * 10, writer.body(write_document(said)), blocks=[1])
        writer.block("s", outer)
    told = ledger(store, "s")
    assert told.left_out == 3 * tokens("word " * 100)
    assert told.blocks == tokens("outer " * 10)


def test_a_damaged_document_is_told_as_uncounted(make_engine: Make, env: dict[str, str]) -> None:
    store = make_engine().store
    with store.write() as writer:
        writer.session(SessionRecord("s"))
        writer.block("s", ChainBlock(0, "chain", "a", "b", "text", writer.body(write_document([]))))
    connection = sqlite3.connect(home(env).data / "store.db")
    connection.execute("UPDATE bodies SET data = x'00'")
    connection.commit()
    connection.close()
    assert (ledger(store, "s").uncounted, ledger(store, "s").left_out) == (1, 0)


def test_what_was_saved_is_told_as_before_once_the_documents_are_given_up(make_engine: Make) -> None:
    engine = make_engine(purge_errors=ErrorOptions(enabled=False))
    engine.prune_messages(story().messages, session="s")
    told, saved = ledger(engine.store, "s"), engine.tree("s").saved
    assert engine.store.blocks("s")
    kept = {body.sha for bodies in engine.store.care.latest().values() for body in bodies}
    assert engine.store.care.release(["s"], kept) > 0
    assert ledger(engine.store, "s") == told
    assert engine.tree("s").saved == saved == told.left_out - told.spent


def test_a_summary_is_told_apart_from_a_digest(make_engine: Make) -> None:
    store = make_engine().store
    with store.write() as writer:
        writer.session(SessionRecord("s"))
        (output,) = writer.archive("s", [(Output(0, "c", "e", "", size=4000), b"x" * 4000)])
        stub = "[pruned t1: Bash | 4000 chars]\n- the model's own words"
        writer.decide("s", [Output(output.ref, "", "", "", state="summary", stub=stub)])
    told = ledger(store, "s")
    assert (told.left_out, told.digests) == (1250, 0)
    assert told.stubs == tokens(stub.split("\n")[0])
    assert told.summaries == tokens(stub) - told.stubs


def test_stats_list_the_newest_first_and_sum_models_by_name(make_engine: Make, env: dict[str, str]) -> None:
    engine = make_engine()
    for name in ("older", "newer"):
        messages = story().prompt(name).messages
        engine.prune_messages(messages, session=name)
        with engine.store.write() as writer:
            writer.charge_model(name, ModelUsage("small", 2, 300, 40, 0.5))
    told = stats(engine.store, home(env))
    assert [each.session for each in told.sessions] == ["newer", "older"]
    assert told.total.usage == {"small": ModelUsage("small", 4, 600, 80, 1.0)}
    assert told.total.net == sum(each.ledger.net for each in told.sessions) > 0
    assert [each.session for each in stats(engine.store, home(env), "old").sessions] == ["older"]
    with pytest.raises(EngineError, match="no session 'third'"):
        stats(engine.store, home(env), "third")


def test_a_home_without_a_store_has_empty_stats_and_gets_no_store(env: dict[str, str]) -> None:
    place = home(env)
    told = stats(open_store(place), place)
    assert (told.sessions, told.total, told.space.total) == ([], Ledger(), 0)
    assert not place.data.exists()


def test_the_tests_own_count_weighs_as_the_product_does(make_engine: Make) -> None:
    messages = story().messages
    assert make_engine().prune_messages(messages, session="s").tokens_before == weight(messages)
