"""Who may speak on the raw side (SPEC 5.7, 9.1): the principals as their topic tells them, and what a signature says of a message.

Pure but for `catch_up`. It is fed the topic `principals`, whole before the first batch, and what is new from time to time. A key counts by
the broker's time of the message that it signed, so a replay reads each message as it was read the first time.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from agents.binding.batch import Incoming
from schemas import keys, signing
from schemas.codec import decode_as
from schemas.problem import Problem
from schemas.records import Grant, Key, Principal
from schemas.validate import problem

TOPIC = "principals"
OWN_WORD = "agent"
"""What a key without a role of its own may attest: its author's word (SPEC 5.7)."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who signed a message. `principal` None: who may speak for anybody; `attests`: what his key may attest."""

    principal: str | None
    attests: str = OWN_WORD
    roles: tuple[Grant, ...] = ()
    kind: str = "agent"

    def attested(self, verified_by: str | None) -> str:
        """What an outcome that says who verified it is attested by: as it says where the key's role is that one, else its author's word."""
        return self.attests if verified_by == self.attests else OWN_WORD

    def has(self, role: str, space: str | None) -> bool:
        """Whether he has a role in the whole organisation or in a space; the operator has them all, a runner none (SPEC 10.5)."""
        if self.kind in RUNNERS:
            return False
        return self.principal is None or any(grant.role == role and grant.space in ("", space) for grant in self.roles)


RUNNERS = ("hook", "tool")
"""Kinds of principals that record what they started, and whose roles count for nothing: they sign and promote nothing."""
ANYBODY = Speaker(None)


@dataclass(frozen=True, slots=True)
class _Known:
    principal: str
    kind: str
    key: Key
    public: Ed25519PublicKey | None
    roles: tuple[Grant, ...]


class Directory:
    """The keys of all principals. `secret`: of the deployment, whose own key speaks for anybody; `admits_unsigned`: what carries no
    signature is taken for its author's (the setting `open`); `catch_up`: gives what is new on the topic."""

    def __init__(self, secret: bytes, *, admits_unsigned: bool = False, catch_up: Callable[[], Iterable[Incoming]] = lambda: ()) -> None:
        self._operator = signing.Signer.operator(secret).key.public_key()
        self._admits_unsigned, self._catch_up = admits_unsigned, catch_up
        self._principals: dict[tuple[str, str], Principal] = {}
        self._keys: dict[tuple[str, str], _Known] = {}
        self._lock = threading.Lock()

    def refresh(self) -> None:
        """Take what is new on the topic."""
        with self._lock:
            for message in self._catch_up():
                self.take(message)

    def take(self, message: Incoming) -> None:
        """A message of the topic, in order; one that does not stand for its principal is passed over: the scan refuses it by its own."""
        principal = decode_as(Principal, message.value)
        if isinstance(principal, Problem) or message.key != f"{principal.org}/{principal.principal}".encode() or problem(principal):
            return
        if self._of(signing.read(message.headers), message, principal.org) is not ANYBODY:
            return
        known = replace(principal, keys=keys.bounded(principal.keys, message.at))
        before = self._principals.get((known.org, known.principal))
        self._principals[known.org, known.principal] = known
        for key in () if before is None else before.keys:
            self._keys.pop((known.org, key.key_id), None)
        for key in known.keys:
            public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.public_key)) if key.public_key else None
            self._keys[known.org, key.key_id] = _Known(known.principal, known.kind, key, public, known.roles)

    def principals(self) -> Sequence[Principal]:
        """All that are known, by organisation and name."""
        return [principal for _, principal in sorted(self._principals.items())]

    def find(self, org: str, name: str) -> Principal | None:
        """A principal, where it is known."""
        return self._principals.get((org, name))

    def with_keys(self, principal: Principal) -> Principal:
        """A principal with the keys, the roles and the kind that are known of it: what else is said of it leaves them as they are."""
        known = self.find(principal.org, principal.principal)
        return principal if known is None else replace(principal, kind=known.kind, keys=known.keys, roles=known.roles)

    def speaker(self, message: Incoming, org: str) -> Speaker | None:
        """Who signed a message of an organisation; None where nobody did whose key counted at that time."""
        signature = signing.read(message.headers)
        if signature is not None and self._unheard(signature, org):
            self.refresh()
        return self._of(signature, message, org)

    def _unheard(self, signature: signing.Signature, org: str) -> bool:
        key_id = signature.passed_on if signature.operator else signature.key_id
        return key_id is not None and (org, key_id) not in self._keys

    def _of(self, signature: signing.Signature | None, message: Incoming, org: str) -> Speaker | None:
        if signature is None:
            unsigned = all(name != signing.HEADER for name, _ in message.headers)
            return ANYBODY if unsigned and self._admits_unsigned else None
        key_id = signature.passed_on if signature.operator else signature.key_id
        known = None if key_id is None else self._keys.get((org, key_id))
        if key_id is not None and (known is None or not _counts(known.key, message.at)):
            return None
        public = self._operator if signature.operator else known.public if known is not None else None
        if public is None or not signing.verifies(public, signature, message.topic, org, message.value or b""):
            return None
        return ANYBODY if known is None else Speaker(known.principal, known.key.attests, known.roles, known.kind)


def _counts(key: Key, at: datetime) -> bool:
    return key.added_at <= at and (key.revoked_at is None or at < key.revoked_at)
