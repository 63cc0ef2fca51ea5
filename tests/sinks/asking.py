"""Questions to the engine's HTTP front."""

import urllib.error
import urllib.parse
import urllib.request

from sinks.front import Front

TOKEN = "t0ken"


def get(front: Front, path: str = "/", body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, str, dict[str, str]]:
    """Status, body and headers of an answer; with the token unless headers are given."""
    request = urllib.request.Request(f"http://127.0.0.1:{front.server_port}{path}", body, headers or {"X-ClickHouse-Key": TOKEN})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)


def asked(sql: str, **more: str) -> str:
    """The path of a query in the URL."""
    return "/?" + urllib.parse.urlencode({"query": sql, **more})
