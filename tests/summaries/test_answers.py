"""Whatever an endpoint answers, a prune ends in a good state, says what happened, and charges what it used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.sessions.tokens import text_tokens
from prune_mcp.storage.records import ModelUsage
from tests.pruning.build import results
from tests.summaries.conftest import DIGESTED, KEY, SUMMARIZED, TOO_LARGE, Pruner, causes, outcome, told
from tests.summaries.endpoint import (
    Asked,
    Behave,
    Endpoint,
    Wire,
    answers,
    breaks_off,
    fails,
    sends,
    stalls,
    truncates,
)
from tests.summaries.talks import FAILURE, stubs, three_calls

BEGINNING = "- [[1:Bash]] all went w"
HALF_USED = "- [[1:Bash]] nothing but passing steps\n- [[9:Bash]] no such call\n- [[2:Write]] not its name"


@pytest.mark.requirement("PRU-SUMMARY")
def test_each_output_has_its_words_in_the_place_of_a_digest(pruner: Pruner) -> None:
    talk = three_calls()
    answer = pruner.prune(talk.messages)
    first, second, third = stubs(answer.messages)
    assert first.splitlines()[0] == '[pruned t1: Bash "pytest -q" | 200 lines, 11k chars | summary]'
    assert first.splitlines()[-1] == "- came of call 1 to Bash"
    assert second.splitlines()[1:] == ["- came of call 2 to Read"]
    assert third.splitlines()[1:] == [f"- {FAILURE}", "- came of call 3 to Bash"]
    assert outcome(answer, SUMMARIZED)["outputs"] == 3
    assert not causes(answer)
    assert pruner.original("t3", answer.session) == results(talk.messages)["c3"]


@pytest.mark.requirement("PRU-SUMMARY", "PRU-IDEM")
def test_pruning_again_asks_nobody_and_gives_the_same_bytes(
    pruner: Pruner, make_pruner: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    messages = three_calls().messages
    answer = pruner.prune(messages)
    assert len(endpoint.asked) == 1
    restarted = make_pruner()
    assert restarted.prune(messages).messages == answer.messages
    assert restarted.prune(answer.messages).messages == answer.messages
    assert restarted.prune(messages, summarize=None).messages == answer.messages
    assert len(endpoint.asked) == 1


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize(
    ("behave", "cause", "usage"),
    [
        (stalls(), "timeout", (0, 0)),
        (stalls(BEGINNING), "timeout", (None, 8)),
        (fails(500), "server", (0, 0)),
        (fails(503), "server", (0, 0)),
        (fails(429), "busy", (0, 0)),
        (fails(401, f"wrong key {KEY}"), "key", (0, 0)),
        (fails(403), "key", (0, 0)),
        (fails(404), "refused", (0, 0)),
        (fails(400), "refused", (0, 0)),
        (fails(301, location="/v2/chat/completions"), "refused", (0, 0)),
        (sends("<html>Bad gateway</html>", "text/html", 502), "server", (0, 0)),
        (truncates(BEGINNING), "cut", (900, 30)),
        (breaks_off(BEGINNING), "broken", (None, 8)),
        (answers("  \n\n"), "blank", (1000, 50)),
        (answers("<think>\n- [[1:Bash]] hm\n"), "blank", (1000, 50)),
        (answers("- \n---\n"), "unlabelled", (1000, 50)),
        (answers("I am sorry, I cannot help with that."), "unlabelled", (1000, 50)),
        (answers("**1. Bash**: fine\n[[1]] fine\n[[Bash]] fine\n[[0:Bash]] fine"), "unlabelled", (1000, 50)),
        (answers("- [[1:Bash]] ...\n- [[2:Read]]\n"), "unlabelled", (1000, 50)),
        (sends("<html>Bad gateway</html>", "text/html"), "broken", (0, 0)),
        (sends('{"choices": []}', "application/json"), "broken", (0, 0)),
        (sends("data: {nonsense\n\n"), "broken", (0, 0)),
        (sends('data: {"error": {"message": "overloaded"}}\n\n'), "broken", (0, 0)),
        (sends('data: [1]\n\ndata: {"choices": "x"}\n\ndata: {"choices": [3]}\n\n'), "broken", (None, 0)),
    ],
)
def test_an_answer_of_no_use_leaves_the_digests(
    make_pruner: Callable[..., Pruner],
    endpoint: Endpoint,
    behave: Behave,
    cause: str,
    usage: tuple[int | None, int],
) -> None:
    endpoint.behave = behave
    pruner = make_pruner(idle_timeout_ms=1000 if cause == "timeout" else 20_000)
    answer = pruner.prune(three_calls().messages)
    assert_digests(answer)
    assert causes(answer) == [cause]
    assert KEY not in str(answer)
    read, wrote = usage
    estimated = text_tokens(endpoint.asked[0].prompt)
    assert pruner.store.model_usage(answer.session) == [charged(estimated if read is None else read, wrote)]
    assert pruner.ledger(answer.session).summaries == 0
    counted = {found.key for found in pruner.store.diagnostics(answer.session) if found.kind == "summary"}
    assert counted == {cause}
    assert pruner.prune(answer.messages).messages == answer.messages
    assert len(endpoint.asked) == 1


@pytest.mark.requirement("PRU-SUMMARY")
def test_what_an_answer_says_of_no_call_is_not_used_and_the_rest_is(pruner: Pruner, endpoint: Endpoint) -> None:
    endpoint.behave = answers(HALF_USED)
    answer = pruner.prune(three_calls().messages)
    first, second, third = stubs(answer.messages)
    assert first.endswith("\n- nothing but passing steps")
    assert " | summary]" not in second + third
    assert told(answer, "unlabelled")
    assert outcome(answer, SUMMARIZED)["outputs"] == 1
    assert outcome(answer, DIGESTED)["outputs"] == 2


@pytest.mark.requirement("PRU-SUMMARY", "PRU-TRIVIAL")
def test_a_summary_that_is_not_smaller_than_its_output_is_dropped(pruner: Pruner, endpoint: Endpoint) -> None:
    def write(asked: Asked) -> str:
        return "- [[1:Bash]] short\n- [[2:Read]] " + "and so on, word for word " * 230

    endpoint.behave = answers(write)
    answer = pruner.prune(three_calls().messages)
    first, second, _ = stubs(answer.messages)
    assert first.endswith("\n- short")
    assert "and so on" not in second
    assert outcome(answer, TOO_LARGE)["outputs"] == 1


@pytest.mark.requirement("PRU-SUMMARY")
def test_an_answer_without_end_is_not_read_to_its_end(pruner: Pruner, endpoint: Endpoint) -> None:
    def behave(wire: Wire) -> None:
        wire.head()
        for _ in range(1_000_000):
            wire.piece("- [[1:Bash]] on and on " * 50)

    endpoint.behave = behave
    answer = pruner.prune(three_calls().messages)
    assert_digests(answer)
    assert causes(answer) == ["cut"]


@pytest.mark.requirement("PRU-SUMMARY")
def test_signs_of_life_count_against_idleness_and_not_against_the_whole_time(
    make_pruner: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    def behave(wire: Wire) -> None:
        wire.head()
        while not endpoint.released.wait(0.02):
            wire.piece()

    endpoint.behave = behave
    answer = make_pruner(idle_timeout_ms=10_000, max_timeout_ms=300).prune(three_calls().messages)
    assert_digests(answer)
    assert told(answer, "timeout").endswith("took over 0.3 s; digests stand instead")


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_request_that_is_turned_away_for_now_is_sent_again(
    make_pruner: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    endpoint.script = [fails(429, retry_after_ms="1"), fails(503, retry_after_ms="1")]
    answer = make_pruner(retries=2).prune(three_calls().messages)
    assert len(endpoint.asked) == 3
    assert outcome(answer, SUMMARIZED)["outputs"] == 3
    assert not causes(answer)


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize("after", ["30", "Tue, 31 Dec 2199 23:59:59 GMT"])
def test_a_server_that_asks_to_wait_for_long_is_not_waited_for(
    make_pruner: Callable[..., Pruner], endpoint: Endpoint, after: str
) -> None:
    endpoint.behave = fails(429, "slow down", retry_after=after)
    answer = make_pruner(retries=3, idle_timeout_ms=10_000).prune(three_calls().messages)
    assert_digests(answer)
    assert "answered HTTP 429: slow down" in told(answer, "busy")
    assert len(endpoint.asked) == 1


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_what_is_asked_follows_no_redirect(
    pruner: Pruner, endpoint: Endpoint, elsewhere: Endpoint, status: int
) -> None:
    endpoint.behave = fails(status, location=f"{elsewhere.url}/chat/completions")
    answer = pruner.prune(three_calls().messages)
    assert_digests(answer)
    assert f"redirects (HTTP {status})" in told(answer, "refused")
    assert elsewhere.asked == []


@pytest.mark.requirement("PRU-SUMMARY")
def test_an_answer_in_one_huge_piece_is_dropped(pruner: Pruner, endpoint: Endpoint) -> None:
    def behave(wire: Wire) -> None:
        wire.head()
        wire.piece("- [[1:Bash]] " + "and so on " * 500_000, "stop")

    endpoint.behave = behave
    answer = pruner.prune(three_calls().messages)
    assert_digests(answer)
    assert causes(answer) == ["cut"]


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_server_that_cannot_count_usage_is_asked_without(pruner: Pruner, endpoint: Endpoint) -> None:
    endpoint.script = [fails(400, "unknown field: stream_options")]
    answer = pruner.prune(three_calls().messages)
    assert outcome(answer, SUMMARIZED)["outputs"] == 3
    assert ["stream_options" in asked.body for asked in endpoint.asked] == [True, False]


@pytest.mark.requirement("PRU-SUMMARY")
def test_what_a_model_thinks_before_it_answers_is_no_part_of_the_answer(
    pruner: Pruner, endpoint: Endpoint
) -> None:
    endpoint.behave = answers("<think>\n- [[1:Bash]] maybe\n</think>\n```markdown\n- [[1:Bash]] all pass\n```\n")
    answer = pruner.prune(three_calls().messages)
    assert stubs(answer.messages)[0].endswith("\n- all pass")
    assert "maybe" not in str(answer.messages)


def charged(read: int, wrote: int) -> ModelUsage:
    """One request to the first model, at its prices."""
    return ModelUsage("main", 1, read, wrote, (read * 2.0 + wrote * 10.0) / 1_000_000)


def assert_digests(answer: PruneAnswer) -> None:
    """Every long output has its digest, and nothing else happened to the messages."""
    shown = stubs(answer.messages)
    assert len(shown) == 3
    assert not any(" | summary]" in stub for stub in shown)
    assert FAILURE in shown[2]
    assert outcome(answer, DIGESTED)["outputs"] == 3
    assert answer.effect == "applied"
