"""`config` shows each setting with its value and what set it, and what is wrong, with exit code 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.configuration import configuration, line_of
from prune_mcp.engine.settings import FILE
from prune_mcp.storage.home import Home
from tests.care.conftest import Shell

pytestmark = pytest.mark.requirement("SRV-CONFIG")


def configure(shell: Shell, text: str) -> Path:
    shell.place.config.mkdir(parents=True, exist_ok=True)
    file = shell.place.config / FILE
    file.write_text(text, encoding="utf-8")
    return file


def by_key(told: Any) -> dict[str, tuple[Any, str, str]]:
    return {each["key"]: (each["value"], each["source"], each["where"]) for each in told["settings"]}


def test_without_any_source_every_key_has_its_default(shell: Shell) -> None:
    told = shell.json("config")
    assert (told["wrong"], told["file"]) == ([], str(shell.place.config / FILE))
    assert {source for _, source, _ in by_key(told).values()} == {"default"}
    assert by_key(told)["quota_bytes"] == (5_000_000_000, "default", "")
    assert by_key(told)["chain_compression.rolling_window"] == (3, "default", "")
    assert "not there: all defaults" in shell.spawn("config").stdout
    assert not shell.place.data.exists()


def test_each_value_is_told_with_the_variable_or_the_line_that_set_it(shell: Shell) -> None:
    file = configure(
        shell, "# mine\nkeep_turns = 5\nspill_threshold = 10\n\n[purge_errors]  # of old calls\nenabled = false\n"
    )
    told = by_key(shell.json("config", PRUNE_MCP_KEEP_TURNS="7", PRUNE_MCP_CHAIN_COMPRESSION__ENABLED="false"))
    assert told["keep_turns"] == (7, "environment", "PRUNE_MCP_KEEP_TURNS")
    assert told["chain_compression.enabled"] == (False, "environment", "PRUNE_MCP_CHAIN_COMPRESSION__ENABLED")
    assert told["spill_threshold"] == (10, "file", f"{file}:3")
    assert told["purge_errors.enabled"] == (False, "file", f"{file}:6")
    assert told["purge_errors.cooldown_turns"] == (2, "default", "")
    assert f"{file}:6" in shell.run("config").stdout


def test_what_is_wrong_is_told_does_not_count_and_fails(shell: Shell) -> None:
    file = configure(shell, "keep_turn = 5\nquota_bytes = -1\nanswer_chars = 2000\n")
    told = shell.json("config", code=1, PRUNE_MCP_SPILL_THRESHOLD="much")
    assert len(told["wrong"]) == 3
    assert any(f"In {file}, keep_turn is no setting; did you mean keep_turns?" in each for each in told["wrong"])
    values = by_key(told)
    assert values["keep_turns"] == (3, "default", "")
    assert values["quota_bytes"] == (5_000_000_000, "default", "")
    assert values["spill_threshold"] == (65_536, "default", "")
    assert values["answer_chars"] == (2000, "file", f"{file}:3")
    said = shell.run("config", code=1)
    assert "did you mean keep_turns?" in said.stderr
    assert "answer_chars" in said.stdout


def test_an_unreadable_file_is_told_and_left_as_it_is(shell: Shell) -> None:
    file = configure(shell, "keep_turns = = 3")
    (wrong,) = shell.json("config", code=1)["wrong"]
    assert f"{file} cannot be read" in wrong
    assert file.read_text() == "keep_turns = = 3"


def test_every_key_is_shown_once_in_the_order_of_the_settings(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path, tmp_path)
    keys = [setting.key for setting in configuration({}, home).settings]
    assert len(keys) == len(set(keys)) > 20
    assert keys[0] == "keep_turns"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a.b = 1", 1),
        ("\n[a]\nb = 1", 3),
        ("[a]\nc = 1\n[d]\nb = 1", 0),
        ('["a"]\n"b" = 1', 2),
        ("a = { b = 1 }", 0),
        ("[ a ] # x\n  b=1", 2),
        ("# a.b = 1\na.b = 2", 2),
        ("", 0),
    ],
)
def test_the_line_of_a_key_is_told_where_it_is_easily_found(text: str, line: int) -> None:
    assert line_of(text, ("a", "b")) == line


def test_a_share_that_is_none_is_named_with_where_it_stands_and_what_is_allowed(shell: Shell) -> None:
    file = configure(shell, "[triggers]\nauto_budget_threshold = 80\n")
    told = shell.json("config", code=1, PRUNE_MCP_TRIGGERS__BUDGET_TURN_DELTA="4")
    assert told["wrong"] == [
        "The environment variable PRUNE_MCP_TRIGGERS__BUDGET_TURN_DELTA must be a share from 0 (off) to 1, "
        'it is "4"; it does not count.',
        f"In {file}, triggers.auto_budget_threshold must be a share from 0 (off) to 1, it is 80; "
        "it does not count.",
    ]
    values = by_key(told)
    assert values["triggers.auto_budget_threshold"] == (0.735, "default", "")
    assert values["triggers.budget_turn_delta"] == (0.04, "default", "")


def test_a_value_that_means_nothing_is_named_with_what_set_it(shell: Shell) -> None:
    file = configure(shell, '[usage]\nmodel_windows = ["big"]\n[summaries.fallback]\nbase_url = "nowhere"\n')
    told = shell.json(
        "config",
        code=1,
        PRUNE_MCP_USAGE__MODEL_PRICES="claude=1/2",
        PRUNE_MCP_SUMMARIES__ENDPOINT__BASE_URL="https://models.example/v1",
    )
    assert told["wrong"] == [
        f"In {file}, usage.model_windows holds 'big', which is none of the form MODEL=TOKENS; it does not count.",
        "The environment variable PRUNE_MCP_USAGE__MODEL_PRICES holds 'claude=1/2', which is none of the form "
        "MODEL=UNCACHED/CACHED/WRITTEN; it does not count.",
        f"In {file}, summaries.fallback.base_url is of no use: 'nowhere' is no address of an endpoint; give one "
        "such as https://HOST/v1.",
    ]


def test_a_password_in_an_address_is_not_repeated(shell: Shell) -> None:
    configure(shell, '[summaries.endpoint]\nbase_url = "https://dana:Tr0ub4dor-and-3@models.example/v1"\n')
    said = shell.run("config", code=1)
    as_json = shell.run("config", "--json", code=1)
    for text in (said.stdout, said.stderr, as_json.stdout):
        assert "Tr0ub4dor" not in text
    assert "models.example/v1" in as_json.stdout
