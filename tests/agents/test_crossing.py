"""SPEC 2.11, 2.13: what crosses from an agent to a pool, followed byte by byte from its log to the pool's tables."""

import re
import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.aggregate.gate import promotable
from agents.binding.batch import Incoming, Outgoing
from agents.promote.core import Promote
from schemas.codec import decode, load
from schemas.ids import ids_of
from schemas.records import CandidateCleared, Decision
from schemas.store import SCHEMAS
from sinks.processors import processors
from tests.agents.aggregate.log import SECRET, START, Log, Table

ROOT = Path(__file__).parents[2]

MARKER = st.text(string.ascii_letters, min_size=12, max_size=12).map(lambda s: f"zq{s}qz")
TEXTS = (
    *("entry_key", "branch", "session", "work_area", "space", "cue", "goal_phrases", "pattern_refs", "run_id", "agent", "value"),
    "source_goal",
)
"""Private fields that hold an author's text; `value` is private but for a procedure's."""
NOT_TEXTS = {
    *("org", "home_space"),  # whose pool it is
    *("learning_id", "wording"),  # keyed hashes
    *("privacy", "producer", "state", "crossing", "visibility", "hold"),  # words of ours
    *("version", "revision", "written_at", "is_artifact", "ttl_at", "importance", "prior", "applied", "helpful", "success_count", "at"),
    *("failure_count", "mass_success", "mass_failure", "independent", "tier", "recall_count", "cause", "floor", "contradicts", "gate"),
    "moves",  # its outcomes are marked
    "dimensions",  # no author names one
    "value_bindings",  # with one it does not cross
}


def test_every_private_field_is_marked_or_can_hold_no_text() -> None:
    fields = {f["name"] for f in SCHEMAS["Learning"].tree["fields"]}
    assert fields - promotable(SCHEMAS["Learning"].tree) == (set(TEXTS) - {"value"}) | NOT_TEXTS


def through(log: Log, learning: dict[str, Any], run: str, outcome: str) -> tuple[Table, list[Outgoing], dict[bytes, bytes]]:
    """A learning that clears the gate, is credited and loses it, with what aggregate and promote sent and what promote keeps."""
    key, branch = learning["entry_key"], learning["branch"]
    credit = log.credit(key, subject=ids_of(SECRET, log.org).learning(log.agent, branch, key))
    bad = log.credit(key, helpful="no", subject=credit.subject)
    made = log.run(run, learning)
    made = [made[0], *(replace(event, learning_id=credit.subject) for event in made[1:])]
    table = Table().take(log.loaded(), made, *(log.outcome(f"{outcome}{n}", "success", credit) for n in range(3)))
    cleared = next(c for c in table.sent("candidates") if isinstance(c, CandidateCleared))
    vote = log.pool_credit(cleared.shared_id, wording=cleared.wording)
    table.take(log.outcome(f"{outcome}v", "success", vote), *(log.outcome(f"{outcome}f{n}", "failure", bad) for n in range(3)))
    sent = [o for o in table.out if o.topic == "candidates"]
    kept: dict[bytes, bytes] = {}
    batch = [Incoming("candidates", "c", 0, offset, START, o.key, o.value) for offset, o in enumerate(sent)]
    result = Promote(SECRET, 0.85).step(0, batch, kept.get)
    kept |= {key: value for key, value in result.states.items() if value is not None}
    return table, result.out, kept


