"""Values under telling keys of structured inputs and outputs: names, addresses, birth dates, accounts (SPEC 3.5, 3.11).

Few runtimes say whom a run met; what it read says it. JSON within JSON is opened.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.scan.assigned import kind_of
from agents.scan.words import english_words, word_set

_DEPTH = 6
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_STREET = word_set(
    "street street_1 street_2 street_address address_1 address_2 address_line address_line_1 address_line_2 line_1 line_2 "
    "postal_address shipping_address billing_address home_address mailing_address addr address"
)
_PLACE = word_set("city town zip zip_code zipcode postcode postal_code state province region country county")
_BIRTH = word_set("dob birth_date date_of_birth birthdate birthday birth_day born born_on")
_PHONE = word_set(
    "phone phone_number phone_no mobile mobile_number mobile_phone cell cell_phone telephone tel fax contact_number home_phone work_phone"
)
_NATIONAL = word_set(
    "ssn social_security social_security_number national_id national_insurance_number nino nin passport passport_number "
    "passport_no tax_id tin nhs_number mrn medical_record_number patient_id health_id insurance_number driver_license "
    "drivers_license license_number aadhaar pan_number"
)
_ACCOUNT = word_set(
    "account_number account_no bank_account bank_account_number iban card_number credit_card_number cc_number pan routing_number sort_code"
)
_FIRST = word_set("first_name firstname given_name forename")
_LAST = word_set("last_name lastname surname family_name")
_FULL = word_set(
    "full_name fullname customer_name client_name patient_name passenger_name user_full_name contact_name holder holder_name "
    "account_holder cardholder cardholder_name card_holder recipient recipient_name guest_name employee_name owner_name "
    "beneficiary"
)
_PARTY = word_set("customer client account company organisation organization patient passenger guest")
_RECORD = word_set(
    "order_id order_number order account_id account_number account reservation_id booking_id booking_reference "
    "confirmation_number invoice_id invoice_number user_id customer_id client_id patient_id member_id membership_id "
    "policy_number subscription_id loyalty_id passenger_id"
)
_CONTACT = word_set("email email_address mail phone phone_number mobile user_id customer_id account_id username patient_id employee_id")

_PERSON = re.compile(r"[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){1,3}$")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{1,2} \w{3,9} \d{4}|\w{3,9} \d{1,2},? \d{4}")
_POSTAL = re.compile(r"(?=.*[^\W\d_]{2})(?=.*\d)(?=.*[ ,])(?!.*(?:://|0x|@))")


@dataclass(frozen=True, slots=True)
class Told:
    """A value that its key tells. `floor`: it is a person's own data. `layer`: crosscheck, pii or credential."""

    value: str
    kind: str
    layer: str = "pii"
    floor: bool = False


def told(value: Any) -> Iterator[Told]:
    """What telling keys give away in a JSON value."""
    yield from _walk(value, 0)


def opened(text: str) -> Any:
    """The JSON value that a text is or holds, or None."""
    head = text.lstrip()[:1]
    if head and head in "{[":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    at = text.find('{"')
    if at < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        return None


def _walk(value: Any, opened_before: int) -> Iterator[Told]:
    if opened_before > _DEPTH:
        return
    if isinstance(value, dict):
        yield from _object(value)
        for inner in value.values():
            yield from _walk(inner, opened_before)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, opened_before)
    elif isinstance(value, str) and len(value) > 8 and (inner := opened(value)) is not None:
        yield from _walk(inner, opened_before + 1)


def _object(obj: dict[str, Any]) -> Iterator[Told]:
    named = {_plain(k): v for k, v in obj.items()}
    yield from _secrets(obj)
    yield from _data(named)
    names = list(_names(named))
    yield from names
    if _RECORD & named.keys() and (names or any(True for v in obj.values() for _ in _names_below(v, 0))):
        # An order or account record with its holder's name.
        for told_name in names or [n for v in obj.values() for n in _names_below(v, 0)]:
            yield Told(told_name.value, told_name.kind, floor=True)


def _secrets(obj: dict[str, Any]) -> Iterator[Told]:
    for key, value in obj.items():
        if isinstance(value, str) and (kind := kind_of(key, value)):
            yield Told(value, kind, "credential")
    name, value = obj.get("name") or obj.get("key"), obj.get("value")
    if isinstance(name, str) and isinstance(value, str) and (kind := kind_of(name, value)):
        yield Told(value, kind, "credential")


def _data(named: dict[str, Any]) -> Iterator[Told]:
    places = sum(k in _PLACE for k in named)
    for key, value in named.items():
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not text.strip():
            continue
        digits = sum(c.isdigit() for c in text)
        if key in _STREET and (_POSTAL.match(text) or (places >= 2 and key != "address" and len(text) > 3)):
            yield Told(text, "address", floor=True)
        elif key in ("zip", "zip_code", "zipcode", "postcode", "postal_code") and digits >= 3 and places >= 2:
            yield Told(text, "postcode", floor=True)
        elif key in _BIRTH and _DATE.search(text):
            yield Told(text, "birth_date", floor=True)
        elif key in _PHONE and digits >= 7:
            yield Told(text, "phone", floor=True)
        elif key in _NATIONAL and digits >= 4 and len(text) <= 40:
            yield Told(text, "national_id", floor=True)
        elif key in _ACCOUNT and digits >= 4 and len(text) <= 40:
            yield Told(text, "account", floor=True)


def _names(named: dict[str, Any]) -> Iterator[Told]:
    first = next((v for k, v in named.items() if k in _FIRST and isinstance(v, str) and v.strip()), "")
    last = next((v for k, v in named.items() if k in _LAST and isinstance(v, str) and v.strip()), "")
    if first and last:
        yield Told(f"{first} {last}", "person")
        yield Told(f"{first}_{last}", "person")
    for part in (first, last):
        if len(part) >= 3 and part.lower() not in english_words():
            yield Told(part, "person")
    for key, value in named.items():
        if not isinstance(value, str):
            continue
        if (key in _FULL and len(value) >= 4 and _PERSON.match(value)) or (
            key == "name" and _CONTACT & named.keys() and _PERSON.match(value) and value.istitle()
        ):
            yield Told(value, "person")
        elif key in _PARTY and 4 <= len(value) <= 60 and value[:1].isupper() and value.lower() not in english_words():
            yield Told(value, "entity", "crosscheck")


def _names_below(value: Any, depth: int) -> Iterator[Told]:
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        yield from (t for t in _names({_plain(k): v for k, v in value.items()}) if t.kind == "person")
        for inner in value.values():
            yield from _names_below(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_below(inner, depth + 1)


def words_of(key: str) -> list[str]:
    """The words of a key, in lower case: firstName, First-Name and first_name have the same."""
    return [word.lower() for word in _WORD.findall(key)]


def _plain(key: str) -> str:
    return "_".join(words_of(key))
