"""ClickHouse's HTTP interface over the embedded engine, as far as readers need it: clickhouse-connect, curl and other tools connect to it.

The query stands in the URL (`query`), in the body, or begins in one and ends in the other; `param_…`, `database`, `default_format` and
settings are read from the URL or a form, the key from `X-ClickHouse-Key`, basic or bearer authorization. Every request gets an engine
handle of its own, read-only, so that no setting of one is seen by another, and none waits for the sink.
"""

import base64
import hmac
import logging
import re
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import chdb
import psutil
from clickhouse_connect.driver.client import Client

from sinks import allowed
from sinks.allowed import Functions
from sinks.client import DATABASE
from sinks.door import EVERYBODY, Asker, asker
from sinks.identity import find_key
from sinks.recent import Recent
from sinks.statement import FILES, Refused, Statement, read

log = logging.getLogger(__name__)

QUERIES_AT_ONCE = 8
QUERY_SECONDS = 60
QUERY_BYTES = max(256 * 1024 * 1024, psutil.virtual_memory().total // (2 * QUERIES_AT_ONCE))
"""What a query may take where it does not ask for other: all at once leave half of the memory to the sink, which shares the process."""
LARGEST_BODY = 16 * 1024 * 1024
IDLE_SECONDS = 60.0
STREAMED = frozenset({"Native", "TabSeparated", "TSV", "CSV", "RowBinary", "JSONEachRow"})
"""Formats whose blocks can stand one behind the other; an answer in another one is made whole first."""
TRANSPORT = frozenset(
    "query database default_format user password session_id session_timeout session_check query_id quota_key compress decompress role"  # noqa: SIM905
    " buffer_size wait_end_of_query client_protocol_version send_progress_in_http_headers http_headers_progress_interval_ms"
    " log_comment enable_http_compression cancel_http_readonly_queries_on_client_close stacktrace".split()
)
"""URL parameters that belong to the interface, not to the engine's settings; by `log_comment`, which dbt sends, we say who asks."""
_BOUNDARY = re.compile(r'multipart/form-data; *boundary="?([^";]+)"?', re.IGNORECASE)
_FIELD = re.compile(rb'[; ]name="([^"]*)"')
_CODE = re.compile(r"Code: (\d+)")
_READONLY, _SYNTAX, _AUTHENTICATION_FAILED = 164, 62, 516


class Front(ThreadingHTTPServer):
    """The HTTP server on loopback. `path`: as chDB opens it; `port` 0 takes a free one (`server_port`); `client` finds keys."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: str, token: str, port: int, client: Client) -> None:
        self.path = path
        self.token = token.encode()
        self._client, self._looking = client, Lock()
        self._known: Recent[Asker | None] = Recent()
        self.turns = BoundedSemaphore(QUERIES_AT_ONCE)
        with _handle(path, {}, EVERYBODY) as handle:
            self.functions = Functions(handle)
        super().__init__(("127.0.0.1", port), _Request)

    def asker(self, key: str) -> Asker | None:
        """For whom a key asks: the operator's token for everybody; None for one that opens nothing."""
        if hmac.compare_digest(key.encode("utf-8", "surrogateescape"), self.token):
            return EVERYBODY
        with self._looking:  # chDB's client serves one thread at a time
            return self._known.get(key, lambda: asker(who) if (who := find_key(self._client, key)) else None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away, for the most part. What the error says may hold what was asked: only its type may be logged."""
        log.warning("a request was not answered: %s", type(sys.exception()).__name__)

    def drain(self, seconds: float) -> bool:
        """Keep new queries out and wait for those that run; whether they all ended in time."""
        return sum(self.turns.acquire(timeout=seconds) for _ in range(QUERIES_AT_ONCE)) == QUERIES_AT_ONCE


class _Failed(Exception):
    """What the answer says instead of rows."""

    def __init__(self, status: HTTPStatus, code: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "tidegate"
    sys_version = ""
    timeout = IDLE_SECONDS
    server: Front

    def do_GET(self) -> None:
        """A query in the URL, or `/ping`."""
        self._answer()

    def do_POST(self) -> None:
        """A query in the body."""
        self._answer()

    def do_HEAD(self) -> None:
        """Whether the server is there."""
        self._plain(HTTPStatus.OK, b"")

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: they hold what somebody asked."""

    def _answer(self) -> None:
        try:
            url = urlsplit(self.path)
            fields, body = self._body()
            given = dict(parse_qsl(url.query, keep_blank_values=True, errors="strict")) | fields
            sql = "\n".join(part for part in (given.get("query", ""), body) if part.strip())
            if url.path == "/ping" or (url.path == "/" and not sql):
                self._plain(HTTPStatus.OK, b"Ok.\n")
                return
            if url.path != "/":
                raise _Failed(HTTPStatus.NOT_FOUND, _SYNTAX, "there is only / and /ping here")
            asker = self._authenticate()
            with self.server.turns, _handle(self.server.path, given, asker) as handle:
                self._run(handle, sql, given, asker)
        except _Failed as failed:
            self._plain(failed.status, f"Code: {failed.code}. DB::Exception: {failed}\n".encode(), failed.code)
        except RuntimeError as error:  # chdb's errors are all of this kind
            text = str(error)
            found = _CODE.search(text)
            text = text[found.start() :] if found else text
            self._plain(HTTPStatus.INTERNAL_SERVER_ERROR, text.encode("utf-8", "replace") + b"\n", int(found[1]) if found else 1002)
        except ValueError:  # of an address, a form or a query that is none: its text may hold what was sent
            self._plain(HTTPStatus.BAD_REQUEST, b"neither address nor query are to be read: both are UTF-8\n", _SYNTAX)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _body(self) -> tuple[dict[str, str], str]:
        """The fields of a form, and what else stands in the body. clickhouse-connect sends parameters too long for an address as a form."""
        try:
            size = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            size = -1
        if "Transfer-Encoding" in self.headers:  # as clients send rows
            self.close_connection = True  # what follows is not a request
            raise _Failed(HTTPStatus.FORBIDDEN, _READONLY, "this endpoint reads only: it takes no rows")
        if not 0 <= size <= LARGEST_BODY:
            self.close_connection = True
            raise _Failed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _SYNTAX, f"a body has a Content-Length of at most {LARGEST_BODY} bytes")
        body = self.rfile.read(size)
        boundary = _BOUNDARY.match(self.headers.get("Content-Type", ""))
        if boundary is None:
            return {}, body.decode()
        fields = {}
        for part in body.split(b"--" + boundary[1].encode())[1:-1]:
            head, _, value = part.partition(b"\r\n\r\n")
            if name := _FIELD.search(head):
                fields[name[1].decode()] = value.removesuffix(b"\r\n").decode()
        return fields, ""

    def _authenticate(self) -> Asker:
        scheme, _, credentials = self.headers.get("Authorization", "").partition(" ")
        key = self.headers.get("X-ClickHouse-Key", "")
        if scheme.lower() == "bearer":
            key = credentials.strip()
        elif scheme.lower() == "basic":
            try:
                key = base64.b64decode(credentials, validate=True).decode().partition(":")[2]
            except ValueError:
                key = ""
        found = self.server.asker(key) if key else None
        if found is None:
            raise _Failed(
                HTTPStatus.FORBIDDEN if key else HTTPStatus.UNAUTHORIZED,
                _AUTHENTICATION_FAILED,
                "the operator's token is needed, or the key of an agent, an analyst, an auditor or an administrator",
            )
        return found

    def _run(self, handle: Any, sql: str, given: Mapping[str, str], asker: Asker) -> None:
        params = {name.removeprefix("param_"): value for name, value in given.items() if name.startswith("param_")}
        try:
            statement = read(handle, sql, params, self.server.functions, asker.views)
        except Refused as refused:
            raise _Failed(HTTPStatus.FORBIDDEN, _READONLY, str(refused)) from refused
        form = statement.format or given.get("default_format") or self.headers.get("X-ClickHouse-Format") or "TabSeparated"
        blocks = _blocks(handle, statement, form, params)
        first = next(blocks, b"")  # a query that fails at once fails before the answer has begun
        self.send_response(HTTPStatus.OK)
        self._headers(form)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self._chunk(first)
            for block in blocks:
                self._chunk(block)
            self.wfile.write(b"0\r\n\r\n")
        except RuntimeError:
            log.warning("a query failed in the middle of its answer")
            self.close_connection = True  # without the last chunk: the client sees that it was cut

    def _chunk(self, block: bytes) -> None:
        if block:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(block), block))

    def _headers(self, form: str) -> None:
        self.send_header("X-ClickHouse-Server-Display-Name", "tidegate")
        self.send_header("X-ClickHouse-Query-Id", str(uuid.uuid4()))
        self.send_header("X-ClickHouse-Format", form)
        self.send_header("X-ClickHouse-Timezone", "UTC")
        self.send_header("Content-Type", "application/json" if form.startswith("JSON") else "text/plain; charset=UTF-8")

    def _plain(self, status: HTTPStatus, text: bytes, code: int | None = None) -> None:
        self.send_response(status)
        if code is not None:
            self.send_header("X-ClickHouse-Exception-Code", str(code))
        if status == HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", 'Basic realm="tidegate"')
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def _handle(path: str, given: Mapping[str, str], asker: Asker) -> Iterator[Any]:
    """A handle of the engine with the request's database and settings, for whom it asks, and read-only from then on."""
    handle: Any = chdb.connect(path)  # type: ignore[no-untyped-call]
    try:
        asked = given.get("database", "")
        # Tools name the database that a server calls its default; here that one holds the machine's files.
        name = (DATABASE if asked in ("", FILES) else asked).replace("\\", "\\\\").replace("`", "\\`")
        handle.query(f"USE `{name}`")
        handle.query(f"SET max_memory_usage = {QUERY_BYTES}, max_execution_time = {QUERY_SECONDS}")
        for setting, value in given.items():
            if setting in TRANSPORT or setting == "readonly" or setting.startswith("param_"):
                continue
            if not allowed.setting(setting):
                raise _Failed(HTTPStatus.BAD_REQUEST, _SYNTAX, "a parameter of the URL is no setting that may be changed here")
            quoted = value.replace("\\", "\\\\").replace("'", "\\'")
            handle.query(f"SET {setting} = '{quoted}'")
        comment = asker.comment.replace("\\", "\\\\").replace("'", "\\'")
        handle.query(f"SET log_comment = '{comment}'")
        # 2 lets a statement change settings, but for this one; 1, where it is asked for, does not.
        handle.query(f"SET readonly = {1 if given.get('readonly') == '1' else 2}")
        yield handle
    finally:
        handle.close()


def _blocks(handle: Any, statement: Statement, form: str, params: Mapping[str, str]) -> Iterator[bytes]:
    if form not in STREAMED or not statement.selects:
        yield handle.query(statement.sql, form, params=dict(params)).bytes() or b""
        return
    stream = handle.send_query(statement.sql, form, params=dict(params))
    try:
        for block in stream:
            yield block.bytes()
    finally:
        stream.close()
