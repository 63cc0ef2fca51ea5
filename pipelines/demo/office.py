"""A made-up office: twelve agents in two departments and one personal space, six weeks of their runs and of what came of them.

The same seed makes the same office, to the byte. Records are JSON objects as `tidegate produce` takes them, one a line.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from pipelines.demo.lore import Department, Lore, read_lore
from pipelines.demo.plant import Planted, Planter
from pipelines.demo.scenes import LEAKS, Scene, leaked, scene

Json = dict[str, Any]

ORG = "demo"
STAFF: Mapping[str, int] = {"support": 5, "platform": 5, "personal": 2}
RUNS_EACH = 40
_START = datetime(2026, 3, 2, 8, tzinfo=UTC)
_DAYS = 42
_REWORDED_FROM = 28
"""The run from which on agents say things again: what they said before is in place by then, and so is what came of it."""
_HELPS = {"good": 0.94, "mixed": 0.55, "bad": 0.2, "local": 0.96}
_VERIFIERS = ("ci", "human", "verifier", "customer")


@dataclass(frozen=True, slots=True)
class Phase:
    """Records of one topic, to be taken in before the next phase is sent."""

    topic: str
    records: Sequence[Json]


@dataclass(frozen=True, slots=True)
class Office:
    """Who there is in an organisation, what they sent, phase by phase, and what must never come through."""

    org: str
    agents: Sequence[Json]
    phases: Sequence[Phase]
    planted: Sequence[Planted]


def free_org(taken: Collection[str]) -> str:
    """An organisation that nobody is in: what others sent, or the demo before, is none of what it recounts."""
    return next(org for n in count(1) if (org := ORG if n == 1 else f"{ORG}-{n}") not in taken)


def office(seed: int = 7, org: str = ORG) -> Office:
    """The office of a seed, in an organisation."""
    random = Random(seed)
    planter = Planter(random)
    departments = read_lore()
    agents = [_agent(name, number) for name, size in STAFF.items() for number in range(1, size + 1)]
    early: list[Json] = []
    runs: tuple[list[Json], list[Json]] = ([], [])
    outcomes: tuple[list[Json], list[Json]] = ([], [])
    for name, size in STAFF.items():
        shares = _shares(random, departments[name].lore, size)
        for number, lore in enumerate(shares, 1):
            worker = _Worker(random, planter, name, departments[name], _name(name, number), lore)
            worker.work()
            if number % 2:
                early.append(worker.early())
            for half in (0, 1):
                runs[half].extend(worker.runs[half])
                outcomes[half].extend(worker.outcomes[half])
    # What runtimes get wrong: a run sent twice, a run id used twice, an outcome for what nobody wrote, verdicts late and sent twice.
    runs[1].extend((runs[0][3], {**runs[0][5], "goal": "something else", "learnings": []}))
    outcomes[1].append({**outcomes[0][0], "outcome_id": "lost-1", "credits": [{"entry_key": "support/none/pattern-nobody-wrote-it"}]})
    late = random.sample(outcomes[0][20:], 12)
    outcomes[0][:] = [outcome for outcome in outcomes[0] if outcome not in late]
    outcomes[1].extend(late)
    for sent in outcomes:
        sent.extend(random.sample(sent, 15))
    phases = (
        Phase("outcomes", early),
        Phase("runs", runs[0]),
        Phase("outcomes", outcomes[0]),
        Phase("runs", runs[1]),
        Phase("outcomes", outcomes[1]),
    )
    named = tuple(replace(phase, records=_in(org, phase.records)) for phase in phases)
    return Office(org, _in(org, agents), named, planter.planted)


def verdicts(shown: Mapping[str, Mapping[str, str]], seed: int = 7, org: str = ORG) -> Phase:
    """What agents say of learnings that recall showed them. `shown`: agent -> ref -> wording of the row.

    What is local to the one who found it out helps nobody else. One agent sends a ref that it made up.
    """
    random = Random(seed)
    known = [lore for department in read_lore().values() for lore in department.lore]
    quality = {rule: lore.quality for lore in known for rule in (lore.rule, _reworded(lore.rule))}
    records: list[Json] = []
    for agent, rows in sorted(shown.items()):
        for n, (ref, rule) in enumerate(sorted(rows.items(), key=lambda row: row[1])):
            helps = 0.0 if quality.get(rule) == "local" else _HELPS[quality.get(rule, "good")]
            helped = random.random() < helps
            outcome = _outcome(agent, f"{agent}/verdict-{n}", "success" if helped else "failure", _START + timedelta(days=_DAYS, hours=n))
            records.append({**outcome, "verified_by": "verifier", "credits": [{"ref": ref, "helpful": "yes" if helped else "no"}]})
    if records:
        forged = Planter(random).letters(50)
        records.append({**records[0], "outcome_id": "forged-1", "credits": [{"ref": forged, "helpful": "yes"}]})
    return Phase("outcomes", _in(org, records))


def _in(org: str, records: Sequence[Json]) -> list[Json]:
    return [{"org": org, **record} for record in records]


def _name(department: str, number: int) -> str:
    return f"agent/{department}-{number}"


def _agent(department: str, number: int) -> Json:
    home = "personal" if department == "personal" else f"department/{department}"
    # The last of the platform's is another company's SDK, which shares nothing unless it is told to.
    hosted = (department, number) != ("platform", STAFF["platform"])
    return {"agent": _name(department, number), "home_space": home, "producer": "agent", "hosted": hosted}


def _shares(random: Random, lore: Sequence[Lore], workers: int) -> list[list[Lore]]:
    """Who finds out what: each thing is found out by one to three of a department, in the same words."""
    shares: list[list[Lore]] = [[] for _ in range(workers)]
    for n, one in enumerate(lore):
        finders = 1 if one.quality == "local" else min(workers, random.choice((2, 2, 3)))
        for k in range(finders):
            shares[(n + k) % workers].append(one)
    return shares


def _reworded(rule: str) -> str:
    """The same in other words: a wording of its own for its author, and what the pool has already."""
    return f"Please {rule[0].lower()}{rule[1:]}"


def _outcome(agent: str, outcome_id: str, result: str, at: datetime) -> Json:
    return {"outcome_id": outcome_id, "agent": agent, "at": at.isoformat(), "result": result}


class _Worker:
    """One agent and its six weeks."""

    def __init__(self, random: Random, planter: Planter, area: str, department: Department, agent: str, lore: Sequence[Lore]) -> None:
        self._random, self._planter = random, planter
        self._area, self._department, self._agent, self._lore = area, department, agent, lore
        self._known: list[Lore] = []
        self._plain: list[Lore] = []
        self.runs: tuple[list[Json], list[Json]] = ([], [])
        self.outcomes: tuple[list[Json], list[Json]] = ([], [])

    def work(self) -> None:
        """Make its runs and outcomes, in two halves."""
        found_at = dict(zip(sorted(self._random.sample(range(_REWORDED_FROM - 2), len(self._lore))), self._lore, strict=True))
        again = self._random.sample(range(_REWORDED_FROM, RUNS_EACH), 3)
        for number in range(RUNS_EACH):
            half = int(number >= _REWORDED_FROM)
            lore = found_at.get(number)
            at = _START + timedelta(days=_DAYS * number / RUNS_EACH, minutes=self._random.randrange(300))
            run = self._run(number, at, lore, writes=lore is not None or number in again)
            if number in again and self._plain:
                said = self._random.choice(self._plain)
                rule = said.rule if number == again[0] else _reworded(said.rule)
                run["learnings"] = [{**self._learning(said), "rule": rule}]
            self.runs[half].append(run)
            if self._known:
                self.outcomes[half].append(self._verdict(number, at + timedelta(hours=1)))

    def early(self) -> Json:
        """An outcome that is there before the run whose learning it credits."""
        credit = {"entry_key": self._entry_key(self._lore[0]), "helpful": "yes"}
        return {**_outcome(self._agent, f"{self._agent}/early", "success", _START), "verified_by": "human", "credits": [credit]}

    def _run(self, number: int, at: datetime, lore: Lore | None, *, writes: bool) -> Json:
        # What is written down is mostly written on quiet days: a run that touched secrets keeps its learnings to itself.
        weights = (18, 1, 1) if writes else (5, 3, 2)
        kind = self._random.choices(("quiet", "order", "secret"), weights)[0]
        shown = scene(self._random, self._planter, self._department, kind)
        run = self._around(number, at, shown)
        if lore:
            run["learnings"] = [self._found_out(lore, shown, kind)]
        return run

    def _around(self, number: int, at: datetime, shown: Scene) -> Json:
        return {
            "run_id": f"{self._agent}/run-{number}",
            "agent": self._agent,
            "session": f"week-{number * _DAYS // RUNS_EACH // 7 + 1}",
            "work_area": f"{self._area}/desk",
            "started_at": at.isoformat(),
            "ended_at": (at + timedelta(minutes=self._random.randrange(2, 40))).isoformat(),
            "runtime": "office",
            "goal": shown.goal,
            "exit_status": "completed",
            "steps": list(shown.steps),
            "tools": list(self._department.tools),
            "entities": list(shown.entities),
        }

    def _found_out(self, lore: Lore, shown: Scene, kind: str) -> Json:
        learning = self._learning(lore)
        self._known.append(lore)
        leak = self._random.choices((None, *LEAKS), (24, *(1 for _ in LEAKS)))[0]
        if leak:
            return leaked(self._planter, learning, shown, leak)
        draw = self._random.random()
        if draw < 0.06:
            return learning | {"privacy": "agent_specific"}
        if draw < 0.12:
            return learning | {"privacy": "organisation"}  # a word of another system's: reads shareable
        if draw < 0.18:
            return learning | {"value_bindings": [f"{self._area}/contract"]}
        if kind == "quiet":
            self._plain.append(lore)
        return learning

    def _learning(self, lore: Lore) -> Json:
        learning = {"entry_key": self._entry_key(lore), "rule": lore.rule, "cue": lore.cue, "tools": [lore.tool], "importance": 0.5}
        if "/procedure-" in lore.key:
            learning |= {"memory_type": "procedure", "value": {"goal": lore.cue, "steps": ["look", "compare", "decide"]}}
        return learning

    def _verdict(self, number: int, at: datetime) -> Json:
        credited = self._random.sample(self._known, min(len(self._known), self._random.choice((1, 2, 2, 3))))
        helped = [self._random.random() < _HELPS[lore.quality] for lore in credited]
        result = "success" if all(helped) else self._random.choice(("failure", "minor_failure"))
        credits = [self._credit(lore, helps) for lore, helps in zip(credited, helped, strict=True)]
        outcome = _outcome(self._agent, f"{self._agent}/outcome-{number}", result, at)
        # Nobody looks over the shoulder of the last of a department.
        verified = None if self._agent.endswith(f"support-{STAFF['support']}") else self._random.choice(_VERIFIERS)
        return outcome | {"run_id": f"{self._agent}/run-{number}", "verified_by": verified, "credits": credits}

    def _credit(self, lore: Lore, helps: bool) -> Json:
        credit: Json = {"entry_key": self._entry_key(lore), "helpful": "yes" if helps else "no"}
        draw = self._random.random()
        if draw < 0.04:
            return credit | {"applied": False}
        if draw < 0.1:
            return credit | {"helpful": "unknown"}
        if draw < 0.2:
            del credit["helpful"]  # follows from the result
        return credit

    def _entry_key(self, lore: Lore) -> str:
        return f"{self._area}/{lore.key}"
