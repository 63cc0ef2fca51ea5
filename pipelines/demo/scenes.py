"""What happens in one run: its goal, its steps, whom it met, and what its author lets slip into a wording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from pipelines.demo.lore import Department
from pipelines.demo.plant import Planter

Json = dict[str, Any]

LEAKS = ("name", "machine", "secret", "card", "phone")
"""What slips in: a name and its mail, a machine's address and a case's id, a secret; a card in the cue; a phone in the value."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A run but for what was learned. `person`: whom it is about."""

    goal: str
    person: str
    steps: Sequence[Json]
    entities: Sequence[Mapping[str, str]]


def scene(random: Random, planter: Planter, department: Department, kind: str) -> Scene:
    """A run of a kind: `quiet`, `order` (it reads somebody's own data) or `secret` (a credential comes by)."""
    if kind == "order":
        return _order(random, planter, department)
    person = planter.person()
    email = planter.email(person)
    steps = [
        {"kind": "message", "role": "user", "output": f"{person} writes from {email} and waits for an answer."},
        _call(random, department, {"query": email}, {"found": random.randrange(1, 9)}),
    ]
    if kind == "secret":
        steps.append(_secret(random, planter, department))
    steps.append({"kind": "message", "role": "assistant", "output": "It is done."})
    entities = [{"kind": "person", "value": person}, {"kind": "email", "value": email}]
    return Scene(random.choice(department.goals).format(person=person), person, steps, entities)


def leaked(planter: Planter, learning: Json, shown: Scene, leak: str) -> Json:
    """A learning with what slipped into it."""
    rule = learning["rule"]
    match leak:
        case "name":
            return learning | {"rule": f"{rule} It was so for {shown.person} ({planter.email(shown.person)}) too."}
        case "machine":
            return learning | {"rule": f"{rule} Seen on {planter.ip()} in case {planter.uuid()}."}
        case "secret":
            return learning | {"rule": f"{rule} Sign in with {planter.credential()} for it."}
        case "card":
            return learning | {"cue": f"{learning['cue']}, paid with {planter.card()}"}
    return learning | {"value": {"ask": planter.phone()}}


def _order(random: Random, planter: Planter, department: Department) -> Scene:
    # This runtime lists no entities: the keys of what its tools return tell them.
    order = planter.order()
    person = order["customer_name"]
    account = {"account_holder": person, "iban": planter.iban(), "card_number": planter.card(), "date_of_birth": planter.birth()}
    steps = [
        {"kind": "message", "role": "user", "output": f"Here is {person}, about {order['order_id']}."},
        _call(random, department, {"order": order["order_id"]}, {"order": order}),
        _call(random, department, {"holder": person}, {"text": "one account", "account": account}),
        {"kind": "message", "role": "assistant", "output": f"I wrote to {person} at {order['shipping_address']}."},
    ]
    return Scene(random.choice(department.goals).format(person=person), person, steps, [])


def _secret(random: Random, planter: Planter, department: Department) -> Json:
    match random.randrange(4):
        case 0:
            output: Any = f"# settings\n{planter.assignment()}\nretries = 3\n"
        case 1:
            output = {"config": {"database": planter.dsn(), "pool": 5}}
        case 2:
            output = f"curl -H 'Authorization: Bearer {planter.credential()}' https://api.example.com/v1/items"
        case _:
            output = {"env": [{"name": "SERVICE_TOKEN", "value": planter.credential()}]}
    return _call(random, department, {"read": "settings"}, output)


def _call(random: Random, department: Department, given: Json, output: Any) -> Json:
    return {
        "kind": "tool",
        "tool": random.choice(department.tools),
        "call_id": f"c-{random.randrange(10**6)}",
        "duration_ms": random.randrange(20, 900),
        "input": given,
        "output": output,
        "status": "ok",
    }
