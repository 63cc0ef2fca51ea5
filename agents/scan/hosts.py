"""Hosts that only an organisation's own people know, and numbers that name one case: identifiers of a run (SPEC 3.4).

A public domain is knowledge (`docs.python.org`) and stays. A host below an internal suffix, or a tenant's own below a platform, tells
whose run it was.
"""

import re
import string
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.words import word_set

_INTERNAL = r"(?:internal|corp|local|lan|intranet|private|localdomain|consul|home\.arpa)"
_PLATFORM = (
    r"(?:(?:rds|s3|elb|es|eks|cache|execute-api|compute)[a-z0-9.\-]{0,24}\.amazonaws\.com|azurewebsites\.net|windows\.net|azmk8s\.io|"
    r"herokuapp\.com|auth0\.com|okta(?:preview)?\.com|atlassian\.net|zendesk\.com|freshdesk\.com|my\.salesforce\.com|"
    r"lightning\.force\.com|myshopify\.com|sharepoint\.com|service-now\.com|cloudfunctions\.net|run\.app|snowflakecomputing\.com|"
    r"azuredatabricks\.net|cloud\.databricks\.com|ondigitalocean\.com|mongodb\.net|supabase\.co|firebaseio\.com|slack\.com)"
)
_TOLD = (
    r"(?:customer|client|account|acct|user|order|ticket|case|invoice|booking|reservation|member|policy|claim|transaction|payment|"
    r"subscription|employee|student|loan|contract|shipment|tracking|confirmation|reference)"
)

ANCHORS = (
    Anchor("host internal", r"[0-9a-z]\." + _INTERNAL + r"\b", caseless=True),
    Anchor("host tenant", r"[0-9a-z]\." + _PLATFORM + r"\b", caseless=True),
    Anchor(
        "numeric id",
        r"\b" + _TOLD + r"(?:[ _]?(?:id|ids|no\.?|number|num|ref))?[\"']?[ \t]{0,2}[:#=]{0,1}[ \t]{0,2}[\"'#]{0,2}[A-Z]{0,4}-?[0-9]{5}",
        caseless=True,
    ),
)

_CHARS = string.ascii_letters + string.digits + ".-"
_LABELS = re.compile(r"(?:[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.)+[A-Za-z]{2,}$")
_PACKAGE = word_set("com org net io java javax dev app edu gov me co uk de")
_SERVICE = word_set(
    "www api docs app login support help status developer developers blog cdn "
    "static hooks files console portal admin your my example acme join self"
)
_CODE = word_set("internal local private")
"""Suffixes that packages and attributes of code have too (`py.path.local`)."""
_ADDRESSED = re.compile(r":\d{2,5}\b|/\w")
_HOST_WORD = re.compile(r"(?i)\b(?:host(?:name)?|server|machine|node|domain|endpoint|dns|ssh|ping|curl|reach)[ \t:=\"'`]{1,3}$")
_ID = re.compile(r"(?P<v>[A-Za-z]{0,4}-?\d{5,19})(?![\w.%-]*\w)")
_MARKED = re.compile(r"(?i)(?:id|ids|no\.?|number|num|ref|#)[\"']?[ \t]{0,2}[:#=]{0,1}[ \t]{0,2}[\"'#]{0,2}$")
_UNMARKED_DIGITS = 6
"""Digits of a number that stands beside its noun alone: `order 50` is as many as fifty."""


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Hosts and numeric ids in an ASCII text."""
    for anchor in ("host internal", "host tenant"):
        after = 0
        for end in seen.get(anchor, ()):
            if start := _host(text, after, end, internal=anchor == "host internal"):
                after = end
                yield Hit("identifier", "host", "low", start - 1, end)
    after = 0
    for end in seen.get("numeric id", ()):
        begin = end - 5
        while begin > after and (text[begin - 1].isalnum() or text[begin - 1] == "-") and end - begin < 12:
            begin -= 1
        match = _ID.match(text, begin)
        if end <= after or not match:
            continue
        after = match.end()
        digits = sum(c.isdigit() for c in match["v"])
        if digits >= _UNMARKED_DIGITS or (digits >= 5 and _MARKED.search(text, max(0, begin - 24), begin)):
            yield Hit("identifier", "numeric_id", "low", match.start(), match.end())


def _host(text: str, after: int, end: int, *, internal: bool) -> int:
    """One more than where a host begins that ends at `end`, or 0 where none does."""
    begin = max(after, end - 253)
    head = text[begin:end]
    start = end - len(head) + len(head.rstrip(_CHARS))
    shown = text[start:end].lstrip(".-")
    start = end - len(shown)
    before, behind = text[max(0, start - 1) : start], text[end : end + 2]
    if not _LABELS.match(shown) or before in ("@", "_", "\\", "$", "~") or (before == "/" and text[max(0, start - 2) : start] != "//"):
        return 0
    # What goes on is a file's name, a package's or a call.
    if behind[:1] in ("_", "(", "-") or (behind[:1] == "." and behind[1:].isalnum()):
        return 0
    labels = shown.lower().split(".")
    if internal:
        own = labels[: -2 if shown.lower().endswith("home.arpa") else -1]
        said = before == "/" or any(c.isdigit() or c == "-" for c in "".join(own)) or "svc" in own or bool(_ADDRESSED.match(text, end))
        said = said or bool(_HOST_WORD.search(text, max(0, start - 24), start)) or (len(own) > 1 and labels[-1] not in _CODE)
        return start + 1 if said and own[0] not in _PACKAGE else 0
    return 0 if labels[0] in _SERVICE or labels[0].startswith(("your", "my-", "example")) else start + 1
