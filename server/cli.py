"""The command line: its commands, and what becomes of errors. It never imports the MCP SDK."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from prune_mcp.server.commands.console import prepare, say
from prune_mcp.server.commands.examples import epilog
from prune_mcp.server.exit_codes import DONE, FAILED, PIPE_CLOSED, STOPPED, WRONG
from prune_mcp.server.streams import give_up_broken

# The commands by name, in the order of the help: the module of `server/commands` and its function.
COMMANDS = {
    "prune": ("prune", "prune"),
    "collapse": ("collapse", "collapse"),
    "tree": ("tree", "tree"),
    "show": ("show", "show"),
    "usage": ("usage", "usage"),
    "record": ("record", "record"),
    "sessions": ("sessions", "sessions"),
    "stats": ("stats", "stats"),
    "search": ("search", "search"),
    "read": ("read", "read"),
    "index": ("index", "index"),
    "import": ("import_", "bring"),
    "forget": ("forget", "forget"),
    "gc": ("gc", "gc"),
    "check": ("check", "check"),
    "config": ("config", "config"),
    "serve": ("serve", "serve"),
    "token": ("token", "token"),
}
EPILOG = (
    "Without a command prune-mcp serves MCP on stdin and stdout. Exit codes: 0 done, also where nothing was "
    "found; 1 failed, or what was named is not there; 2 wrong usage; 130 stopped by Ctrl-C."
)


def show_version(wanted: bool) -> None:
    """Print the version and end, if that is wanted."""
    if wanted:
        from importlib.metadata import version

        print(f"prune-mcp {version('prune-mcp')}")
        raise typer.Exit


def main(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Prune the sessions of coding agents, bring back all that was pruned, search what was ever said."""


def make_app(wanted: str = "") -> typer.Typer:
    """The commands, or only the one that is `wanted`: each takes a moment to load, and one is run.

    Help is drawn with rich in a terminal and plain when piped.
    """
    rich = sys.stdout.isatty()
    app = typer.Typer(
        name="prune-mcp",
        epilog=EPILOG,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if rich else None,
    )
    app.callback()(main)
    for name in [wanted] if wanted in COMMANDS else COMMANDS:
        module, function = COMMANDS[name]
        # In a query -WORD leaves hits with a word out.
        settings = {"ignore_unknown_options": True} if name == "search" else None
        command = getattr(import_module(f"prune_mcp.server.commands.{module}"), function)
        app.command(name, context_settings=settings, epilog=epilog(name, rich))(command)
    return app


def run(arguments: list[str]) -> int:
    """Run one command and return the exit code; every error is one message on stderr."""
    from prune_mcp.engine.answers import EngineError, RequestWrong
    from prune_mcp.engine.past import QuestionWrong, SearchError
    from prune_mcp.sessions.model import SessionError
    from prune_mcp.storage.errors import StoreError
    from prune_mcp.storage.ways_out import in_words

    prepare()
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
        return code
    except (EngineError, SearchError, SessionError, StoreError) as error:
        say(f"prune-mcp: {error}")
        return WRONG if isinstance(error, (QuestionWrong, RequestWrong)) else FAILED
    except BrokenPipeError:
        give_up_broken()
        return PIPE_CLOSED
    except OSError as error:
        where = "" if give_up_broken() else "The output"
        say(f"prune-mcp: {in_words(error, where)}")
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            # Python wraps what comes while a class is being made.
            return STOPPED
        say(f"prune-mcp: failed in a way nobody foresaw ({_where(error)}). Nothing that was archived is lost.")
    return FAILED


def _invoke(arguments: list[str]) -> int:
    try:
        result = make_app(arguments[0])(args=arguments, prog_name="prune-mcp", standalone_mode=False)
    except SystemExit as ended:
        # The library ends the program itself when the reader of a pipe went away.
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise
    except typer.Abort:
        return STOPPED
    except typer.TyperException as error:
        say(f"prune-mcp: {_told(error)} (`{_where_used(arguments)} --help` tells the usage)")
        return error.exit_code
    return result if isinstance(result, int) else DONE


def _told(error: typer.TyperException) -> str:
    """What was wrong with a call, without the name that the library puts before some sentences of its own."""
    return error.format_message().replace("Value error, ", "")


def _where_used(arguments: list[str]) -> str:
    """The command whose help tells how it is used."""
    return f"prune-mcp {arguments[0]}" if arguments[0] in COMMANDS else "prune-mcp"


def _where(error: Exception) -> str:
    """An unforeseen error and the place it came from, in one line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error}, {Path(frame.filename).name} line {frame.lineno}"
