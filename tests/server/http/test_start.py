"""Starting a server over HTTP: where it listens, what it tells, and what it refuses."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from prune_mcp.server.http.access import Access
from prune_mcp.server.http.address import Address, CannotServe, is_loopback, parse_address
from prune_mcp.server.http.server import greeting
from tests.server.http.serving import served
from tests.server.shell import Shell

pytestmark = pytest.mark.requirement("SRV-HTTP")


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home, home)


def refusal(shell: Shell, *arguments: str) -> str:
    """The one line with which a start is refused."""
    done = shell.run("serve", "--http", *arguments, code=1)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("", Address("127.0.0.1", 7786)),
        (":9000", Address("127.0.0.1", 9000)),
        ("localhost", Address("127.0.0.1", 7786)),
        ("Example.org:80", Address("example.org", 80)),
        ("[::1]:9000", Address("::1", 9000)),
        ("::1", Address("::1", 7786)),
        ("0.0.0.0:0", Address("0.0.0.0", 0)),
    ],
)
def test_an_address_is_read_as_people_write_it(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "text", ["127.0.0.1:http", "127.0.0.1:65536", "host:-1", "http://127.0.0.1:80", "[::1", "[::1]x:0"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(CannotServe, match="is no address"):
        parse_address(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_these_hosts_are_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "localhost.example", "127.0.0.1.ex", "", "127.1"])
def test_these_hosts_are_not(host: str) -> None:
    assert not is_loopback(host)


def test_a_public_address_wants_hosts_and_a_token(shell: Shell) -> None:
    assert "name the hosts" in refusal(shell, "0.0.0.0:0")
    assert "make one with `prune-mcp token make`" in refusal(
        shell, "0.0.0.0:0", "--allow-host", "tools.example.org"
    )
    assert "make one with `prune-mcp token make`" in refusal(shell, "--allow-host", "tools.example.org")
    assert "make one with `prune-mcp token make`" in refusal(shell, "--require-token")
    shell.run("token", "make")
    with served(shell.home, "--allow-host", "tools.example.org", address="0.0.0.0:0") as server:
        assert f"http://tools.example.org:{server.port}/mcp" in server.greeting
        assert "Authorization: Bearer" in server.greeting
        assert "nothing is encrypted" in server.greeting


@pytest.mark.parametrize("host", ["*", "*.example.org", "http://example.org", " "])
def test_allowed_hosts_are_single_names(shell: Shell, host: str) -> None:
    assert "takes the name or address of one host" in refusal(shell, "--allow-host", host)


def test_a_port_in_use_is_one_clear_sentence(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = refusal(shell, f"127.0.0.1:{port}")
    assert f"Port {port} of 127.0.0.1 is taken" in told
    assert "prune-mcp serve --http 127.0.0.1:" in told


def test_a_host_that_is_not_here_is_one_clear_sentence(shell: Shell) -> None:
    shell.run("token", "make")
    allowed = ("--allow-host", "x.example")
    assert "There is no host nowhere.invalid" in refusal(shell, "nowhere.invalid:0", *allowed)
    assert "cannot listen at 192.0.2.1" in refusal(shell, "192.0.2.1:0", *allowed)


def test_options_of_http_alone_are_wrong_usage(shell: Shell) -> None:
    for arguments in (["127.0.0.1:9000"], ["--allow-host", "x"], ["--require-token"]):
        assert "go with --http" in shell.run("serve", *arguments, code=2).stderr


def test_it_tells_how_to_connect_and_writes_nothing_before_the_first_call(home: Path) -> None:
    with served(home) as server:
        assert f"serves MCP at {server.url}/mcp" in server.greeting
        assert f"claude mcp add --transport http prune {server.url}/mcp\n" in server.greeting
        assert server.request("GET", "/health").status == 200
    assert not (home / "prune-mcp").exists()


@pytest.mark.requirement("SRV-CONFIG")
def test_the_limits_are_settings_and_a_wrong_one_is_told_and_costs_only_itself(home: Path) -> None:
    file = home / "prune-mcp" / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[http]\nmax_body_bytes = 70000\nstop_seconds = "soon"\n')
    with served(home) as server:
        assert server.request(body=b"x" * 70001).status == 413
        assert server.request(body=b"x" * 70000).status == 400
        assert "http.stop_seconds must be a whole number" in server.greeting


def test_the_greeting_is_as_short_as_the_place_allows() -> None:
    assert len(greeting(Address(), Access()).splitlines()) == 3
    told = greeting(Address("::", 80), Access(frozenset({"b.example", "a.example"}), True))
    assert "http://a.example:80/mcp" in told
    assert len(told.splitlines()) == 5
