"""The application: its routes, and what holds for all of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from pipelines.api import briefing, claims, erasures, health, learnings, pools, problems, receipts, runs, search
from pipelines.api.limits import BodyLimit
from pipelines.api.services import Deployment, services

ROUTES = (runs, learnings, search, briefing, pools, claims, erasures, receipts, health)

_ABOUT = """Agents send what they did, what they learned and how it turned out, and ask what is known.

Every request but those for health carries `Authorization: Bearer KEY`; the key says who calls, and nothing else does. The operator's token
of the data directory is a bearer too: it acts for whom a request names, by `org` and `agent` or by the headers `Tidegate-Org` and
`Tidegate-Agent`. A write is answered 202 once the broker has it, with a receipt whose parts tell how it ended. Refusals are
`application/problem+json` (RFC 9457)."""


def create(deployment: Deployment) -> FastAPI:
    """An application for a deployment; what it needs is opened as it starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with services(deployment) as opened:
            app.state.services = opened
            yield

    # No pages of documentation: they would fetch scripts from elsewhere. /openapi.json is what they are made of.
    app = FastAPI(title="Tidegate", description=_ABOUT, version=version("tidegate"), lifespan=lifespan, docs_url=None, redoc_url=None)
    problems.install(app)
    app.add_middleware(BodyLimit, limit=deployment.body_limit)
    app.add_middleware(problems.Faults)
    for group in ROUTES:
        app.include_router(group.router)
    return app
