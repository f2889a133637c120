"""The conformance scenarios that judge any server; the others want tools of fixed names, made for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.suite import NoNpm, Suite, install
from tests.server.http.cases import write_home
from tests.server.http.serving import Served, served

pytestmark = pytest.mark.requirement("SRV-ERAS", "SRV-HTTP")

BOTH = (
    "completion-complete",
    "dns-rebinding-protection",
    "prompts-list",
    "resources-list",
    "server-sse-multiple-streams",
    "tools-call-error",
    "tools-list",
)
SCENARIOS = {
    "2025-11-25": (*BOTH, "ping", "server-initialize", "server-session-lifecycle"),
    "2026-07-28": (
        *BOTH,
        "caching",
        "http-header-validation",
        "input-required-result-ignore-extra-params",
        "input-required-result-missing-input-response",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
        "sep-2164-resource-not-found",
        "server-stateless",
    ),
}
# Both call a tool that only servers made for the suite have.
NOT_OURS = {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}


@pytest.fixture(scope="module")
def suite() -> Suite:
    try:
        return install()
    except NoNpm:
        pytest.skip("there is no npm on this machine, which the conformance suite comes from")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("conformance") / "home"
    write_home(home)
    # What the suite sends to see it refused is told of in the log.
    with served(home, says=r"(.*\n)*") as server:
        yield server


@pytest.mark.parametrize(
    ("version", "scenario"), [(version, name) for version, names in SCENARIOS.items() for name in names]
)
def test_a_scenario_for_any_server_passes(
    suite: Suite, server: Served, tmp_path: Path, version: str, scenario: str
) -> None:
    checks = suite.run(f"{server.url}/mcp", scenario, version, tmp_path)
    failed = [
        f"{c['id']}: {c.get('errorMessage')}"
        for c in checks
        if c["status"] == "FAILURE" and c["id"] not in NOT_OURS
    ]
    assert failed == []
    assert [check for check in checks if check["status"] == "SUCCESS"]
