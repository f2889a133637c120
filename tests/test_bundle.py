"""What is told about the product in its several descriptions is one and the same."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import TextContent

from prune_mcp.engine.settings import Settings, to_keys
from prune_mcp.server.app import make_server

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.requirement("SRV-BUNDLE")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    return read_json("manifest.json")


@pytest.fixture(scope="module")
def registry() -> dict[str, Any]:
    return read_json("server.json")


@pytest.fixture(scope="module")
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def read_json(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((ROOT / name).read_text(encoding="utf-8"))
    return value


def test_name_version_description_and_licence_agree(
    project: dict[str, Any], manifest: dict[str, Any], registry: dict[str, Any]
) -> None:
    package = registry["packages"][0]
    assert manifest["name"] == project["name"] == package["identifier"]
    assert manifest["version"] == project["version"] == package["version"] == registry["version"]
    assert manifest["description"] == project["description"] == registry["description"]
    assert manifest["license"] == project["license"]
    assert manifest["author"] == project["authors"][0]
    assert manifest["compatibility"]["runtimes"]["python"] == project["requires-python"]


def test_the_newest_entry_of_the_changelog_is_this_version(project: dict[str, Any]) -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == project["version"]


def test_the_registry_name_stands_in_the_readme(registry: dict[str, Any], readme: str) -> None:
    assert f"<!-- mcp-name: {registry['name']} -->" in readme
    assert len(registry["description"]) <= 100


def test_the_bundle_starts_the_console_script(project: dict[str, Any], manifest: dict[str, Any]) -> None:
    server = manifest["server"]
    assert server["mcp_config"]["args"][-1] in project["scripts"]
    assert (ROOT / server["entry_point"]).is_file()


def test_the_bundle_packs_what_the_package_is_built_from() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ignored = (ROOT / ".mcpbignore").read_text(encoding="utf-8").split()
    needed = [*table["tool"]["setuptools"]["package-dir"].values(), "README.md", "LICENSE", "pyproject.toml"]
    assert [name for name in needed if name in ignored or f"{name}/" in ignored] == []


async def test_bundle_and_readme_name_the_tools_as_they_are_served(manifest: dict[str, Any], readme: str) -> None:
    server = make_server()
    async with Client(server) as client:
        served = (await client.list_tools()).tools
        assert client.server_info is not None
        assert client.server_info.version == version("prune-mcp")
    first = [{"name": tool.name, "description": first_sentence(tool.description or "")} for tool in served]
    assert manifest["tools"] == first
    for tool in served:
        row = next(line for line in readme.splitlines() if line.startswith(f"| `{tool.name}("))
        signature = row.partition(")")[0]
        assert set(re.findall(r"(\w+)\??(?:, |$)", signature)) == set(tool.input_schema["properties"])


async def test_the_bundle_names_the_prompts_as_they_are_served(manifest: dict[str, Any]) -> None:
    told = {prompt["name"]: prompt for prompt in manifest["prompts"]}
    assert manifest["prompts_generated"] is False
    async with Client(make_server()) as client:
        served = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in served] == [*told]
        for prompt in served:
            arguments = prompt.arguments or []
            about = told[prompt.name]
            assert about["description"] == prompt.description
            assert about.get("arguments", []) == [argument.name for argument in arguments]
            needed = {each.name: f"${{arguments.{each.name}}}" for each in arguments if each.required}
            content = (await client.get_prompt(prompt.name, needed)).messages[0].content
            assert isinstance(content, TextContent)
            # What stands before it tells how the store stands.
            assert content.text.endswith(about["text"])


def test_the_readme_tells_every_setting_with_its_default(readme: str) -> None:
    section = readme.partition("## Settings")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([a-z_.]+)` \| ([^|]+) \|", section, re.MULTILINE))
    keys = dict(leaves(to_keys(Settings())))
    assert rows.keys() == keys.keys()
    shown = {key: json.loads(cell.strip("`")) for key, cell in rows.items() if "..." not in cell}
    assert shown == {key: keys[key] for key in shown}


def leaves(table: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{above}{key}.")
        else:
            yield above + key, list(value) if isinstance(value, tuple) else value


def first_sentence(description: str) -> str:
    return description.partition(". ")[0].removesuffix(".") + "."


def test_each_room_is_packaged_with_its_types() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    rooms = setuptools["package-dir"]
    folders = {(room, init.parent) for room in rooms for init in (ROOT / rooms[room]).rglob("__init__.py")}
    within = {(room, folder.relative_to(ROOT / rooms[room]).parts) for room, folder in folders}
    assert set(setuptools["packages"]) == {".".join((room, *parts)) for room, parts in within}
    assert [room for room in setuptools["package-dir"].values() if not (ROOT / room / "py.typed").exists()] == []
