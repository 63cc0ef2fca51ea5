"""Faults, one after the other, on a deployment at work; after each round of them everything must be as if there had been none."""

import signal
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.chaos.broker import Unsteady
from tests.chaos.check import Tape, wrong
from tests.chaos.deployment import Deployment
from tests.chaos.story import Story

SESSION_SECONDS = 10.0
"""After so long without a word a worker's partitions are another's."""
MOST_BESIDE = 2
"""Workers beside that of `up`: three in all."""
MOST_DEATHS = 2
"""Of each child in a round: `up` gives up what dies again and again."""
OUTCOMES = 60
"""Sent between two faults."""
REWOUND = (
    ("scan", ("runs", "outcomes", "principals")),
    ("aggregate", ("learnings",)),
    ("promote", ("candidates",)),
    ("journal", ("decisions",)),
    ("sink", ("entries", "shared", "receipts", "learnings", "journal", "dead-letters")),
)


class Wrong(AssertionError):
    """Something is not as it should be. The text tells what, and which faults there were."""


class Chaos:
    """Draws faults from a seed: the same seed, the same faults at the same places of the same work. `say` is told of each."""

    def __init__(self, seed: int, broker: Unsteady, data: Path, say: Callable[[str], None]) -> None:
        self.seed, self.random, self.say = seed, Random(seed), say
        self.faults: list[str] = []
        self.broker = broker
        self.deployment = Deployment(broker, data, f"chaos-{seed}.")
        self.story = Story(Random(seed + 1))
        self._beside: list[int] = []
        self._added = 0
        self._deaths = {"worker": 0, "engine": 0}
        self._kinds: dict[Callable[[], str], int] = {
            self._kill_child: 5,
            self._pause_briefly: 4,
            self._pause_past_the_session: 1,
            self._add: 4,
            self._remove: 2,
            self._kill_beside: 2,
            self._stop_the_broker: 2,
            self._rewind: 2,
            self._kill_up: 1,
            self._repeats: 3,
            self._poison: 3,
            self._early: 3,
            self._amendments: 2,
            self._restatements: 1,
        }

    def run(self, faults: int) -> None:
        """Drive so many faults through a deployment of its own. Raises Wrong."""
        self.broker.start()
        try:
            self.deployment.start()
            try:
                self._run(faults)
            finally:
                self.deployment.end()
        finally:
            self.broker.stop()

    def _run(self, faults: int) -> None:
        tape = Tape(self.deployment)
        self.story.agents()
        self._tell()
        self.deployment.told()
        self.deployment.rest()
        self.story.begin()
        self._tell()
        self._settle(tape)
        while len(self.faults) < faults:
            self._deaths = dict.fromkeys(self._deaths, 0)
            self.story.begin()
            self._tell()
            for _ in range(min(self.random.randint(3, 7), faults - len(self.faults))):
                self._work()
                kinds = list(self._kinds)
                kind = self.random.choices(kinds, [self._kinds[k] for k in kinds])[0]
                self._fault(kind)
            self._work()
            self._settle(tape)

    def _fault(self, kind: Callable[[], str]) -> None:
        try:
            said = kind()
        except AssertionError as error:
            raise self._wrong([str(error)]) from error
        self.faults.append(said)
        self.say(f"{len(self.faults)}. {said}")

    def _settle(self, tape: Tape) -> None:
        try:
            self.deployment.mend()
            self.deployment.told()
            self.deployment.rest()
            found = wrong(self.deployment, self.story, tape)
        except AssertionError as error:
            raise self._wrong([str(error)]) from error
        if found:
            raise self._wrong(found)
        self.say(f"   as it should be: {len(self.story.messages)} messages, {len(self.story.learnt)} learnings")

    def _wrong(self, found: list[str]) -> Wrong:
        told = "\n".join(f"  {n}. {fault}" for n, fault in enumerate(self.faults, 1))
        return Wrong(f"seed {self.seed}, after these faults:\n{told}\nthere is wrong:\n" + "\n".join(f"  {line}" for line in found))

    def _work(self) -> None:
        self.story.work(OUTCOMES)
        self._tell()

    def _tell(self) -> None:
        self.deployment.tell(self.story.take())

    # The faults. Each draws first, and says what it did; none asks how the deployment is, so that a seed says it all.

    def _somebody(self) -> str | int:
        anybody: list[str | int] = ["worker", "worker", "engine", *self._beside]
        return self.random.choice(anybody)

    def _kill_child(self) -> str:
        child = self.random.choice(["worker", "worker", "engine"])
        if self._deaths[child] == MOST_DEATHS:
            return self._pause_briefly()
        self._deaths[child] += 1
        self.deployment.signal(child, signal.SIGKILL)
        return f"kill -9 {child}"

    def _pause_briefly(self) -> str:
        name, seconds = self._somebody(), self.random.uniform(0.5, 0.6 * SESSION_SECONDS)
        self.deployment.pause(name, seconds)
        return f"stop {_named(name)} for {seconds:.1f} s"

    def _pause_past_the_session(self) -> str:
        name, seconds = self._somebody(), SESSION_SECONDS + self.random.uniform(1, 3)
        self.deployment.pause(name, seconds)
        return f"stop {_named(name)} for {seconds:.1f} s, past its session"

    def _add(self) -> str:
        if len(self._beside) == MOST_BESIDE:
            return self._remove()
        self._added += 1
        self._beside.append(self._added)
        self.deployment.add(self._added)
        return f"add {_named(self._added)}"

    def _remove(self) -> str:
        return self._end(signal.SIGTERM, "ask {} to end")

    def _kill_beside(self) -> str:
        return self._end(signal.SIGKILL, "kill -9 {}, for good")

    def _end(self, number: int, said: str) -> str:
        if not self._beside:
            return self._add()
        worker = self._beside.pop(self.random.randrange(len(self._beside)))
        self.deployment.let_go(worker, number)
        return said.format(_named(worker))

    def _stop_the_broker(self) -> str:
        die, seconds = self.broker.may_die and self.random.random() < 0.5, self.random.uniform(0, 2)
        self.broker.stop(signal.SIGKILL if die else signal.SIGTERM)
        self._work()
        self.deployment.away(seconds)
        self.broker.start()
        return f"{'kill -9' if die else 'stop'} the broker, and start it {seconds:.1f} s later"

    def _rewind(self) -> str:
        group, topics = self.random.choice(REWOUND)
        self.deployment.rewound(group, topics)
        return f"rewind {group}"

    def _kill_up(self) -> str:
        self.deployment.die()
        return "kill -9 up, and start it again"

    def _repeats(self) -> str:
        self.story.repeats()
        return "a producer sends again what it sent"

    def _poison(self) -> str:
        self.story.poison()
        return "poison"

    def _early(self) -> str:
        self.story.early()
        return "outcomes before their learning"

    def _amendments(self) -> str:
        self.story.amendments()
        return "amendments"

    def _restatements(self) -> str:
        self.story.restatements()
        return "restatements"


def _named(name: str | int) -> str:
    return name if isinstance(name, str) else f"worker {name} beside it"
