"""What an agent's runtime needs of Tidegate: tell runs and outcomes, ask what is known.

with tidegate_client.over_http("http://127.0.0.1:8080", key="tg_…") as tidegate:
    with tidegate.run(goal="refund order 7", work_area="support/refunds") as run:
        advice = run.recall("customer wants a refund")
        run.step("orders.get", input={"order": 7}, output="in transit")
        run.learn("support/refunds/pattern-check-status", "Check the status of an order before you offer a refund.")
    run.report("success", verified_by="ci", credits=[Credit(ref=advice.rows[0]["ref"])])
"""

from tidegate_client.client import Client, over_http, over_kafka
from tidegate_client.forms import Claim, Credit, Learning, Recalled, Row
from tidegate_client.recording import Run
from tidegate_client.sending import Closed, Lost, NotSent, Refused, Unavailable

__all__ = [
    "Claim",
    "Client",
    "Closed",
    "Credit",
    "Learning",
    "Lost",
    "NotSent",
    "Recalled",
    "Refused",
    "Row",
    "Run",
    "Unavailable",
    "over_http",
    "over_kafka",
]
