"""Settings: strict, merged deeply, and a mistake in them costs only itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.settings import Settings, keep, load, resolved, to_keys
from prune_mcp.pruning.options import ChainOptions, PruneOptions
from prune_mcp.storage.home import Home

pytestmark = pytest.mark.requirement("SRV-CONFIG")


@pytest.fixture
def place(tmp_path: Path) -> Home:
    home = Home(data=tmp_path / "data", cache=tmp_path / "cache", config=tmp_path / "config")
    home.config.mkdir()
    return home


def configure(home: Home, text: str) -> Path:
    file = home.config / "config.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_any_source_the_defaults_hold(place: Home) -> None:
    assert load({"PATH": "/bin"}, place) == (Settings(), [])
    assert Settings().prune == PruneOptions()


def test_the_environment_goes_before_the_file_and_tables_merge_deeply(place: Home) -> None:
    configure(
        place, "keep_turns = 5\nspill_threshold = 10\n[chain_compression]\nrolling_window = 1\nenabled = true\n"
    )
    settings, wrong = load({"PRUNE_MCP_CHAIN_COMPRESSION__ENABLED": "false", "PRUNE_MCP_KEEP_TURNS": "7"}, place)
    assert wrong == []
    assert settings.prune.keep_turns == 7
    assert settings.prune.spill_threshold == 10
    assert settings.prune.chain_compression == ChainOptions(enabled=False, rolling_window=1)


def test_every_key_can_be_set_in_the_file(place: Home) -> None:
    configure(place, "\n".join(toml_lines(to_keys(Settings()))))
    assert load({}, place) == (Settings(), [])


def toml_lines(table: dict[str, Any], above: str = "") -> list[str]:
    """A table as TOML, its inner tables after its own keys."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for name, inner in table.items():
        if isinstance(inner, dict):
            lines += [f"[{above}{name}]", *toml_lines(inner, f"{above}{name}.")]
    return lines


def test_a_list_comes_from_the_environment_with_commas(place: Home) -> None:
    settings, wrong = load({"PRUNE_MCP_PROTECTED_TOOLS": "Read, TodoWrite,"}, place)
    assert (settings.prune.protected_tools, wrong) == (("Read", "TodoWrite"), [])


@pytest.mark.parametrize("value", ['["Read", "mcp__a,b"]', ' [ "Read","mcp__a,b" ] '])
def test_a_list_comes_from_the_environment_as_a_json_array(place: Home, value: str) -> None:
    settings, wrong = load({"PRUNE_MCP_PROTECTED_TOOLS": value}, place)
    assert (settings.prune.protected_tools, wrong) == (("Read", "mcp__a,b"), [])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("keep_turn = 4", "keep_turn is no setting; did you mean keep_turns?"),
        ("chain_compression.rolling_windw = 4", "did you mean chain_compression.rolling_window?"),
        ("zzz = 4", "zzz is no setting."),
        ('keep_turns = "4"', 'keep_turns must be a whole number of at least 0, it is "4"'),
        ("keep_turns = -1", "keep_turns must be a whole number of at least 0, it is -1"),
        ("keep_turns = true", "keep_turns must be a whole number of at least 0, it is true"),
        ("answer_chars = 10", "answer_chars must be a whole number of at least 1000, it is 10"),
        ('thinking = "drop"', "thinking must be one of 'keep', 'strip', 'ignore', it is \"drop\""),
        ("dedup_by_content_hash = 1", "dedup_by_content_hash must be true or false, it is 1"),
        ("protected_tools = [1]", "protected_tools must be a list of texts, it is [1]"),
        ("open_chain = 3", "open_chain must be a table, it is 3"),
        (
            "triggers.auto_budget_threshold = 80",
            "triggers.auto_budget_threshold must be a share from 0 (off) to 1, it is 80",
        ),
        (
            "triggers.budget_turn_delta = 1.0001",
            "triggers.budget_turn_delta must be a share from 0 (off) to 1, it is 1.0001",
        ),
        ("triggers.budget_turn_delta = -0.1", "must be a share from 0 (off) to 1, it is -0.1"),
        ("triggers.auto_budget_threshold = nan", "must be a share from 0 (off) to 1, it is NaN"),
        (
            "summaries.fallback.input_price = -1",
            "summaries.fallback.input_price must be a number of at least 0, it is -1",
        ),
        (
            "open_chain.min_tokens = 1979-05-27",
            'open_chain.min_tokens must be a whole number of at least 0, it is "1979',
        ),
    ],
)
def test_a_wrong_key_of_the_file_is_named_and_the_others_count(place: Home, line: str, told: str) -> None:
    file = configure(place, f"min_batch_chars = 77\n{line}\n")
    settings, wrong = load({}, place)
    assert len(wrong) == 1
    assert told in wrong[0]
    assert str(file) in wrong[0]
    assert settings == Settings(prune=PruneOptions(min_batch_chars=77))


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PRUNE_MCP_KEEP_TURN", "4", "PRUNE_MCP_KEEP_TURN is no setting; did you mean PRUNE_MCP_KEEP_TURNS?"),
        (
            "PRUNE_MCP_KEEP_TURNS",
            "many",
            'PRUNE_MCP_KEEP_TURNS must be a whole number of at least 0, it is "many"',
        ),
        ("PRUNE_MCP_PROTECTED_TOOLS", '["Bash', "PRUNE_MCP_PROTECTED_TOOLS must be a list of texts, it is"),
        ("PRUNE_MCP_PROTECTED_TOOLS", "[1]", "PRUNE_MCP_PROTECTED_TOOLS must be a list of texts, it is"),
        ("PRUNE_MCP_OPEN_CHAIN__ENABLED", "perhaps", "PRUNE_MCP_OPEN_CHAIN__ENABLED must be true or false"),
        ("PRUNE_MCP_OPEN_CHAIN", "{}", "PRUNE_MCP_OPEN_CHAIN is no setting"),
        (
            "PRUNE_MCP_TRIGGERS__AUTO_BUDGET_THRESHOLD",
            "73.5",
            'PRUNE_MCP_TRIGGERS__AUTO_BUDGET_THRESHOLD must be a share from 0 (off) to 1, it is "73.5"',
        ),
    ],
)
def test_a_wrong_variable_is_named_and_the_file_counts_below_it(
    place: Home, name: str, value: str, told: str
) -> None:
    configure(place, "keep_turns = 9\n[open_chain]\nenabled = false\n")
    settings, wrong = load({name: value, "PRUNE_MCP_HOME": "elsewhere"}, place)
    assert len(wrong) == 1
    assert told in wrong[0]
    assert settings.prune.keep_turns == 9
    assert settings.prune.open_chain.enabled is False


