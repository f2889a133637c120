"""What a command is told to run: the words behind `uv run`, `docker exec` and the like; and its operands."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from itertools import pairwise

from prune_mcp.pruning.activity.shell import program_of, unwrapped

# Options that take the word behind them along.
VALUED = {
    **dict.fromkeys(
        ("bun", "npm", "pnpm", "yarn"), "--prefix -C --dir --cwd -w --workspace --filter -F --loglevel"
    ),
    **dict.fromkeys(("gmake", "make"), "-C -f -I -o -W --directory --file"),
    **dict.fromkeys(("gradle", "gradlew"), "-p -x -b -c --tests --exclude-task --project-dir"),
    **dict.fromkeys(("mvn", "mvnw"), "-pl -f -P -s -T -rf --projects --file"),
    "cargo": "--config --manifest-path -C -Z --color",
    "composer": "-d --working-dir",
    "go": "-C",
    "hatch": "-e --env",
    "just": "-f -d --justfile --working-directory",
    "rake": "-f -I -r",
    "ruff": "--config",
    "task": "-d -t --dir --taskfile",
    "turbo": "--filter -F",
}
# Words in front of the program proper: what runs it in the project's own surroundings, or elsewhere, with the
# options that take a value. A word in capitals stands for any one word, `...` for any number of them.
_UV = "--with --extra --group --only-group --python -p --package --directory --project --env-file --index --from"
_DOCKER = (
    "-v -w -e -u -p -h -m -l -f -n -c --name --volume --workdir --env --env-file --user --publish --network"
    " --mount --entrypoint --platform --hostname --label --memory --cpus --add-host --gpus --shm-size --pull"
    " --file --project-name --profile --namespace --container --context"
)
RUNNERS = {
    **dict.fromkeys(("uv run -m", "uv run", "uv tool run", "uvx", "pipx run"), _UV + " --spec"),
    **dict.fromkeys(("python -m", "py -m"), "-W -X"),
    "coverage run -m": "--source --include --omit --rcfile --data-file",
    **dict.fromkeys(("poetry run", "pipenv run", "pdm run", "rye run", "pixi run", "bundle exec"), "-C -e"),
    "hatch run": "-e --env",
    **dict.fromkeys(("conda run", "mamba run", "micromamba run"), "-n -p --name --prefix --cwd"),
    **dict.fromkeys(
        ("npx", "bunx", "pnpx", "bun x", "npm exec", "pnpm exec", "pnpm dlx", "yarn dlx"), "-p --package -w"
    ),
    **dict.fromkeys(("yarn exec", "yarn workspace NAME", "npm run", "pnpm run", "yarn run", "bun run"), ""),
    **dict.fromkeys(("bun", "pnpm", "yarn"), VALUED["yarn"]),
    **dict.fromkeys(("c8", "nyc", "cross-env", "dotenv", "ts-node", "tsx"), "-e -c -r -f"),
    **dict.fromkeys(
        ("mise exec", "mise x", "asdf exec", "rbenv exec", "direnv exec DIR", "op run", "doppler run"), ""
    ),
    **dict.fromkeys(("nix develop ... -c", "nix develop ... --command", "find ... -exec", "git bisect run"), ""),
    **dict.fromkeys(("docker run IMAGE", "docker exec NAME", "docker compose run NAME"), _DOCKER),
    **dict.fromkeys(("docker compose exec NAME", "docker-compose run NAME", "docker-compose exec NAME"), _DOCKER),
    **dict.fromkeys(("podman run IMAGE", "podman exec NAME", "kubectl exec NAME"), _DOCKER),
    "xargs": "-n -I -P -L -d -a -s -E",
    "xvfb-run": "-n -s",
    "xcrun": "--sdk",
}
ANY = "..."
# Numbers and assignments of `make -j 8 CC=cc`, which name nothing to be made.
_NO_OPERAND = re.compile(r"\d+|\w+=.*", re.DOTALL)


def behind_runner(words: list[str]) -> list[str]:
    """The command that the program in front runs; empty where it runs none.

    Of a Python module the name is written as the path of a program.
    """
    for runner, valued in _runners().get(program_of(words[0]), ()):
        if left := _behind(words, runner, valued):
            found = unwrapped(left)
            if found and runner[-1] == "-m":
                found[0] = found[0].replace(".", "/")
            return found
    return []


def operands_of(program: str, arguments: list[str]) -> list[str]:
    """The arguments that are neither options nor the values of such, of a program of the table."""
    valued = VALUED.get(program, "").split()
    found = []
    at = 0
    while (at := _behind_options(arguments, at, valued)) < len(arguments):
        if not _NO_OPERAND.fullmatch(arguments[at]):
            found.append(arguments[at])
        at += 1
    return found


@cache
def _runners() -> dict[str, list[tuple[list[str], frozenset[str]]]]:
    """The runners by the program in front, those of the most words first."""
    found: dict[str, list[tuple[list[str], frozenset[str]]]] = {}
    for runner in sorted(RUNNERS, key=lambda each: -len(each.split())):
        words = runner.split()
        found.setdefault(words[0], []).append((words, frozenset(RUNNERS[runner].split())))
    return found


def _behind(words: list[str], runner: list[str], valued: Collection[str]) -> list[str]:
    """The words behind all of a runner's; empty where they are not its own."""
    at = 1
    for before, part in pairwise(runner):
        if part == ANY:
            continue
        if before == ANY:
            at = words.index(part, at) if part in words[at:] else len(words)
        else:
            at = _behind_options(words, at, valued, until=part)
        if at >= len(words) or not (part.isupper() or words[at] == part):
            return []
        at += 1
    return words[_behind_options(words, at, valued) :]


def _behind_options(words: list[str], at: int, valued: Collection[str], until: str = "") -> int:
    """Where what is no option stands, from `at` on, or the option `until`."""
    while at < len(words) and words[at].startswith("-") and words[at] != until:
        at += 1 + (words[at] in valued)
        if words[at - 1] == "--":
            break
    return at
