"""Who is a person and who is not (SPEC 3.6)."""

import pytest

from agents.scan.text import scan_text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The refund was asked for by Katarzyna Wolińska yesterday.", "Katarzyna Wolińska"),
        ("Ask Priya before you merge.", "Priya"),
        ("please talk to mrs. okonkwo about it", "okonkwo"),
        ("My name is Will", "Will"),
        ("Customer Mina Okafor is calling about billing", "Mina Okafor"),
        ("Approved by J. Haverkamp", "J. Haverkamp"),
        ("It was written by Ludwig van der Meer", "Ludwig van der Meer"),
        ("Attendees: Romy, Erik, Ngozi and Daniel.", "Ngozi"),
        ("name: Gwendolyn Archibald-Price", "Gwendolyn Archibald-Price"),
        ("The parcel of Xiadani Quispe R. Mamani was lost", "Xiadani Quispe R. Mamani"),
        ("my name is helena lindqvist.", "helena lindqvist"),
        ("Ticket opened by Meenakshi Murugesan yesterday", "Meenakshi Murugesan"),
        ("Please ask Seoyeon to check the logs.", "Seoyeon"),
        ("Escalate to Adebayo Ogunlesi when it is late", "Adebayo Ogunlesi"),
        ("the holder (Halyna) disagreed", "Halyna"),
        ("Siriporn Wongsakul (Siriporn) asked", "Siriporn Wongsakul"),
        ("Fatima's order is late; Fatima Benali paid twice.", "Fatima Benali"),
    ],
)
def test_is_a_person(text: str, name: str) -> None:
    done = scan_text(text)
    assert name in [text[h.start : h.end] for h in done.findings if h.kind == "person"]
    assert name not in done.masked


def test_a_part_of_a_name_is_found_again() -> None:
    assert "Haverkamp" not in scan_text("Ines Haverkamp called. Then Haverkamp wrote.").masked


@pytest.mark.parametrize(
    "text",
    [
        "Use Django with Redis and Celery behind Nginx.",
        "Prefer Claude over Gemini on Monday in May.",
        "Integrate Livewire components with Laravel's backend.",
        "Call `Julia.run()` and `Tracy::Profiler`.",
        "Dan_reviewer = get_user(Maria)",
        "Retry when Page is empty; Will it pass? Mark it done.",
        "Follow Django's best practices in Paris, Berlin and Sydney.",
        "The TokenLimit of OpenAI and the LangChain API",
        "Use Chakra UI's built-in accessibility features",
        "GET /users/Olivia/orders returned 404",
        "name: Publish package",
        "Call `create(Olivia)` and getUser(Maria)",
        "Alice & Co Ltd and the Johnson Group pay by invoice",
    ],
)
def test_is_no_person(text: str) -> None:
    assert [text[h.start : h.end] for h in scan_text(text).findings if h.kind == "person"] == []


def test_tools_are_allowed_by_their_whole_span() -> None:
    """SPEC 3.6."""
    text = "Start Olivia Benton, then stop it."
    assert scan_text(text, [], ["Olivia Benton"]).masked == text
    assert scan_text(text, [], ["Olivia"]).masked != text
