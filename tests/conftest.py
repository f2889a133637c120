"""What all tests share: a home and a store, the recorded sessions, and a record of which promises are proven."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from prune_mcp.engine import Engine, Settings
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.storage.home import Home
from prune_mcp.storage.home import home as home_of
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "local"))

HOST_VARIABLES = (
    *("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR"),
    *(
        "CODEX_THREAD_ID",
        "CODEX_SANDBOX",
        "CURSOR_TRANSCRIPT_PATH",
        "CURSOR_PROJECT_DIR",
        "GEMINI_CLI",
        "OPENCODE",
    ),
    *("GEMINI_CLI_HOME", "OPENCODE_DB", "XDG_DATA_HOME"),
    *("PI_CODING_AGENT", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"),
)
# Shells start what runs in their background with Ctrl-C ignored, which processes that tests start would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
PROVEN = pytest.StashKey[dict[str, list[str]]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Record which tests name which requirement, before any of them is deselected."""
    proven: dict[str, list[str]] = defaultdict(list)
    for item in items:
        for mark in item.iter_markers("requirement"):
            for id in mark.args or ("",):
                proven[id].append(item.nodeid)
    config.stash[PROVEN] = proven


@pytest.fixture
def proven(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """The collected tests by the requirement they name; a marker without an id stands under ""."""
    return request.config.stash[PROVEN]


@pytest.fixture
def whole_suite(request: pytest.FixtureRequest) -> bool:
    """Whether this run collected every test, even where it then deselects some."""
    told: dict[str, bool] | None = getattr(request.config, "workerinput", None)
    return _whole(request.config) if told is None else told["whole_suite"]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of a run in parallel what its own command line does not."""
    node.workerinput["whole_suite"] = _whole(node.config)


def _whole(config: pytest.Config) -> bool:
    return config.args_source is not pytest.Config.ArgsSource.ARGS and not config.getoption("lf")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio: aiofiles and uvicorn know nothing else."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def no_real_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing a test does may reach the data of whoever runs it, or depend on the host it runs in."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("PRUNE_MCP_HOME", str(home / "prune-mcp"))
        for name in HOST_VARIABLES:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch home folder, the user's home for this test; `PRUNE_MCP_HOME` is its folder `prune-mcp`."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("PRUNE_MCP_HOME", str(folder / "prune-mcp"))
    return folder


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """The environment of an engine on a scratch store."""
    return {"PRUNE_MCP_HOME": str(tmp_path / "prune"), "HOME": str(tmp_path / "user")}


@pytest.fixture
def make_engine(env: dict[str, str]) -> Iterator[Callable[..., Engine]]:
    """Engines on one store, as after a restart; `options` are fields of PruneOptions."""
    made: list[Engine] = []

    def make(**options: Any) -> Engine:
        made.append(Engine(env, settings=Settings(prune=PruneOptions(**options))))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """A home that does not exist yet."""
    return home_of({"PRUNE_MCP_HOME": str(tmp_path / "home")})


@pytest.fixture
def store(place: Home) -> Iterator[Store]:
    """The store of that home."""
    store = open_store(place)
    yield store
    store.close()


@pytest.fixture(scope="session")
def shared_sessions() -> Path:
    """The folder of recorded sessions: `home` is laid out like a home folder, `messages` holds arrays."""
    folder = os.environ.get("PRUNE_MCP_TEST_SESSIONS")
    if not folder:
        pytest.skip("PRUNE_MCP_TEST_SESSIONS names no folder of recorded sessions")
    return Path(folder)
