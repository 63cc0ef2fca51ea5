"""What an entry of the journal costs, at ten entries and at ten million (SPEC 6.8): run `python bench/journal.py`.

A chain of each length is begun from the table's value that it would have then, and appends in batches of 100: signed, hashed, put into the
Merkle tree, with its text's commitment and the batch's checkpoint. The slope is that of a line fitted to the costs by the number of tens in
the length: what one power of ten more adds, as a share of the cost at ten entries.
"""

import time
from datetime import UTC, datetime
from statistics import linear_regression, median

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.binding.batch import Incoming
from agents.journal.core import Journal
from schemas.codec import encode
from schemas.records import Decision, JournalHead, Source

LENGTHS = [10**n for n in range(1, 8)]
BATCH, ROUNDS = 100, 15
AT = datetime(2026, 3, 1, tzinfo=UTC)


def head(length: int) -> bytes:
    """The table's value of a chain of this length, fed from 32 partitions of three logs."""
    marks = tuple(
        Source(topic=t, epoch="e", partition=p, offset=length, index=0) for t in ("runs", "learnings", "candidates") for p in range(32)
    )
    return encode(JournalHead(sequence=length, hash="ab" * 32, tree=b"\1" * 32 * length.bit_count(), marks=marks))


def batch(start: int) -> list[Incoming]:
    """Promotions whose records stand from this offset of candidates on."""
    return [Incoming("decisions", "e", 0, offset, AT, b"acme", promotion(offset)) for offset in range(start, start + BATCH)]


def promotion(offset: int) -> bytes:
    """A promotion that the record at this offset of candidates made."""
    figures = {"privacy": "shareable", "state": "active, shown", "binding": "0", "enabled": "yes", "applied": "3", "ratio": "1.0"}
    decision = Decision(
        source=Source(topic="candidates", epoch="e", partition=0, offset=offset, index=0),
        decision_id=f"{offset:016x}",
        org="acme",
        chain="public",
        actor="promote",
        decision="promoted",
        subject=f"{offset:032x}",
        reason="gate",
        figures=figures,
        texts={"rule": "Check the status of an order before you offer a refund."},
        at=AT,
    )
    return encode(decision)


def main() -> None:
    """Measure, and print a line a length and the slope."""
    journal = Journal(b"s" * 32, Ed25519PrivateKey.generate())
    costs: dict[int, list[float]] = {length: [] for length in LENGTHS}
    sizes = dict.fromkeys(LENGTHS, 0)
    for _ in range(ROUNDS):  # in turns: what disturbs the machine disturbs all lengths
        for length in LENGTHS:
            records, before = batch(length + 1), head(length)
            started = time.process_time()
            result = journal.step(0, records, lambda _, value=before: value)  # type: ignore[misc]
            costs[length].append((time.process_time() - started) / BATCH)
            sizes[length] = sum(len(value or b"") for value in result.states.values())
    print("      entries   µs an entry   bytes kept of the chain")
    for length in LENGTHS:
        print(f"{length:13,} {median(costs[length]) * 1e6:13.0f} {sizes[length]:13,}")
    fitted = linear_regression(range(len(LENGTHS)), [median(costs[length]) for length in LENGTHS])
    print(f"slope: {fitted.slope / median(costs[LENGTHS[0]]):+.2%} of the cost for each power of ten")


if __name__ == "__main__":
    main()
