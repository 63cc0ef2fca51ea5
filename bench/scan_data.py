"""Texts for the benchmark of scanners, the same every time: what agents write, with values in it that must not be kept.

No text here is anybody's: every word, name and value is made up when it runs.
"""

import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_HEX, _DIGITS = "0123456789abcdef", string.digits
_ALNUM = string.ascii_letters + string.digits
_POD = string.ascii_lowercase + _DIGITS
_EVERY = 10_000
"""Characters of prose for one secret."""


@dataclass(frozen=True, slots=True)
class Text:
    """`planted`: the values in it that have to go, each with its kind."""

    text: str
    planted: tuple[tuple[str, str], ...]


def _drawn(rng: random.Random, alphabet: str, number: int) -> str:
    return "".join(rng.choices(alphabet, k=number))


Secret = tuple[str, Callable[[random.Random], str]]
_SECRETS: tuple[Secret, ...] = (
    (
        "The remote wants a token, so I ran git push https://bot:{}@git.corp.test/core.git again.\n",
        lambda r: "ghp_" + _drawn(r, _ALNUM, 36),
    ),
    ("GITLAB_TOKEN={} glab mr list\n", lambda r: "glpat-" + _drawn(r, _ALNUM, 20)),
    ("  env: ANTHROPIC_API_KEY: {}\n", lambda r: "sk-ant-api03-" + _drawn(r, _ALNUM + "-_", 93) + "AA"),
    (
        '{{"provider": "openai", "apiKey": "{}"}}\n',
        lambda r: "sk-proj-" + _drawn(r, _ALNUM + "-_", 74) + "T3BlbkFJ" + _drawn(r, _ALNUM + "-_", 74),
    ),
    ("aws configure set aws_access_key_id {}\n", lambda r: "AKIA" + _drawn(r, string.ascii_uppercase + "234567", 16)),
    ("AWS_SECRET_ACCESS_KEY={}\n", lambda r: _drawn(r, _ALNUM + "+/", 40)),
    (
        'curl -H "Authorization: Bearer {}" https://api.corp.test/v2/me\n',
        lambda r: "eyJhbGciOiJSUzI1NiJ9.eyJ" + _drawn(r, _ALNUM, 80) + "." + _drawn(r, _ALNUM + "-_", 86),
    ),
    ("could not connect: postgresql://reporting:{}@pg-7.corp.test:5432/sales\n", lambda r: _drawn(r, _ALNUM, 22)),
    (
        "The bot logs in with {}, which the channel saw.\n",
        lambda r: f"xoxb-{_drawn(r, _DIGITS, 12)}-{_drawn(r, _DIGITS, 12)}-{_drawn(r, _ALNUM, 24)}",
    ),
    ("stripe.api_key = '{}'\n", lambda r: "sk_live_" + _drawn(r, _ALNUM, 24)),
    ('db:\n  password: "{}"\n', lambda r: _drawn(r, _ALNUM, 18)),
    ("maps: https://maps.corp.test/tile?key={}&z=4\n", lambda r: "AIza" + _drawn(r, _ALNUM + "-_", 35)),
    ("//registry.corp.test/:_authToken={}\n", lambda r: "npm_" + _drawn(r, _ALNUM, 36)),
    ("huggingface-cli login --token {}\n", lambda r: "hf_" + _drawn(r, string.ascii_letters, 34)),
    ('client_secret: "{}"\n', lambda r: _drawn(r, _HEX, 40)),
    ("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lambda r: "MIIEvQIBADAN" + _drawn(r, _ALNUM + "+/", 52)),
)

_THING = (
    "backfill",
    "checkpoint",
    "dispatcher",
    "export",
    "fixture",
    "journal",
    "ledger",
    "manifest",
    "offset",
    "pager",
    "quota",
    "replica",
    "rollout",
    "schema",
    "snapshot",
    "tenant",
)
_DID = (
    "bumped",
    "compared",
    "dropped",
    "enabled",
    "inlined",
    "measured",
    "merged",
    "moved",
    "patched",
    "profiled",
    "rebased",
    "reverted",
    "split",
    "stubbed",
    "vendored",
    "widened",
)
_SERVICE = (
    "accounts",
    "billing-api",
    "catalog",
    "checkout",
    "edge-auth",
    "fulfilment",
    "inventory",
    "mail-relay",
    "pricing",
    "reports",
    "sessions",
    "webhooks",
)
_FILE = (
    "cmd/main.go",
    "core/settings.py",
    "lib/retry.ts",
    "deploy/values.yaml",
    "tests/test_checkout.py",
    "internal/store/tx.rs",
    "docs/runbook.md",
)
_REASON = (
    "because two workers held the same lease",
    "since the access token is refreshed by the sidecar",
    "so the key of the cache carries the version",
    "and the password rules are the identity team's",
    "after the header grew past eight kilobytes",
    "which leaves the session cookie alone",
)


def prose(megabytes: float, seed: int = 1) -> Iterator[Text]:
    """Notes, logs, diffs and output of tools, in records of three to ten thousand characters, with a secret every ten thousand."""
    rng = random.Random(seed)
    total, since = 0, 0
    while total < megabytes * 1e6:
        parts: list[str] = []
        planted: list[tuple[str, str]] = []
        size, wanted = 0, rng.randint(3_000, 10_000)
        while size < wanted:
            line = _line(rng)
            since += len(line)
            if since >= _EVERY:
                since -= _EVERY
                frame, make = rng.choice(_SECRETS)
                value = make(rng)
                planted.append(("secret", value))
                line += frame.format(value)
            parts.append(line)
            size += len(line)
        total += size
        yield Text("".join(parts), tuple(planted))


def _line(rng: random.Random) -> str:
    thing, service, file = rng.choice(_THING), rng.choice(_SERVICE), rng.choice(_FILE)
    at = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}T{rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}Z"
    shapes: tuple[Callable[[], str], ...] = (
        lambda: f"I {rng.choice(_DID)} the {thing} in {service} {rng.choice(_REASON)}; `{file}` still needs a look.\n",
        lambda: f"Next: {rng.choice(_DID)} {thing} and {rng.choice(_THING)}, then run the tests of {service} once more.\n",
        lambda: f"The {thing} of {service} is read before the {rng.choice(_THING)}, {rng.choice(_REASON)}.\n",
        lambda: f"{at} level=info svc={service} trace={_drawn(rng, _HEX, 16)} took={rng.randint(1, 900)}ms max_tokens=8192\n",
        lambda: f"{at} GET /v2/{thing}/{_uuid(rng)} {rng.choice((200, 204, 404))} from {_address(rng)}\n",
        lambda: f"@@ -{rng.randint(1, 400)},7 +{rng.randint(1, 400)},9 @@ def {thing}_{file[:3]}(self, token_limit: int = 9):\n",
        lambda: f'{{"tool": "shell", "cmd": "grep -n {thing} {file}", "exit": {rng.randrange(2)}, "sha": "{_drawn(rng, _HEX, 40)}"}}\n',
        lambda: f"{service}-{_drawn(rng, _POD, 9)}-{_drawn(rng, _POD, 5)}   1/1   Running   {rng.randrange(5)}   {rng.randint(1, 60)}d\n",
        lambda: f"  {file}:{rng.randint(1, 800)}: {thing} is never awaited (see https://wiki.corp.test/{service}/{thing})\n",
        lambda: f"Signed-off-by: build <build-{rng.randrange(90)}@corp-builds.io>\n",
        lambda: f"test_{thing}_{rng.choice(_THING)} ... ok ({rng.randint(1, 80)} ms)\n",
    )
    return rng.choice(shapes)()


