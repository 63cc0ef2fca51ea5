"""Runs of characters of one kind: where the run begins in which something was sighted."""


def run_begin(text: str, after: int, end: int, chars: str) -> int:
    """Where a run of `chars` begins that reaches to `end`, not before `after`: in time of its length, whatever that is."""
    back = 64
    while True:
        start = max(after, end - back)
        begin = start + len(text[start:end].rstrip(chars))
        if begin > start or start == after:
            return begin
        back *= 4
