"""Over HTTP, as the service's docs/http.md describes it."""

from collections.abc import Mapping
from typing import Any

import httpx

from tidegate_client.buffer import Item
from tidegate_client.sending import Refused, Unavailable

_WRITE_SECONDS, _ASK_SECONDS = 60.0, 10.0
_OF_THE_RECORD = (413, 415, 422)
"""Statuses that say something of a record. All others do not: a key may come into force, an address be put right, while records wait."""
_OF_A_QUESTION = (401, 403, 404, *_OF_THE_RECORD)


class Http:
    """A client of the service. `org`, `agent`: for whom, where the key is the operator's; with an agent's own key they may be left out."""

    def __init__(self, url: str, key: str, org: str | None, agent: str | None) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        headers |= {name: value for name, value in (("Tidegate-Org", org), ("Tidegate-Agent", agent)) if value}
        self._client = httpx.Client(base_url=url, headers=headers)

    def send(self, item: Item) -> str:
        """Send a record, and give its receipt. Raises Refused or Unavailable."""
        headers = {"Idempotency-Key": item.key, "Content-Type": "application/json"}
        told = self._asked("POST", f"/{item.topic}", _WRITE_SECONDS, _OF_THE_RECORD, content=item.body, headers=headers)
        receipt = told.get("id")
        if not isinstance(receipt, str):
            raise Unavailable("the answer holds no receipt")
        return receipt

    def recall(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Ask. Raises Refused or Unavailable."""
        return self._asked("POST", "/learnings/search", _ASK_SECONDS, _OF_A_QUESTION, json=dict(asked))

    def receipt(self, receipt: str) -> dict[str, Any]:
        """How the parts of a record have ended. Raises Refused or Unavailable."""
        return self._asked("GET", f"/receipts/{receipt}", _ASK_SECONDS, _OF_A_QUESTION)

    def close(self) -> None:
        """End its connections."""
        self._client.close()

    def _asked(self, method: str, path: str, seconds: float, final: tuple[int, ...], **more: Any) -> dict[str, Any]:
        try:
            answer = self._client.request(method, path, timeout=seconds, **more)
        except httpx.HTTPError as error:
            raise Unavailable(f"no answer from {self._client.base_url}: {type(error).__name__}") from error
        try:
            told = answer.json()
        except ValueError:
            told = None
        told = told if isinstance(told, dict) else {}
        if answer.is_success:
            return told
        reason = told.get("detail") or f"answered {answer.status_code}"
        if answer.status_code in final and "code" in told:
            raise Refused(reason, told["code"], told.get("field"))
        raise Unavailable(reason, _seconds(answer.headers.get("Retry-After")))


def _seconds(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:  # the form with a date, which the service does not send
        return None
