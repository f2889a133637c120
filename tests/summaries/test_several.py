"""Several questions: in parallel or one by one, each with a fate of its own; progress, and an end on request."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine.ledger import ledger
from tests.pruning.build import Talk, call, log, results
from tests.summaries.conftest import DIGESTED, SUMMARIZED, Pruner, causes, outcome, told
from tests.summaries.endpoint import Behave, Endpoint, Wire, answers, breaks_off, fails, stalls, truncates
from tests.summaries.talks import stubs


class Cancelled(BaseException):
    """What a progress report raises to end the work."""


def five_turns() -> Talk:
    """Five turns with a long output each, which a question holds two of at most, and four short ones."""
    talk = Talk().prompt("Read all.")
    for number in range(5):
        talk.turn(call("Read", log(150, f"file{number}"), file_path=f"/app/f{number}.py"))
    return talk.turns(4)


@pytest.fixture
def make_narrow(make_pruner: Callable[..., Pruner]) -> Callable[..., Pruner]:
    """Pruners with room for one output a question, so that there are five."""

    def make(**options: object) -> Pruner:
        return make_pruner(input_chars=9000, **options)

    return make


@pytest.mark.requirement("PRU-SUMMARY")
def test_one_by_one_means_one_at_a_time(make_narrow: Callable[..., Pruner], endpoint: Endpoint) -> None:
    make_narrow(parallel=1).prune(five_turns().messages)
    assert (len(endpoint.asked), endpoint.busiest) == (5, 1)


@pytest.mark.requirement("PRU-SUMMARY")
def test_in_parallel_means_at_most_so_many_at_once(make_narrow: Callable[..., Pruner], endpoint: Endpoint) -> None:
    answered = answers()

    def behave(wire: Wire) -> None:
        # Nobody is answered before three are asked.
        endpoint.gathered.wait(20)
        answered(wire)

    endpoint.behave, endpoint.gathers = behave, 3
    answer = make_narrow(parallel=3).prune(five_turns().messages)
    assert (len(endpoint.asked), endpoint.busiest) == (5, 3)
    assert outcome(answer, SUMMARIZED)["outputs"] == 5


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize("parallel", [1, 4])
@pytest.mark.parametrize(
    ("failing", "cause"),
    [
        (fails(500), "server"),
        (fails(400), "refused"),
        (truncates("- [[1:Read]] a"), "cut"),
        (breaks_off("- [[1:Read]] a"), "broken"),
        (answers("nonsense"), "unlabelled"),
    ],
)
def test_one_failure_takes_no_other_summary_away(
    make_narrow: Callable[..., Pruner], endpoint: Endpoint, parallel: int, failing: Behave, cause: str
) -> None:
    endpoint.script = [answers(), failing, answers(), failing]
    answer = make_narrow(parallel=parallel).prune(five_turns().messages)
    assert outcome(answer, SUMMARIZED)["outputs"] == 3
    assert outcome(answer, DIGESTED)["outputs"] == 2
    assert causes(answer) == [cause]
    assert [found["count"] for found in answer.diagnostics] == [2]
    assert len(stubs(answer.messages)) == 5
    assert outcome(answer, "asked main")["requests"] == 5


@pytest.mark.requirement("PRU-SUMMARY")
def test_after_three_failures_in_a_row_nobody_is_asked_any_more(
    make_narrow: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    endpoint.behave = fails(500)
    answer = make_narrow(parallel=1).prune(five_turns().messages)
    assert len(endpoint.asked) == 3
    assert causes(answer) == ["server", "given-up"]
    assert outcome(answer, DIGESTED)["outputs"] == 5


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_key_that_is_not_taken_is_not_tried_again(
    make_narrow: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    endpoint.behave = fails(401)
    answer = make_narrow(parallel=1).prune(five_turns().messages)
    assert len(endpoint.asked) == 1
    assert causes(answer) == ["key", "given-up"]


@pytest.mark.requirement("PRU-SUMMARY", "SRV-PROGRESS")
def test_progress_names_the_question_and_the_characters_received(
    make_narrow: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    said: list[tuple[float, float, str]] = []
    answer = "- [[1:Read]] the file is a log"
    endpoint.behave = answers(answer)
    make_narrow(parallel=1).prune(five_turns().messages, progress=lambda *step: said.append(step))
    ends = [message for _, _, message in said if message.endswith(f": {len(answer)} characters")]
    assert list(dict.fromkeys(ends)) == [f"summary {n} of 5: {len(answer)} characters" for n in range(1, 6)]
    done = [step for step, _, _ in said]
    assert done == sorted(set(done))
    assert {total for _, total, _ in said} == {5}


@pytest.mark.requirement("PRU-SUMMARY", "SRV-PROGRESS")
def test_progress_is_told_while_an_answer_is_awaited(
    make_narrow: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    said: list[str] = []

    def hear(done: float, total: float, message: str) -> None:
        said.append(message)
        if message == "summary 1 of 5: 11 characters":
            endpoint.released.set()

    begins = "- [[1:Read]]"[:11]

    def behave(wire: Wire) -> None:
        wire.head()
        wire.piece(begins)
        wire.hang()
        wire.piece("] slowly", "stop")
        wire.done()

    endpoint.script = [behave]
    make_narrow(parallel=1).prune(five_turns().messages, progress=hear)
    assert "summary 1 of 5: 11 characters" in said
    assert "summary 1 of 5: 19 characters" in said


@pytest.mark.requirement("PRU-SUMMARY", "SRV-PROGRESS", "PRU-FRONTIER")
def test_a_cancelled_prune_decides_nothing_and_is_charged_what_it_asked(
    make_narrow: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    def cancel(done: float, total: float, message: str) -> None:
        if message.startswith("summary 2"):
            raise Cancelled

    endpoint.script = [answers(), stalls("- [[1:Read]] half")]
    pruner, talk = make_narrow(parallel=1), five_turns()
    with pytest.raises(Cancelled):
        pruner.prune(talk.messages, progress=cancel)
    (record,) = pruner.store.sessions()
    assert (record.flushes, record.frontier) == (0, 0)
    assert {output.state for output in pruner.store.outputs(record.id)} == {"whole"}
    (usage,) = pruner.store.model_usage(record.id)
    assert (usage.calls, usage.output_tokens) == (2, 50 + 6)
    endpoint.released.set()
    answer = pruner.prune(talk.messages)
    assert outcome(answer, SUMMARIZED)["outputs"] == 5
    assert pruner.original("t1", record.id) == results(talk.messages)["c1"]


@pytest.mark.requirement("PRU-SUMMARY")
def test_the_ledger_tells_summaries_from_digests_and_what_models_used(
    make_narrow: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    endpoint.script = [answers(), fails(500), truncates("- [[1:Read]] a")]
    pruner = make_narrow(parallel=1)
    answer = pruner.prune(five_turns().messages)
    counted = ledger(pruner.store, answer.session)
    usage = counted.usage["main"]
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (5, 3 * 1000 + 900, 3 * 50 + 30)
    assert usage.cost == pytest.approx((3900 * 2.0 + 180 * 10.0) / 1_000_000)
    assert outcome(answer, "asked main")["cost_usd"] == pytest.approx(usage.cost)
    assert counted.summaries > 0
    assert counted.digests > 0
    assert counted.net == answer.tokens_before - answer.tokens_after
    assert told(answer, "server")
