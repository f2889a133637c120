"""Where the model is and the key to it: what is missing is said in a sentence, and no key is ever told or kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from prune_mcp.engine.summaries.failure import NotSet
from prune_mcp.engine.summaries.key import SERVICE, key_for
from prune_mcp.engine.summaries.options import ModelOptions, SummaryOptions
from tests.summaries.conftest import DIGESTED, KEY, Pruner, causes, outcome, told
from tests.summaries.endpoint import Endpoint, fails
from tests.summaries.talks import three_calls

FAR = ModelOptions(base_url="https://models.example/v1", model="main", key_variable="MODELS_KEY")


class Shelf(KeyringBackend):
    """A keyring in memory."""

    priority = 1

    def __init__(self) -> None:
        self.keys: dict[tuple[str, str], str] = {}
        self.fails: Exception | None = None

    def get_password(self, service: str, username: str) -> str | None:
        if self.fails:
            raise self.fails
        return self.keys.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.keys[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.keys[service, username]


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    """The system's keyring while a test runs."""
    before = keyring.get_keyring()
    shelf = Shelf()
    keyring.set_keyring(shelf)
    yield shelf
    keyring.set_keyring(before)


@pytest.mark.requirement("PRU-SUMMARY")
def test_the_environment_has_the_key_before_the_keyring(shelf: Shelf) -> None:
    shelf.set_password(SERVICE, "models.example", "from-keyring")
    assert key_for(FAR, {"MODELS_KEY": " from-environment\n"}) == "from-environment"
    assert key_for(FAR, {}) == "from-keyring"


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_missing_key_is_asked_for_by_both_its_places(shelf: Shelf) -> None:
    with pytest.raises(NotSet, match=r"Set MODELS_KEY, or .*: `keyring set prune-mcp models\.example`\.$"):
        key_for(FAR, {})


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize(
    "failure", [KeyringLocked("not unlocked"), ValueError("odd"), EOFError("no bus"), ModuleNotFoundError("gone")]
)
def test_a_keyring_that_fails_in_any_way_is_said_to_and_no_prune_fails_by_it(
    make_pruner: Callable[..., Pruner], shelf: Shelf, failure: Exception
) -> None:
    shelf.fails = failure
    answer = make_pruner(endpoint=FAR).prune(three_calls().messages)
    assert f"could not be read ({type(failure).__name__}: {failure}). Digests stand" in told(answer, "settings")
    assert outcome(answer, DIGESTED)["outputs"] == 3
    assert key_for(ModelOptions("http://127.0.0.1:1234/v1", "m", "NO_SUCH"), {})
    assert key_for(FAR, {"MODELS_KEY": KEY}) == KEY


@pytest.mark.requirement("PRU-SUMMARY")
def test_without_the_keyring_package_there_is_just_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert key_for(FAR, {"MODELS_KEY": KEY}) == KEY
    with pytest.raises(NotSet):
        key_for(FAR, {})


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:11434", "[::1]:1234"])
def test_a_model_on_this_machine_needs_no_key(shelf: Shelf, host: str) -> None:
    assert key_for(ModelOptions(f"http://{host}/v1", "m", "NO_SUCH"), {})
    shelf.set_password(SERVICE, host, "its-own")
    assert key_for(ModelOptions(f"http://{host}/v1", "m", "NO_SUCH"), {}) == "its-own"


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (ModelOptions(model="m", base_url="nowhere"), "is no address of an endpoint"),
        (ModelOptions(model="m", base_url="ftp://models.example"), "is no address of an endpoint"),
        (ModelOptions(model="m", base_url="http://models.example:99999/v1"), "is no address of an endpoint"),
        (ModelOptions(model="m", base_url="https://me:hidden@models.example/v1"), "holds a password"),
        (ModelOptions(base_url="https://models.example/v1"), "no model of models.example is named"),
        (ModelOptions(), "no model of api.openai.com is named; set summaries.endpoint.model"),
        (ModelOptions(model="m", key_variable="UNFIT"), "cannot be a key"),
    ],
)
def test_settings_that_name_no_model_are_said_in_a_sentence_and_digests_stand(
    env: dict[str, str], make_pruner: Callable[..., Pruner], model: ModelOptions, sentence: str
) -> None:
    env["UNFIT"] = "schlüssel"
    answer = make_pruner(endpoint=model).prune(three_calls().messages)
    assert causes(answer) == ["settings"]
    assert sentence in told(answer, "settings")
    assert told(answer, "settings").endswith("Digests stand instead.")
    assert "hidden" not in str(answer)
    assert outcome(answer, DIGESTED)["outputs"] == 3


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_missing_extra_is_named(pruner: Pruner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    answer = pruner.prune(three_calls().messages)
    assert "pip install 'prune-mcp[llm]'" in told(answer, "settings")
    assert outcome(answer, DIGESTED)["outputs"] == 3


@pytest.mark.requirement("PRU-SUMMARY")
def test_no_key_is_told_or_kept(
    pruner: Pruner, endpoint: Endpoint, env: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    endpoint.behave = fails(400, f"do not use {KEY} here")
    answer = pruner.prune(three_calls().messages)
    assert "do not use [key] here" in told(answer, "refused")
    pruner.store.close()
    kept = b"".join(file.read_bytes() for file in Path(env["PRUNE_MCP_HOME"]).rglob("*") if file.is_file())
    assert KEY.encode() not in kept
    assert KEY not in "".join(capfd.readouterr())
    assert KEY not in repr(pruner.models)


@pytest.mark.requirement("PRU-SUMMARY")
def test_what_a_fallback_leaves_empty_is_as_in_the_endpoint() -> None:
    options = SummaryOptions(endpoint=FAR, fallback=ModelOptions(model="spare"))
    assert options.second == ModelOptions(FAR.base_url, "spare", FAR.key_variable)
    assert SummaryOptions(endpoint=FAR).second is None
    assert SummaryOptions(endpoint=FAR, fallback=ModelOptions(model="main")).second is None
    assert SummaryOptions().primary.base_url == "https://api.openai.com/v1"
    assert SummaryOptions().primary.key_variable == "OPENAI_API_KEY"