def _address(rng: random.Random) -> str:
    return f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}"


def _uuid(rng: random.Random) -> str:
    return "-".join(_drawn(rng, _HEX, n) for n in (8, 4, 4, 4, 12))


_GIVEN = (
    "Amira",
    "Bjorn",
    "Carlos",
    "Dmitri",
    "Elena",
    "Fatima",
    "Giulia",
    "Henrik",
    "Ines",
    "Jamal",
    "Katarina",
    "Lars",
    "Marta",
    "Nikolai",
    "Olga",
    "Priya",
    "Rafael",
    "Svetlana",
    "Tomasz",
    "Yusuf",
)
_FAMILY = (
    "Almeida",
    "Bergstrom",
    "Castellano",
    "Dubois",
    "Eriksson",
    "Fernandez",
    "Grigoryan",
    "Hoffmann",
    "Ivanova",
    "Johansson",
    "Kowalski",
    "Lindqvist",
    "Moreau",
    "Nakamura",
    "Okonkwo",
)


def learnings(number: int = 2_000, seed: int = 2) -> list[Text]:
    """Rules as agents tell them, one in three with a person's data or a secret left in."""
    rng = random.Random(seed)
    return [_learning(rng) for _ in range(number)]


def _learning(rng: random.Random) -> Text:
    thing, service, file = rng.choice(_THING), rng.choice(_SERVICE), rng.choice(_FILE)
    rule = rng.choice(
        (
            f"Before a {thing} is {rng.choice(_DID)}, read `{file}`: {service} keeps its own copy, and a stale one fails the next deploy.",
            f"When {service} answers 429, wait for its Retry-After header and halve the {thing}; a retry at once makes the queue longer.",
            f"Run the {thing} with a dry run first. It prints what it would change in {service}, and that has to be empty on a second run.",
            f"A failing {thing} in {service} is nearly always the clock of the runner; compare it with the server's before anything else.",
        )
    )
    if rng.randrange(3):
        return Text(rule, ())
    person = f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}"
    frame, make = rng.choice(_SECRETS)
    kind, value, sentence = rng.choice(
        (
            ("person", person, f" {person} asked for it in the review."),
            ("person", person, f" Speak to {person} when it fails twice."),
            ("email", mail := f"{person.lower().replace(' ', '.')}@{service}-mail.io", f" Reports go to {mail}."),
            ("phone", phone := f"+44 20 7946 0{rng.randint(100, 999)}", f" On call: {phone}."),
            ("ip", host := f"172.16.{rng.randrange(256)}.{rng.randint(1, 254)}", f" The staging host is {host}."),
            ("secret", secret := make(rng), " " + frame.format(secret).strip()),
        )
    )
    return Text(rule + sentence, ((kind, value),))
