"""The scan of one text, as `tidegate scan` does it (INTERFACES.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.scan.crosscheck import Entities
from agents.scan.hit import Hit
from agents.scan.mask import Numbers
from agents.scan.scrub import scrub


@dataclass(frozen=True, slots=True)
class TextScan:
    """`findings`: positions count characters of the text given; `masked`: the text with every value taken out of it."""

    findings: tuple[Hit, ...]
    masked: str


def scan_text(text: str, run_entities: Sequence[str] = (), allow_tools: Sequence[str] = ()) -> TextScan:
    """Scan a text as the wording of a learning is scanned, against the entities that its run met; names of tools are not persons."""
    done = scrub(text, Entities(run_entities), frozenset(allow_tools), Numbers([text]))
    return TextScan(done.hits, done.text)