@pytest.mark.parametrize("share", ["0", "0.04", "1", "1.0"])
def test_a_share_is_anything_from_none_to_all(place: Home, share: str) -> None:
    configure(place, f"[triggers]\nauto_budget_threshold = {share}\n")
    settings, wrong = load({"PRUNE_MCP_TRIGGERS__BUDGET_TURN_DELTA": share}, place)
    assert wrong == []
    assert settings.triggers.auto_budget_threshold == settings.triggers.budget_turn_delta == float(share)


@pytest.mark.parametrize("content", [b"keep_turns = = 3", b"\xff\xfe", b"keep_turns = 1\nkeep_turns = 2\n"])
def test_an_unreadable_file_is_reported_and_left_as_it_is(place: Home, content: bytes) -> None:
    file = place.config / "config.toml"
    file.write_bytes(content)
    settings, wrong = load({"PRUNE_MCP_KEEP_TURNS": "4"}, place)
    assert len(wrong) == 1
    assert f"{file} cannot be read" in wrong[0]
    assert settings.prune.keep_turns == 4
    assert file.read_bytes() == content


def test_a_folder_in_place_of_the_file_is_reported(place: Home) -> None:
    (place.config / "config.toml").mkdir()
    settings, wrong = load({}, place)
    assert settings == Settings()
    assert ["cannot be read" in sentence for sentence in wrong] == [True]


def test_a_settings_folder_that_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    # A name that no system takes fails for everyone, while rights do not bind the superuser.
    home = Home(data=tmp_path, cache=tmp_path, config=tmp_path / ("x" * 1_000))
    settings, [told] = load({"PRUNE_MCP_KEEP_TURNS": "4"}, home)
    assert load({}, home)[1] == [told]
    assert settings.prune.keep_turns == 4
    assert "cannot be read (File name too long); nothing in it counts until you can read it" in told
    assert "Errno" not in told


def test_resolved_settings_stand_beside_the_store_and_change_only_when_they_do(place: Home) -> None:
    configure(place, "keep_turns = 5\n[purge_errors]\nenabled = false\n")
    settings, _ = load({"PRUNE_MCP_PROTECTED_TOOLS": "Read"}, place)
    assert keep(settings, place) == []
    assert not place.data.exists()
    place.data.mkdir()
    assert keep(settings, place) == []
    assert resolved(place) == settings
    before = (place.data / "settings.json").stat()
    keep(settings, place)
    assert (place.data / "settings.json").stat().st_ino == before.st_ino
    keep(load({}, place)[0], place)
    assert resolved(place).prune.protected_tools == ()
    assert [file.name for file in place.data.iterdir()] == ["settings.json"]


def test_resolved_settings_that_cannot_be_read_are_the_defaults(place: Home) -> None:
    assert resolved(place) == Settings()
    place.data.mkdir()
    (place.data / "settings.json").write_text('{"nonsense": 1}', encoding="utf-8")
    assert resolved(place) == Settings()
