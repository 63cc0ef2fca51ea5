"""A small server that speaks the contract of docs/http.md: what a test wants it to answer, and what it was sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, Any], dict[str, str]]


def problem(status: int, code: str, field: str | None = None, **headers: str) -> Answer:
    """A refusal as the service writes it."""
    return status, {"detail": f"{code}: not like that", "code": code, "field": field}, {k.replace("_", "-"): v for k, v in headers.items()}


@dataclass
class Server:
    """`answers`: given in turn, each once, before requests are taken; `held`: until it is set, nothing is answered."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    held: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ids(self) -> set[str]:
        """Ids of the records that it has taken."""
        return {str(body.get("run_id" if "steps" in body else "outcome_id")) for body in self.taken.values()}

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """What a request gets."""
        self.held.wait()
        with self.lock:
            self.requests.append((path, headers, body))
            if self.answers:
                return self.answers.pop(0)
            if path == "/learnings/search":
                return (
                    200,
                    {"recall_id": "rc-1", "known": True, "rows": [{"ref": "ref-1", "rule": "Check first.", "recall_id": "rc-1"}]},
                    {},
                )
            key = headers["Idempotency-Key"]
            if key in self.taken and self.taken[key] != body:
                return problem(422, "idempotency_conflict", "Idempotency-Key")
            self.taken[key] = body
            return 202, {"id": f"receipt-of-{key}", "done": False, "parts": []}, {}


@contextmanager
def serving(server: Server, port: int = 0) -> Iterator[Server]:
    """A server while the block runs; then it is gone, with its connections."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, told, headers = server.answer(self.path, dict(self.headers), body)
            text = json.dumps(told).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server.held.set()
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as listening:
        listening.daemon_threads = True
        server.url = f"http://127.0.0.1:{listening.server_port}"
        threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield server
        finally:
            server.held.set()
            listening.shutdown()
