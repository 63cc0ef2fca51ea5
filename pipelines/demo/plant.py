"""Values that must never come through: made up at random in valid formats, so that no literal of one stands in the code."""

import base64
import json
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_FIRST = ("Zofia", "Ingrid", "Tariq", "Beatriz", "Oluwaseun", "Haruka", "Matteo", "Priyanka", "Caspian", "Leocadia", "Dmitri", "Solveig")
_LAST = (
    ("Quill", "Thorn", "Vander", "Black", "Oster", "Mirk", "Hallo", "Wren", "Ashen", "Drago"),
    ("feather", "gaard", "mire", "wick", "holt", "stead", "burgh", "combe", "thwaite", "quist"),
)
_STREETS = ("Juniper Street", "Larkspur Avenue", "Millpond Road", "Cobbler Lane", "Harbour Drive")


@dataclass(frozen=True, slots=True)
class Planted:
    """A value that is planted. `floor`: what it pulls the learnings of its run to (SPEC 3.11), if anything."""

    kind: str
    value: str
    floor: str | None


class Planter:
    """Makes values and remembers them."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.planted: list[Planted] = []

    def credential(self) -> str:
        """A secret of one of many vendors' formats, alone."""
        kind = self._random.choice(sorted(_CREDENTIALS))
        return self._keep(kind, _CREDENTIALS[kind](self), "sensitive")

    def assignment(self) -> str:
        """A password as a configuration file sets it: the name gives it away, not the format."""
        return f"db_password = {self._keep('password', self.letters(18), 'sensitive')}"

    def dsn(self) -> str:
        """A connection string with a password in it."""
        password = self._keep("dsn_password", self.letters(20), "sensitive")
        return f"postgres://reporting:{password}@db-{self.pick('0123456789', 2)}.internal:5432/orders"

    def card(self) -> str:
        """A card number that passes Luhn."""
        digits = [4, *(self._random.randrange(10) for _ in range(14))]
        odd = sum(sum(divmod(2 * d, 10)) for d in digits[::2]) + sum(digits[1::2])
        return self._keep("card", "".join(map(str, digits)) + str(-odd % 10), "agent_specific")

    def iban(self) -> str:
        """A bank account whose check digits are right."""
        account = self.pick("0123456789", 18)
        check = 98 - int(f"{account}131400") % 97
        return self._keep("iban", f"DE{check:02}{account}", "agent_specific")

    def phone(self) -> str:
        """A telephone number."""
        return self._keep("phone", f"+44 20 7{self.pick('0123456789', 3)} {self.pick('0123456789', 4)}", "agent_specific")

    def address(self) -> str:
        """A postal address."""
        return self._keep("address", f"{self._random.randrange(100, 999)} {self._random.choice(_STREETS)}", "agent_specific")

    def person(self) -> str:
        """First and last name of somebody who does not exist."""
        last = "".join(self._random.choice(part) for part in _LAST) + self._random.choice(("", "son", "sen", "ova", "ski"))
        return self._keep("person", f"{self._random.choice(_FIRST)} {last}", None)

    def email(self, person: str) -> str:
        """Somebody's address for mail."""
        local = person.lower().replace(" ", ".")
        return self._keep("email", f"{local}{self._random.randrange(10, 99)}@{self._random.choice(('example', 'sample'))}-mail.com", None)

    def ip(self) -> str:
        """The address of a machine."""
        return self._keep("ip", ".".join(("10", *(str(self._random.randrange(20, 250)) for _ in range(3)))), None)

    def uuid(self) -> str:
        """An id of somebody's case."""
        return self._keep("uuid", f"{self.hex(8)}-{self.hex(4)}-4{self.hex(3)}-a{self.hex(3)}-{self.hex(12)}", None)

    def birth(self) -> str:
        """A day of birth."""
        day = f"{self._random.randrange(1950, 2005)}-{self._random.randrange(1, 13):02}-{self._random.randrange(1, 29):02}"
        return self._keep("birth_date", day, "agent_specific")

    def order(self) -> dict[str, str]:
        """An order with its holder's name and address, as a shop's API gives it."""
        return {
            "order_id": "W" + self.pick("0123456789", 8),
            "customer_name": self.person(),
            "shipping_address": f"{self.address()}, Springford {self.pick('0123456789', 5)}",
            "phone": self.phone(),
            "status": self._random.choice(("shipped", "delivered", "pending")),
        }

    def letters(self, size: int) -> str:
        """Letters and digits."""
        return self.pick(_ALNUM, size)

    def hex(self, size: int) -> str:
        """Hexadecimal digits."""
        return self.pick(_HEX, size)

    def pick(self, alphabet: str, size: int) -> str:
        """Characters of an alphabet."""
        return "".join(self._random.choice(alphabet) for _ in range(size))

    def _keep(self, kind: str, value: str, floor: str | None) -> str:
        self.planted.append(Planted(kind, value, floor))
        return value


def _jwt(planter: Planter) -> str:
    def part(content: dict[str, str]) -> str:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")

    return ".".join((part({"alg": "HS256", "typ": "JWT"}), part({"sub": planter.hex(12), "jti": planter.hex(16)}), planter.letters(43)))


_CREDENTIALS: Mapping[str, Callable[[Planter], str]] = {
    "aws_key_id": lambda p: "AK" + "IA" + p.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "github_token": lambda p: "gh" + "p_" + p.letters(36),
    "gitlab_token": lambda p: "glp" + "at-" + p.letters(20),
    "google_api_key": lambda p: "AI" + "za" + p.letters(35),
    "jwt": _jwt,
    "npm_token": lambda p: "np" + "m_" + p.letters(36),
    "sendgrid_key": lambda p: "S" + "G." + p.letters(22) + "." + p.letters(43),
    "shopify_token": lambda p: "shp" + "at_" + p.hex(32),
    "slack_token": lambda p: "xo" + "xb-" + p.pick("123456789", 12) + "-" + p.pick("123456789", 12) + "-" + p.letters(24),
    "stripe_key": lambda p: "sk" + "_live_" + p.letters(24),
}
