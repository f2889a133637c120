"""Sessions of hosts that move, compress, rewrite and share their files are one source each, and stay it."""

from __future__ import annotations

import pytest

from tests.search.indexing.machine import Machine, all_rows, assert_complete, by_index, rest
from tests.sessions.codex.writing import SESSION, Rollout, rollout_path
from tests.sessions.gemini.writing import GeminiFile, asks, says
from tests.sessions.opencode import writing as opencode


@pytest.mark.requirement("HIS-GONE", "HIS-FRESH")
def test_a_rollout_that_is_archived_and_compressed_stays_one_source(machine: Machine) -> None:
    rollout = Rollout(rollout_path(machine.user / ".codex"))
    for number in range(5):
        rollout.exchange(f"question {number}", f"answer {number}", calls=2, size=500)
    rest(rollout.path)
    machine.update()
    rows = len(all_rows(machine.index.view()))
    archived = machine.user / ".codex" / "archived_sessions" / rollout.path.name
    archived.parent.mkdir()
    rollout.path = rollout.path.rename(archived)
    machine.update()
    assert_complete(machine.index, machine.files())
    packed = rollout.packed()
    rest(packed)
    machine.update()
    assert_complete(machine.index, machine.files())
    assert [source.path for source in machine.index.view().sources.values()] == [str(packed)]
    assert machine.index.view().sources[1].session == SESSION
    assert len(all_rows(machine.index.view())) == rows


@pytest.mark.requirement("HIS-FRESH")
def test_a_document_that_is_written_anew_with_more_in_it_costs_only_that(machine: Machine) -> None:
    messages = [asks(1, "first question"), says(2, "first answer")]
    chat = GeminiFile(machine.user, ending="json")
    for number in range(3, 9, 2):
        rest(chat.whole(messages))
        machine.update()
        assert_complete(machine.index, machine.files())
        messages += [asks(number, f"question {number}"), says(number + 1, f"answer {number}")]
    assert list(machine.index.view().sources) == [1]
    rows = len(all_rows(machine.index.view()))
    rest(chat.whole(messages[:2]))
    machine.update()
    assert_complete(machine.index, machine.files())
    assert list(machine.index.view().sources) == [2]
    assert len(all_rows(machine.index.view())) > rows


@pytest.mark.requirement("HIS-GONE", "HIS-FRESH")
def test_sessions_in_one_database_are_sources_of_their_own(machine: Machine) -> None:
    database = opencode.Database(machine.user)
    for number in range(1, 4):
        asked, said = opencode.asks(10 * number, f"question {number}"), opencode.says(10 * number + 1, "yes")
        database.session(f"ses_{number}", asked, said)
    machine.update()
    assert_complete(machine.index, machine.files())
    assert len(machine.index.view().sources) == 3
    path = str(database.path)
    database.add(opencode.asks(40, "and then?"), "ses_1")
    database.connection.execute("UPDATE session SET time_updated = time_updated + 5000 WHERE id = 'ses_1'")
    assert [one.file.inside for one in machine.index.pending(machine.files())] == ["ses_1"]
    database.connection.execute("DELETE FROM session WHERE id = 'ses_2'")
    machine.update()
    gone = {source.inside: source.gone for source in machine.index.view().sources.values()}
    assert gone == {"ses_1": False, "ses_2": True, "ses_3": False}
    known = by_index(machine.index, machine.files())
    assert [told.text for told in known[path, "ses_2"]] == ["Find the file", "question 2", "yes"]
    database.close()