@settings(max_examples=25, deadline=None)
@given(
    markers=st.lists(MARKER, min_size=len(TEXTS) + 1, max_size=len(TEXTS) + 1, unique=True), memory_type=st.sampled_from(["fact", "belief"])
)
def test_no_marker_of_a_private_field_crosses(markers: list[str], memory_type: str) -> None:
    """SPEC 2.11: not in `candidates`, nor in what promote sends and keeps, nor in the rows of the pool's tables."""
    *told, outcome = markers
    marked = dict(zip(TEXTS, told, strict=True))
    learning: dict[str, Any] = {
        "entry_key": f"{marked['entry_key']}/{marked['entry_key']}",
        "branch": marked["branch"],
        "session": marked["session"],
        "work_area": marked["work_area"],
        "space": marked["space"],
        "cue": marked["cue"],
        "goal_phrases": (marked["goal_phrases"],),
        "pattern_refs": (marked["pattern_refs"],),
        "value": f'{{"case":"{marked["value"]}"}}',
        "source_goal": marked["source_goal"],
        "memory_type": memory_type,
        "rule": "Check the status before you refund.",
        "tools": ("orders.get",),
    }
    table, pool, kept = through(Log(agent=f"agent/{marked['agent']}"), learning, marked["run_id"], outcome)
    entries = b"".join(o.value or b"" for o in table.out if o.topic in ("entries", "episodes", "receipts"))
    assert all(m.encode() in entries for m in told)  # they are where they belong

    assert {"shared", "pool-members", "decisions"} == {o.topic for o in pool}
    crossed = [o for o in table.out if o.topic == "candidates"] + pool
    projections = processors(SECRET)["shared"].projections
    rows = [row for o in pool if o.topic == "shared" for p in projections for row in p.rows(decode(o.value))]
    text = b"".join(o.key + (o.value or b"") for o in crossed) + b"".join(k + v for k, v in kept.items()) + repr(rows).encode()
    assert b"Check the status before you refund." in text
    assert [m for m in markers if m.encode() in text] == []


READERS = {
    "agents/promote/say.py",
    "pipelines/topics.py",
    "pipelines/readers.py",
    "sinks/processors.py",
    "sinks/door.py",
    "sinks/recall.py",
    "sinks/poolrows.py",
    "sinks/pools.py",
}
"""promote writes it, topics are declared and read by name, the sink stores it, the door lets nobody at it, recall and the list of a pool
exclude by it."""


def test_who_was_part_of_it_is_read_by_recalls_exclusion_only() -> None:
    """SPEC 2.11: `pool_members` is kept apart; no view shows it, and no other part names it."""
    code = [path.relative_to(ROOT) for package in ("agents", "pipelines", "sinks", "deploy") for path in (ROOT / package).rglob("*.py")]
    assert {str(path) for path in code if re.search(r"[\"' ]pool[-_]members\b", (ROOT / path).read_text())} == READERS
    for reader in ("recall", "pools", "poolrows"):
        assert len(re.findall("pool_members", (ROOT / f"sinks/{reader}.py").read_text())) == 1
    for migration in sorted(Path(ROOT / "sinks/migrations").glob("*.sql")):
        views = re.findall(r"CREATE OR REPLACE VIEW .*?;\n", migration.read_text(), re.DOTALL)
        assert not [view for view in views if "pool_members" in view]


@pytest.mark.parametrize("guess", [b"", b"1" * 32, SECRET[:-1], b"another secret of thirty-two byte"])
def test_an_id_is_not_found_by_guessing_entry_keys(guess: bytes) -> None:
    """SPEC 2.13: who knows space, agent, branch, key and wording, but not the secret, can't tell whether a learning is there."""
    log = Log()
    learning = {"entry_key": "support/pattern-a", "branch": "main", "rule": "Check the status before you refund."}
    table, pool, _ = through(log, learning, "r-1", "o-")
    cleared = next(c for c in table.sent("candidates") if isinstance(c, CandidateCleared))
    told = {
        cleared.shared_id,
        cleared.learning_id,
        cleared.donor,
        cleared.wording,
        *(load(Decision, o.value or b"").decision_id for o in pool if o.topic == "decisions"),
    }
    ids = ids_of(guess, log.org)
    wording = ids.wording(learning["rule"], None)
    guessed = {ids.learning(log.agent, "main", learning["entry_key"]), ids.agent(log.agent), wording}
    guessed |= {
        ids.shared("commons", learning_id, w) for learning_id in (cleared.learning_id, *guessed) for w in (cleared.wording, wording)
    }
    assert told & guessed == set()
