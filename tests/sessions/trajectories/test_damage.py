"""Damaged trajectories: whatever stands in whatever place costs no more than the message it stands in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.exports.bring import import_export
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.damage import places
from tests.sessions.trajectories.build import acts, history, message, native, observed, passages, run, save, thinks

pytestmark = pytest.mark.requirement("SES-TRAJ")


def everything(agent: str) -> dict[str, Any]:
    """A trajectory with every kind of message, each with a needle of its own."""
    if agent == "swe-agent":
        return history(
            message("user", "needle-10", is_demo=True),
            thinks("needle-11", "open needle-12"),
            message("user", "needle-13"),
            native(("c1", "needle-14"), text="needle-15")
            | {"thinking_blocks": [{"type": "thinking", "thinking": "t"}]},
            message("tool", "needle-16", tool_call_ids=["c1"]),
        )
    answer = {
        "output": [{"type": "function_call", "call_id": "r", "name": "bash", "arguments": '{"c": "needle-7"}'}]
    }
    return run(
        acts(
            "needle-1", extra={"response": {"created": 1.5, "choices": [{"message": {"reasoning": "needle-2"}}]}}
        ),
        observed("needle-3", 1),
        native(("c1", "needle-4"), text="needle-5"),
        message("tool", "needle-6", tool_call_id="c1", extra={"returncode": 0, "timestamp": 1.5}),
        answer | {"object": "response"},
        {"type": "function_call_output", "call_id": "r", "output": "needle-8"},
        message("exit", "needle-9"),
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.parametrize("agent", ["mini-swe-agent", "swe-agent"])
@given(value=json_values, data=st.data())
def test_any_value_in_any_place_of_a_message_spares_the_others(
    tmp_path_factory: pytest.TempPathFactory, agent: str, value: Any, data: st.DataObject
) -> None:
    trajectory = everything(agent)
    messages = trajectory["history" if agent == "swe-agent" else "messages"]
    at = data.draw(st.integers(0, len(messages) - 1))
    others = re.findall(r"needle-\d+", json.dumps([m for m in messages if m is not messages[at]]))
    holder, key = data.draw(st.sampled_from(list(places(messages[at]))))
    holder[key] = value
    path = save(
        tmp_path_factory.mktemp("fuzz"), trajectory, "run.traj" if agent == "swe-agent" else "run.traj.json"
    )
    session = open_transcript(path)
    owners = {block.place.entry for m in session.messages for block in m.blocks}
    rendered = list(session.render(View()))
    assert all(session.raw(entry) in rendered for entry in owners)
    words = "\n".join(passage.text for passage in passages(path))
    assert [word for word in others if word not in words] == []


@pytest.mark.parametrize("agent", ["mini-swe-agent", "swe-agent"])
@given(data=st.data())
def test_a_file_cut_off_anywhere_gives_what_stands_before(
    tmp_path_factory: pytest.TempPathFactory, agent: str, data: st.DataObject
) -> None:
    whole = json.dumps(everything(agent)).encode()
    cut = data.draw(st.integers(1, len(whole) - 1))
    path = save(
        tmp_path_factory.mktemp("cut"), whole[:cut], "run.traj" if agent == "swe-agent" else "run.traj.json"
    )
    try:
        session = open_transcript(path)
    except SessionError:
        # So little is there that nothing tells whose it is.
        assert cut < 200
        return
    stands = re.findall(rb"needle-\d+(?=[^}]*\}, \{)", whole[:cut])
    words = "\n".join(passage.text for passage in passages(path))
    assert [word for word in stands if word.decode() not in words] == []
    assert session.skipped["torn"] == 1


def test_a_trajectory_cut_off_is_imported_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = json.dumps(everything("mini-swe-agent")).encode()
    path = save(tmp_path, whole[:-300], "org__repo-17.traj.json")
    report = import_export(path, tmp_path / "imports")
    assert (report.added, report.bad) == (1, [])
    assert report.flawed[0].why == "is cut off by the end of the file; what stands before is kept"
    path.write_bytes(whole)
    assert import_export(path, tmp_path / "imports").updated == 1
    path.write_bytes(whole[:-300])
    assert import_export(path, tmp_path / "imports").unchanged == 1
