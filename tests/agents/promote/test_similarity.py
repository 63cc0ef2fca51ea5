"""SPEC 6.4: near-duplicates, contradictions, and wordings that only read alike."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.promote.similarity import Form, form, relation

THRESHOLD = 0.85

DUPLICATES = [
    # punctuation, case, quotes, marks
    ("Cache the lookup table in memory", "cache the lookup table in memory."),
    ("Log the “request id”, not the body.", 'Log the "request id" — not the body'),
    ("Call `flush` before `close`.", "Call flush before close"),
    ("Use UTF-8 for every file name!", "Use UTF-8 for every filename"),
    ("Naïve parsers drop the BOM.", "Nai\u0308ve parsers drop the BOM."),
    # articles, number, possessives, pronouns
    ("The scheduler's clock drifts in the container.", "The clock of the scheduler drifts in a container."),
    ("Quote a path that contains spaces.", "Quote paths that contain spaces"),
    ("Close the cursor after you read the last page.", "Close the cursor after reading the last page."),
    ("Invalidate the user's sessions when their password changes.", "Invalidate the sessions of a user when the password changes."),
    # clauses moved
    ("When the queue is full, drop the oldest message.", "Drop the oldest message when the queue is full."),
    ("After the upload finishes, verify its checksum.", "Verify the checksum after the upload finishes."),
    ("Before you merge, rebase the branch.", "Rebase the branch before merging."),
    ("Vacuum the table, then rebuild its index.", "Vacuum the table and then rebuild the index."),
    ("Warm the cache before opening the port.", "Open the port after warming the cache."),
    ("If the token expired, refresh it.", "Refresh the token if it has expired."),
    # small words
    ("Always rotate the keys after an incident.", "Rotate the keys after an incident."),
    ("Make sure to close the file handle.", "Close the file handle."),
    ("You should batch the inserts.", "Batch the inserts."),
    ("In order to resume, store the offset.", "To resume, store the offset."),
    ("Please remember to drain the node before the upgrade.", "Drain the node before the upgrade."),
    ("Validate the schema prior to publishing.", "Validate the schema before publishing."),
    ("Back off as soon as the server sends a quota error.", "Back off once the server sends a quota error."),
    ("Lower the batch size in case of memory pressure.", "Lower the batch size if there is memory pressure."),
    # spelling, contractions, hyphens
    ("Serialise the colour as hex.", "Serialize the color as hex."),
    ("The catalogue is synchronised nightly.", "The catalog is synchronized nightly."),
    ("Cancelled orders aren't refunded twice.", "Canceled orders are not refunded twice."),
    ("You can't reuse a nonce.", "You cannot reuse a nonce."),
    ("Re-run the job with a clean work-space.", "Rerun the job with a clean work space."),
    ("Reject non-empty trailers.", "Reject trailers that are not empty."),
    ("Use a read-only replica for reports.", "Use read-only replicas for reports."),
    ("Set a time-out on each call.", "Set a timeout on each call."),
    # negation said twice over in other words
    ("Never store the pin.", "Do not store the pin."),
    ("Avoid storing the pin.", "Don't store the pin."),
    ("Don't log in production without a sampler.", "Do not log in production without a sampler"),
    ("The parser no longer accepts comments.", "The parser does not accept comments."),
    # amounts
    ("Retry three times.", "Retry 3 times."),
    ("Retry the upload twice before failing over.", "Retry the upload two times before failing over."),
    ("Wait 30 seconds between two polls.", "Wait 30s between 2 polls."),
    ("Keep 90 minutes of logs.", "Keep 1.5 hours of logs."),
    ("Split files larger than 1,000 MB.", "Split files larger than 1 GB."),
    ("Refund up to $50 without asking.", "Refund at most 50 USD without asking."),
    ("Alert above 95% of disk.", "Alert above 95 percent of the disk."),
    ("The report is built at noon.", "The report is built at 12:00."),
    ("Expire links after one day.", "Expire links after 24 hours."),
    # words of one meaning
    ("Delete temporary files after the run.", "Remove temporary files after the run."),
    ("Verify the signature before unpacking the archive.", "Check the signature before unpacking the archive."),
    ("The maximum page size is 200.", "The max page size is 200."),
    ("Put the database configuration in the environment.", "Put the db config in the env."),
    ("The API responds with an empty list.", "The API answers with an empty list."),
    # order that says nothing
    ("Compare the host and the port.", "Compare the port and the host."),
    ("Strip spaces, tabs and newlines from the key.", "Strip newlines, spaces and tabs from the key."),
    ("Only retry idempotent calls.", "Retry idempotent calls only."),
    ("Look the account up by its number.", "Look up the account by its number."),
    ("Turn tracing off during the load test.", "Turn off tracing during the load test."),
    ("Requests are throttled by the gateway.", "The gateway throttles requests."),
]

DISTINCT = [
    # numbers, in digits and words
    ("Retry three times.", "Retry four times."),
    ("The gateway answers 401 for an expired token.", "The gateway answers 403 for an expired token."),
    ("Keep the last 5 backups.", "Keep the last 50 backups."),
    ("Version 1.1 of the client leaks sockets.", "Version 1.10 of the client leaks sockets."),
    ("Use API v1 for exports.", "Use API v2 for exports."),
    ("Retry once before failing over.", "Retry twice before failing over."),
    ("The cron job starts at 02:00.", "The cron job starts at 03:00."),
    ("Run the sweep every two hours.", "Run the sweep every hour."),
    ("Approve credits of 100 EUR.", "Approve credits."),
    # units and currencies
    ("Set the timeout to 30 seconds.", "Set the timeout to 30 minutes."),
    ("Set the timeout to 30 ms.", "Set the timeout to 30 s."),
    ("Limit uploads to 10 MB.", "Limit uploads to 10 MiB."),
    ("Limit uploads to 10 MB.", "Limit uploads to 10 GB."),
    ("Charge $5 for a replacement.", "Charge €5 for a replacement."),
    ("Weigh parcels in kg.", "Weigh parcels in lb."),
    ("Send at most 10 mails per minute.", "Send at most 10 mails per hour."),
    # named things
    ("Use orders.get to read an order.", "Use orders.list to read an order."),
    ("Send the patch with PUT.", "Send the patch with POST."),
    ("Pass --force to the installer.", "Pass --quiet to the installer."),
    ("Install the package with pip.", "Install the package with conda."),
    ("Set max_retries in the client.", "Set max_backoff in the client."),
    ("Store sessions in Redis.", "Store sessions in Postgres."),
    ("The job runs on Mondays.", "The job runs on Fridays."),
    ("In the EU region, mask the address.", "In the US region, mask the address."),
    ("Deploy to staging first.", "Deploy to production first."),
    ("Read the id from the header.", "Read the id from the body."),
    ("Use a left join for orders without items.", "Use an inner join for orders without items."),
    ("Throw ValueError on a bad date.", "Throw KeyError on a bad date."),
    # another verb or noun
    ("Archive the ticket after the reply.", "Escalate the ticket after the reply."),
    ("Restart the worker when the queue stalls.", "Scale the worker when the queue stalls."),
    ("Ask the customer for the order number.", "Ask the supplier for the order number."),
    # the same words in other places
    ("Move rows from the staging table to the archive table.", "Move rows from the archive table to the staging table."),
    ("Convert dollars to euros.", "Convert euros to dollars."),
    ("The client polls the server.", "The server polls the client."),
    ("The reviewer notifies the author when the build breaks.", "The author notifies the reviewer when the build breaks."),
    ("Trust the cache over the database.", "Trust the database over the cache."),
    ("Prefer tabs to spaces.", "Prefer spaces to tabs."),
    ("Use the index instead of a scan.", "Use a scan instead of the index."),
    ("Encrypt the payload, then sign the header.", "Encrypt the header, then sign the payload."),
    ("Subtract the discount from the tax.", "Subtract the tax from the discount."),
    ("Map the user id to the order name.", "Map the order id to the user name."),
    ("Copy to the bucket.", "Copy from the bucket."),
    # conditions
    ("Retry when the lock is taken.", "Retry until the lock is taken."),
    ("Refund only unopened items.", "Refund unopened items."),
    ("Check the price and the stock.", "Check the price or the stock."),
    ("You may skip the audit.", "You must skip the audit."),
    ("All tenants share the index.", "Some tenants share the index."),
    ("Compress responses over 1 KB.", "Compress responses."),
    ("Notify the owner when the certificate expires.", "Notify the owner before the certificate expires."),
    ("Do not retry if the call is idempotent.", "Retry if the call is not idempotent."),
    ("Sort by date.", "Sort by name."),
]

CONTRADICT = [
    # negation
    ("Cache the token.", "Do not cache the token."),
    ("Cache the token.", "Never cache the token."),
    ("Always quote the identifier.", "Never quote the identifier."),
    ("The endpoint supports ranges.", "The endpoint doesn't support ranges."),
    ("Refunds can be split.", "Refunds cannot be split."),
    ("You must sign the request.", "You must not sign the request."),
    ("You must sign the request.", "You do not have to sign the request."),
    ("Deploy with a lock.", "Deploy without a lock."),
    ("Retry if the call timed out.", "Retry unless the call timed out."),
    ("The field is empty on creation.", "The field is non-empty on creation."),
    ("Log the body of failed calls.", "Avoid logging the body of failed calls."),
    # direction and bounds
    ("Send the receipt before the payment settles.", "Send the receipt after the payment settles."),
    ("Run the linter before the tests.", "Run the linter after the tests."),
    ("Set the maximum heap to half of the memory.", "Set the minimum heap to half of the memory."),
    ("Keep at least 3 replicas.", "Keep at most 3 replicas."),
    ("Alert when more than 5 jobs wait.", "Alert when fewer than 5 jobs wait."),
    ("Approve orders over 100 EUR automatically.", "Approve orders under 100 EUR automatically."),
    ("Increase the pool when latency rises.", "Decrease the pool when latency rises."),
    ("Round the amount up.", "Round the amount down."),
    ("Read the newest record.", "Read the oldest record."),
    # opposite words
    ("Enable the cache in tests.", "Disable the cache in tests."),
    ("Include drafts in the count.", "Exclude drafts from the count."),
    ("Names are case-sensitive.", "Names are case-insensitive."),
    ("The order of keys is stable.", "The order of keys is unstable."),
    ("The writer is synchronous.", "The writer is asynchronous."),
    ("The header is required.", "The header is optional."),
    ("Accept late events.", "Reject late events."),
    ("Prefer the bulk call.", "Avoid the bulk call."),
    ("Open the valve before the pump starts.", "Close the valve before the pump starts."),
    ("Keep the original file name.", "Discard the original file name."),
    ("Run the migrations in parallel.", "Run the migrations sequentially."),
    ("Mutations are reversible.", "Mutations are irreversible."),
    ("The setting is visible to guests.", "The setting is invisible to guests."),
    ("Zero is a valid amount.", "Zero is an invalid amount."),
    ("Trust the client's clock.", "Distrust the client's clock."),
    ("Turn caching on in staging.", "Turn caching off in staging."),
    ("Approve the request of a new vendor.", "Reject the request of a new vendor."),
    ("Push notifications are allowed at night.", "Push notifications are forbidden at night."),
]


def of(rule: str, *tools: str) -> Form:
    return form(rule, None, tools)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(a, b, e) for pairs, e in ((DUPLICATES, "duplicate"), (DISTINCT, "distinct"), (CONTRADICT, "contradict")) for a, b in pairs],
)
def test_relation(a: str, b: str, expected: str) -> None:
    """SPEC 6.4, either way round."""
    found = relation(of(a), of(b), THRESHOLD)
    assert found.relation == expected
    assert relation(of(b), of(a), THRESHOLD) == found


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (("http.get",), ("http.get",), "duplicate"),
        (("http.get", "db.read"), ("db.read", "http.get"), "duplicate"),
        (("http.get",), (), "duplicate"),
        (("http.get",), ("browser.open",), "distinct"),
        (("http.get",), ("http.get", "db.read"), "distinct"),
    ],
)
def test_tools(a: tuple[str, ...], b: tuple[str, ...], expected: str) -> None:
    """SPEC 6.4: same tools or none."""
    rule = "Read the status page before the incident call."
    assert relation(of(rule, *a), of(rule, *b), THRESHOLD).relation == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ('{"steps":["Open the ticket.","Check the order."]}', '{"steps":["Open a ticket","Check the order"]}', "duplicate"),
        ('{"steps":["Open the ticket.","Check the order."]}', '{"steps":["Check the order.","Open the ticket."]}', "distinct"),
        ('{"steps":["Open the ticket."]}', '{"steps":["Open the ticket.","Check the order."]}', "distinct"),
        ('{"steps":["Open the ticket."],"retries":3}', '{"retries":4,"steps":["Open the ticket."]}', "distinct"),
        (
            '{"steps":["Open the ticket."],"on_failure":"Retry."}',
            '{"steps":["Open the ticket."],"on_failure":"Never retry."}',
            "contradict",
        ),
        ('{"steps":["Open the ticket."]}', None, "distinct"),
    ],
)
def test_steps(a: str, b: str | None, expected: str) -> None:
    """SPEC 6.4: for a procedure the steps are compared too, in their order."""
    rule = "How to answer a refund request."
    assert relation(form(rule, a, ()), form(rule, b, ()), THRESHOLD).relation == expected


def test_the_threshold_decides_what_more_words_may_say() -> None:
    """TIDEGATE_SIMILARITY: 12 words and one more read as 0.857."""
    rule = "Check the price, stock, weight, colour, size, brand, tax, label, seller, region, warranty of the item."
    longer = rule.replace("of the item", "of the refurbished item")
    found = relation(of(rule), of(longer), 0.5)
    assert 0.85 < found.similarity < 0.88
    assert found.relation == "duplicate"
    assert relation(of(rule), of(longer), 0.9).relation == "distinct"


WORDS = [w for pair in (*DUPLICATES[:8], *CONTRADICT[:8]) for rule in pair for w in rule.split()]
rules = st.one_of(
    st.sampled_from([rule for pairs in (DUPLICATES, DISTINCT, CONTRADICT) for pair in pairs for rule in pair]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join),
    st.text(max_size=40),
)


@given(a=rules, b=rules, threshold=st.sampled_from([0.5, 0.7, 0.85, 1.0]))
def test_any_two_texts_compare_the_same_either_way_round(a: str, b: str, threshold: float) -> None:
    """And what is no distinct pair, the index of rare words finds: their words' Dice coefficient reaches the threshold."""
    x, y = of(a), of(b)
    found = relation(x, y, threshold)
    assert relation(y, x, threshold) == found
    assert 0.0 <= found.similarity <= 1.0
    assert relation(x, x, threshold).relation == "duplicate"
    if found.relation != "distinct":
        assert 2 * len(x.words & y.words) >= threshold * (len(x.words) + len(y.words)) - 1e-9


@given(rule=st.sampled_from([a for a, _ in DUPLICATES]), seed=st.integers(0, 2**32))
def test_another_word_in_a_place_makes_another_rule(rule: str, seed: int) -> None:
    """SPEC 6.4: never one learning, whatever the word is."""
    rng = random.Random(seed)
    words = rule.split()
    known = [i for i, w in enumerate(words) if w.isalpha() and w.islower() and len(w) > 4 and of(w).words - of("use").words]
    at = rng.choice(known) if known else 0
    changed = [*words[:at], "zeppelin", *words[at + 1 :]]
    if known and len(of(rule).words - of(" ".join(changed)).words) == 1:
        assert relation(of(rule), of(" ".join(changed)), THRESHOLD).relation == "distinct"
