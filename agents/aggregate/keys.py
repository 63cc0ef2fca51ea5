"""Under which key of the table what stands. Short prefixes: a table holds millions of them."""


def agent(org: str, name: str) -> bytes:
    """AgentState."""
    return f"A:{org}/{name}".encode()


def outcomes(org: str, name: str) -> bytes:
    """Prefix of an agent's segments of kept outcomes."""
    return f"O:{org}/{name}:".encode()


def runs(org: str, name: str) -> bytes:
    """Prefix of an agent's segments of kept runs."""
    return f"R:{org}/{name}:".encode()


def learnings(org: str, name: str, part: int) -> bytes:
    """A part of the list of an agent's learnings."""
    return f"N:{org}/{name}:{part}".encode()


def ranks(org: str, name: str) -> bytes:
    """The learnings of an agent that rank first."""
    return f"H:{org}/{name}".encode()


def vocabulary(org: str, name: str) -> bytes:
    """Which words an agent's wordings have."""
    return f"V:{org}/{name}".encode()


def waiting(org: str, name: str) -> bytes:
    """Which outcomes of an agent wait."""
    return f"Q:{org}/{name}".encode()


def wording(learning_id: str) -> bytes:
    """LearningState: what a learning says."""
    return b"L:" + bytes.fromhex(learning_id)


def evidence(learning_id: str) -> bytes:
    """EvidenceState: what outcomes made of it."""
    return b"E:" + bytes.fromhex(learning_id)


def credits_for(learning_id: str) -> bytes:
    """Credits that wait for a learning."""
    return b"W:" + bytes.fromhex(learning_id)


def amendments_of(org: str, name: str, outcome: bytes) -> bytes:
    """Amendments that wait for an outcome, by the keyed hash of its id."""
    return f"M:{org}/{name}:".encode() + outcome


def timers(day: int, part: int) -> bytes:
    """A part of the timers of a day."""
    return f"T:{day}:{part}".encode()


def met_by(org: str, entity: bytes) -> bytes:
    """MetBy: which agents met an entity, by the keyed hash of its name."""
    return f"X:{org}:".encode() + entity


def met(org: str, name: str, entity: bytes) -> bytes:
    """Met: what an agent keeps of an entity."""
    return f"Y:{org}/{name}:".encode() + entity


def erased_runs(org: str, name: str) -> bytes:
    """Runs of an agent whose episodes were erased."""
    return f"Z:{org}/{name}".encode()
