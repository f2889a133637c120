"""The load over HTTP, small: clients of each transport at once, no error, and nothing that is left open."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from home import write_home
from http_load import put
from http_server import http_server
from queries import queries
from running import OURS, environment, run

CLIENTS = 8
SECONDS = 2.0


@pytest.mark.requirement("SRV-HTTP")
@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is told by /proc")
def test_several_clients_at_once_see_no_error_and_leave_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRUNE_MCP_BENCHMARK_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "home"
    write_home(home, 2)
    env = environment(home, tmp_path / "state")
    run((*OURS, "index"), env)
    asked = queries(home)
    with http_server(env) as server:
        outcomes = [put(server, asked, CLIENTS, SECONDS) for _ in range(3)]
        said = server.said
    assert [outcome.load.errors for outcome in outcomes] == [[], [], []]
    assert said == []
    assert all(len(outcome.load.latencies["prune_context"]) >= CLIENTS for outcome in outcomes)
    first, last = outcomes[0].after, outcomes[-1].after
    assert last.files <= first.files
    # Threads come as they are needed, up to a number that does not depend on how many connections there were.
    assert last.threads - first.threads < CLIENTS
