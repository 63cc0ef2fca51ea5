"""The index of near wordings: exact, the same after a restart, and a cache that follows the table."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.promote.index import SEGMENT_ENTRIES, Entry, Index, pack, unpack, word_hashes
from agents.promote.similarity import FOLDING, form, relation, spare
from schemas.codec import encode
from schemas.records import PoolSegment

WORDS = [word_hashes([w])[0] for w in ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]]
word_sets = st.sets(st.sampled_from(WORDS)).map(lambda s: tuple(sorted(s)))

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "wordings.jsonl").read_text().splitlines()]
RULES = sorted({pair[name] for pair in PAIRS[::8] for name in "ab"})


def key(n: int) -> bytes:
    return b"segment %d" % n


def entry(n: int, words: tuple[int, ...]) -> Entry:
    return Entry(f"{n:032x}", n, 7, words)


def index_of(table: dict[bytes, bytes]) -> Index:
    index = Index()
    index.refresh(table.get, key, lambda _: None)
    return index


def filled(sets: list[tuple[int, ...]]) -> dict[bytes, bytes]:
    index = index_of({})
    for n, words in enumerate(sets):
        index.add(entry(n, words))
    return dict(index.states())


@given(sets=st.lists(word_sets, max_size=40), asked=word_sets, spare=st.integers(0, 9), before=st.integers(0, 40))
def test_it_finds_all_and_only_those_that_are_near(sets: list[tuple[int, ...]], asked: tuple[int, ...], spare: int, before: int) -> None:
    """No sampling: what the measure must see, it sees; of records made earlier in the log alone."""
    near = index_of(filled(sets)).near(asked, spare, epoch=7, before=before)
    mine = set(asked)
    assert near == [
        f"{n:032x}"
        for n, words in enumerate(sets)
        if n < before and (mine <= set(words) or mine >= set(words)) and len(mine ^ set(words)) <= spare
    ]


@given(sets=st.lists(word_sets, max_size=6), long=st.integers(250, 520))
def test_entries_are_packed_and_unpacked(sets: list[tuple[int, ...]], long: int) -> None:
    entries = [entry(n, words) for n, words in enumerate([*sets, tuple(range(long)), *sets])]
    assert list(unpack(pack(entries))) == entries


def test_segments_are_filled_one_after_the_other() -> None:
    table = filled([(n,) for n in range(2 * SEGMENT_ENTRIES + 1)])
    assert sorted(table) == [key(0), key(1), key(2)]
    assert len(index_of(table).near((3,), 0, 7, 1000)) == 1


def test_it_forgets_what_was_not_saved() -> None:
    """A batch that failed, or a partition that another worker had meanwhile."""
    table = filled([(1,), (2,)])
    index = index_of(table)
    index.add(entry(9, (3,)))
    assert dict(index.states())
    index.refresh(table.get, key, lambda _: None)
    assert index.near((3,), 0, 7, 1000) == []
    table |= filled([(1,), (2,), (4,)])
    index.refresh(table.get, key, lambda _: None)
    assert len(index.near((4,), 0, 7, 1000)) == 1


def test_words_of_another_folding_are_made_anew() -> None:
    """A release that stems otherwise reads an old directory."""
    table = {key(0): encode(PoolSegment(folding=FOLDING - 1, entries=pack([entry(1, (1,)), entry(2, (2,))])))}
    index = Index()
    index.refresh(table.get, key, {f"{1:032x}": (5,)}.get)
    assert len(index.near((5,), 0, 7, 1000)) == 1
    assert index.near((1,), 0, 7, 1000) == []


@pytest.mark.parametrize("threshold", [0.5, 0.85])
def test_it_answers_as_if_all_were_compared(threshold: float) -> None:
    """SPEC 6.4: each of many rules with each other."""
    forms = [form(rule, None, ()) for rule in RULES]
    index = index_of(filled([word_hashes(f.words) for f in forms]))
    for n, asked in enumerate(forms):
        near = index.near(word_hashes(asked.words), spare(asked, threshold), 7, n)
        found = {at: relation(asked, forms[at], threshold) for at in (int(i, 16) for i in near)}
        every = {at: relation(asked, forms[at], threshold) for at in range(n)}
        assert {at: r for at, r in found.items() if r.relation != "distinct"} == {
            at: r for at, r in every.items() if r.relation != "distinct"
        }
