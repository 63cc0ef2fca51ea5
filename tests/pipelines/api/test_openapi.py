"""What OpenAPI says is what is answered: schemathesis makes requests of it, right ones and wrong ones, and finds no fault of ours."""

from collections.abc import Iterator
from contextlib import suppress
from threading import Event
from typing import Any

import pytest
import schemathesis
from clickhouse_connect.driver.client import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from pipelines.api.server import serving
from pipelines.api.services import Deployment
from tests.pipelines.api.conftest import OPERATOR, Http

load_all_checks()
ASKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "ignored_auth",
    "unsupported_method",
)
EXAMPLES = settings(
    max_examples=25, deadline=None, derandomize=True, database=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def described(deployment: Deployment, engine: Client) -> Iterator[schemathesis.BaseSchema]:
    """The description of an application that listens on loopback."""
    with serving(deployment, "127.0.0.1", 0, Event()) as port:
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/openapi.json")


@pytest.mark.parametrize(("mode", "routes"), [(GenerationMode.POSITIVE, 8), (GenerationMode.NEGATIVE, 6)])
def test_no_request_finds_a_fault(described: schemathesis.BaseSchema, mode: GenerationMode, routes: int) -> None:
    """Requests as they are described, and requests that are not."""
    headers = {"Authorization": f"Bearer {OPERATOR}", "Tidegate-Org": "acme", "Tidegate-Agent": "agent/fuzz"}
    checks: Any = CHECKS.get_by_names(list(ASKED))
    asked = set()
    found: Any
    for found in described.get_all_operations():
        operation = found.ok()

        @EXAMPLES
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            case.call_and_validate(headers=headers, checks=checks)

        with suppress(Unsatisfiable):  # of a route that takes nothing, nothing can be wrong
            ask()
            asked.add(operation.label)
    assert len(asked) >= routes


def test_every_route_has_examples(http: Http) -> None:
    """Of what is sent, of what is answered, and of each refusal."""
    described = http("GET", "/openapi.json", key=None).json()
    routes = [(path, method, route) for path, methods in described["paths"].items() for method, route in methods.items()]
    assert {(path, method) for path, method, _ in routes} >= {("/runs", "post"), ("/learnings/search", "post"), ("/org/learnings", "get")}
    lacking = []
    for path, method, route in routes:
        contents = [c for told in route["responses"].values() for c in told.get("content", {}).values()]
        contents += list(route.get("requestBody", {}).get("content", {}).values())
        if not contents or any("example" not in content for content in contents):
            lacking.append((path, method))
    assert lacking == []
