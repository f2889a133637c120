"""No secret's bytes stand in any file of the history, wherever a session says it; its other words are kept."""

from __future__ import annotations

import pytest

from prune_mcp.search.packs.frame import unpacked
from prune_mcp.search.packs.pack import scan
from tests.search.indexing.machine import Machine, all_rows, rest
from tests.sessions.transcripts.writing import tool_use

SECRET = "ghp_" + "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz3Xc7"


@pytest.mark.requirement("HIS-SECRET")
def test_a_secret_that_is_said_anywhere_is_nowhere_in_the_files(machine: Machine) -> None:
    session = machine.session(1)
    session.line({"type": "ai-title", "aiTitle": f"Use {SECRET} today", "sessionId": session.session})
    session.prompt(f"The token is {SECRET} for the upload")
    session.says(tool_use("call-1", command=f"curl -H 'Authorization: Bearer {SECRET}' example.com"))
    session.result("call-1", f"export GITHUB_TOKEN={SECRET}\nuploaded")
    session.says(f"Done with {SECRET} as told")
    rest(session.path)
    machine.update()
    texts = {machine.index.text(shard, row) for shard, row in all_rows(machine.index.view())}
    assert any("for the upload" in text for text in texts)
    assert any("uploaded" in text for text in texts)
    (source,) = machine.index.view().sources.values()
    assert source.title.startswith("Use ")
    machine.close()
    for path in (*machine.home.data.rglob("*"), *machine.home.cache.rglob("*")):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
            assert SECRET.lower().encode() not in path.read_bytes(), path
        for _, data in scan(path) if path.suffix == ".pack" else ():
            assert SECRET not in repr(unpacked(data, ""))
    for segments in machine.index.view().shards.values():
        for segment in segments:
            assert not [term for term, _ in segment.term_frequencies() if SECRET[4:].lower() in term]
