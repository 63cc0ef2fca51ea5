"""Importance by named dimensions, of a learning whose author gave none (SPEC 2.2, 5.8).

An evaluator says what is known of each dimension, 0 to 1 (0.5 is neither here nor there), and leaves out what is not. It must come to the
same whenever it is asked again: a replay repeats versions word for word. `dimensions` is the one that is used unless another is given.
"""

import json
import re
from collections.abc import Mapping
from zlib import crc32

from agents.aggregate import keys
from agents.aggregate.evidence import posterior
from agents.aggregate.recount import now
from agents.aggregate.turn import Evaluator, Turn
from schemas.records import EvidenceState, Figures, LearningProposed, LearningState, Vocabulary

_BITS = 4096
_WORD = re.compile(r"\w{4,}")
_HALFWAY = 4
"""Uses, or steps of a procedure, that take a dimension half of its way."""
_PREVENTS = {"risk-": 0.9, "decision-": 0.6, "task-summary-": 0.2}
"""How bad what a learning prevents is, by the convention for its key (SPEC 2.1): a risk is written down because it hurts."""


def dimensions(learning: LearningState, figures: Figures, recalls: int) -> dict[str, float]:
    """reuse, severity of what it prevents, novelty against the agent's own, effort it saves: as far as the record itself tells."""
    known: dict[str, float] = {}
    uses = figures.applied + recalls
    if uses:
        known["reuse"] = 0.5 + 0.5 * _grown(uses)
    key = learning.entry_key.rpartition("/")[2]
    severity = next((figure for prefix, figure in _PREVENTS.items() if key.startswith(prefix)), None)
    if severity is not None:
        known["severity"] = severity
    if learning.novelty is not None:
        known["novelty"] = learning.novelty
    if learning.steps:
        known["effort"] = _grown(learning.steps)
    return known


def judged(evaluate: Evaluator, learning: LearningState, evidence: EvidenceState) -> tuple[float | None, Mapping[str, float]]:
    """Importance as its author gave it, else by its dimensions and these; None where there is none, and confidence stands in (SPEC 5.8)."""
    if learning.importance is not None or learning.rule is None:
        return learning.importance, {}
    figures = now(evidence.points)
    known = evaluate(learning, figures, evidence.recall_count)
    return importance(posterior(learning.prior, figures).confidence, known), known


def importance(confidence: float, known: Mapping[str, float]) -> float | None:
    """0 to 1: confidence, moved by at most half of it as the dimensions lie above or below the middle; None where nothing is known."""
    if not known:
        return None
    return min(1.0, confidence * (0.5 + sum(known.values()) / len(known)))


def novelty(turn: Turn, proposal: LearningProposed) -> float | None:
    """Share of a wording's words that none of its agent's wordings had, which then have them; None for the first, or without a wording."""
    words = {crc32(word.encode()) % _BITS for word in _WORD.findall((proposal.rule or "").lower())}
    if not words:
        return None
    key = keys.vocabulary(turn.org, turn.agent)
    held = turn.view.get(Vocabulary, key)
    known = int.from_bytes(held.bits, "big") if held else 0
    turn.view.put(key, Vocabulary(bits=(known | sum(1 << word for word in words)).to_bytes(_BITS // 8, "big")))
    return sum(not known >> word & 1 for word in words) / len(words) if held else None


def steps(proposal: LearningProposed) -> int:
    """Number of steps of a procedure's value (SPEC 2.3); 0 where it is no procedure or tells none."""
    held = json.loads(proposal.value) if proposal.memory_type == "procedure" and proposal.value is not None else None
    told = held.get("steps") if isinstance(held, dict) else None
    return len(told) if isinstance(told, list) else 0


def _grown(number: int) -> float:
    return 1.0 - float(0.5 ** (number / _HALFWAY))
