"""The fallback model: asked while the first does not answer, which is tried again once in each cooldown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.engine.summaries.options import ModelOptions
from tests.pruning.build import JSON, Talk, call, log
from tests.summaries.conftest import SUMMARIZED, Pruner, causes, outcome, told
from tests.summaries.endpoint import Behave, Endpoint, answers, breaks_off, fails, stalls, truncates

COOLDOWN = 600


class Asking:
    """A pruner with a fallback, asked about something new each time."""

    def __init__(self, pruner: Pruner, endpoint: Endpoint) -> None:
        self.pruner = pruner
        self.endpoint = endpoint
        self._count = 0

    def ask(self, main: Behave, spare: Behave, after: float = 0) -> tuple[PruneAnswer, list[str]]:
        """The answer, and which models were asked for it; `after` so many seconds."""
        self.pruner.now += after
        self.endpoint.by_model = {"main": main, "spare": spare}
        self.endpoint.asked.clear()
        answer = self.pruner.prune(self._messages())
        return answer, [str(asked.body["model"]) for asked in self.endpoint.asked]

    def _messages(self) -> list[JSON]:
        self._count += 1
        output = call("Bash", log(100, f"run{self._count}"), command="make")
        return Talk().prompt(f"Go {self._count}.").turn(output).turns(4).messages


@pytest.fixture
def asking(make_pruner: Callable[..., Pruner], endpoint: Endpoint) -> Asking:
    spare = ModelOptions(model="spare", input_price=1.0)
    return Asking(make_pruner(fallback=spare, cooldown_ms=COOLDOWN * 1000, idle_timeout_ms=1000), endpoint)


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize(
    ("main", "cause"),
    [(fails(500), "server"), (fails(429), "busy"), (stalls(), "timeout"), (breaks_off("- [["), "broken")],
)
def test_a_passing_failure_is_asked_of_the_fallback_and_told_once(
    asking: Asking, main: Behave, cause: str
) -> None:
    answer, asked = asking.ask(main, answers())
    assert asked == ["main", "spare"]
    assert outcome(answer, SUMMARIZED)["outputs"] == 1
    assert causes(answer) == ["fallback"]
    assert "main at 127.0.0.1" in told(answer, "fallback")
    assert {usage.model for usage in asking.pruner.store.model_usage(answer.session)} == {"main", "spare"}
    answer, asked = asking.ask(main, answers())
    assert (asked, causes(answer)) == (["spare"], [])


@pytest.mark.requirement("PRU-SUMMARY")
def test_the_first_model_is_tried_once_in_each_cooldown(asking: Asking) -> None:
    asking.ask(fails(500), answers())
    assert asking.ask(fails(500), answers(), COOLDOWN - 1)[1] == ["spare"]
    assert asking.ask(fails(500), answers(), 1)[1] == ["main", "spare"]
    answer, asked = asking.ask(fails(500), answers(), COOLDOWN - 1)
    assert (asked, causes(answer)) == (["spare"], [])
    answer, asked = asking.ask(answers(), fails(500), 1)
    assert (asked, causes(answer)) == (["main"], ["recovered"])
    assert asking.ask(answers(), fails(500))[1] == ["main"]


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_warning_waits_until_the_fallback_has_answered(asking: Asking) -> None:
    answer, asked = asking.ask(fails(500), fails(503))
    assert (asked, causes(answer)) == (["main", "spare"], ["server"])
    assert "HTTP 500" in told(answer, "server")
    assert "HTTP 503" in told(answer, "server")
    answer, asked = asking.ask(fails(500), answers())
    assert (asked, causes(answer)) == (["spare"], ["fallback"])


@pytest.mark.requirement("PRU-SUMMARY")
def test_failures_of_the_fallback_do_not_put_off_the_next_trial(asking: Asking) -> None:
    asking.ask(fails(500), answers())
    for _ in range(3):
        assert asking.ask(fails(500), fails(503), COOLDOWN / 4)[1] == ["spare"]
    assert asking.ask(answers(), fails(503), COOLDOWN / 4)[1] == ["main"]


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_recovery_drops_a_warning_that_nobody_heard(asking: Asking) -> None:
    asking.ask(fails(500), fails(503))
    answer, asked = asking.ask(answers(), fails(503), COOLDOWN)
    assert (asked, causes(answer)) == (["main"], ["recovered"])


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize(
    ("main", "cause"),
    [
        (fails(401), "key"),
        (fails(404), "refused"),
        (truncates("- [[1:Bash]] a"), "cut"),
        (answers("nonsense"), "unlabelled"),
    ],
)
def test_what_no_other_model_could_help_changes_nothing(asking: Asking, main: Behave, cause: str) -> None:
    answer, asked = asking.ask(main, answers())
    assert (asked, causes(answer)) == (["main"], [cause])
    assert asking.ask(answers(), answers())[1] == ["main"]


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_fallback_that_is_the_first_model_itself_is_none(
    make_pruner: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    asking = Asking(make_pruner(fallback=ModelOptions(model="main")), endpoint)
    assert asking.ask(fails(500), answers())[1] == ["main"]


@pytest.mark.requirement("PRU-SUMMARY")
def test_a_fallback_without_a_key_is_told_of_and_not_asked(
    make_pruner: Callable[..., Pruner], endpoint: Endpoint
) -> None:
    far = ModelOptions(base_url="https://models.example/v1", model="spare", key_variable="SPARE_KEY")
    answer, asked = Asking(make_pruner(fallback=far), endpoint).ask(answers(), answers())
    assert asked == ["main"]
    assert told(answer, "fallback-settings").startswith("summaries: models.example needs a key. Set SPARE_KEY")
