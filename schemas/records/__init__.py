"""The records of Tidegate as frozen, typed Python objects, one a schema in schemas/avsc."""

from schemas.records.log import AgentChanged, CandidateCleared, CandidateWithdrawn, LearningProposed, OutcomeReported, PoolCredited, Recalled, RunSeen, Tick
from schemas.records.out import Claim, Counter, DeadLetter, Decision, Episode, Finding, JournalEntry, Learning, PoolMember, Receipt, SharedLearning
from schemas.records.parts import Cause, ClaimDraft, Condition, Credit, CreditDraft, Entity, ExposedRecall, ExposedRow, FindingMark, Floor, LearningDraft, Source, Step
from schemas.records.raw import Exposure, Outcome, Principal, Run

__all__ = [
    "AgentChanged",
    "CandidateCleared",
    "CandidateWithdrawn",
    "Cause",
    "Claim",
    "ClaimDraft",
    "Condition",
    "Counter",
    "Credit",
    "CreditDraft",
    "DeadLetter",
    "Decision",
    "Entity",
    "Episode",
    "ExposedRecall",
    "ExposedRow",
    "Exposure",
    "Finding",
    "FindingMark",
    "Floor",
    "JournalEntry",
    "Learning",
    "LearningDraft",
    "LearningProposed",
    "Outcome",
    "OutcomeReported",
    "PoolCredited",
    "PoolMember",
    "Principal",
    "Recalled",
    "Receipt",
    "Run",
    "RunSeen",
    "SharedLearning",
    "Source",
    "Step",
    "Tick",
]
