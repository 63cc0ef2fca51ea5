"""Which copies of a pool a wording is near to (SPEC 6.4)."""

from collections.abc import Iterator
from dataclasses import dataclass

from agents.binding.batch import Incoming
from agents.promote.index import Entry, Index, word_hashes
from agents.promote.pool import Copy, epoch_tag
from agents.promote.similarity import Form, Relation, form, relation, spare
from agents.promote.table import Table, segment_key
from schemas.records import CandidateCleared, PoolState


@dataclass(frozen=True, slots=True)
class Near:
    """What a wording is near to: the copy that it repeats, and those that it contradicts, by ascending id."""

    duplicate: Copy | None
    contradicted: tuple[Copy, ...]


class Directory:
    """The pools' directories with their indexes, which live as long as the process and follow the table."""

    def __init__(self, similarity: float) -> None:
        self._similarity = similarity
        self._indexes: dict[tuple[str, str], Index] = {}
        self._fresh: set[tuple[str, str]] = set()

    def begin(self) -> None:
        """A batch begins: what the indexes say may no longer be what the table says."""
        self._fresh.clear()

    def near(self, cleared: CandidateCleared, record: Incoming, table: Table) -> Near:
        """What the wording of a learning that cleared in `record` is near to, among copies made by earlier records.

        Of several that it repeats it is the nearest, of those the one with the lowest id.
        """
        wording = _form(cleared)
        index = self._index(cleared.org, cleared.space, table)
        extra = spare(wording, self._similarity)
        ids = index.near(word_hashes(wording.words), extra, epoch_tag(record.epoch), record.offset)
        found = [(relation(wording, _form(c.fixed), self._similarity), c) for c in self._comparable(cleared, ids, table)]
        duplicates = sorted(((-r.similarity, c.fixed.shared_id, c) for r, c in found if r.relation == "duplicate"), key=lambda d: d[:2])
        contradicted = sorted((c for r, c in found if r.relation == "contradict"), key=lambda c: c.fixed.shared_id)
        return Near(duplicates[0][2] if duplicates else None, tuple(contradicted))

    def relation(self, cleared: CandidateCleared, copy: Copy) -> Relation:
        """How the wording of a learning that cleared stands to a copy."""
        return relation(_form(cleared), _form(copy.fixed), self._similarity)

    def add(self, copy: Copy, table: Table) -> None:
        """Put a new copy into its pool's directory; one that stands there already is left."""
        fixed = copy.fixed
        entry = Entry(fixed.shared_id, fixed.made, epoch_tag(fixed.made_epoch), word_hashes(_form(fixed).words))
        self._index(fixed.org, fixed.space, table).add(entry)

    def states(self) -> Iterator[tuple[bytes, bytes]]:
        """What the batch has changed of the table's values."""
        for pool in sorted(self._fresh):
            yield from self._indexes[pool].states()

    def _comparable(self, cleared: CandidateCleared, ids: list[str], table: Table) -> Iterator[Copy]:
        """Copies that may be the same learning or its opposite: of the same kind, about the same area and environment."""
        for shared_id in ids:
            copy = table.copy(cleared.org, shared_id)
            if copy is None:  # its entry outlived it in a crash: the record that made it comes again, later than this one
                continue
            fixed = copy.fixed
            shared_names = cleared.environment.keys() & fixed.environment.keys()
            same_environment = all(cleared.environment[n] == fixed.environment[n] for n in shared_names)
            if fixed.kind == cleared.kind and fixed.applies_to == cleared.applies_to and same_environment:
                yield copy

    def _index(self, org: str, space: str, table: Table) -> Index:
        pool = (org, space)
        index = self._indexes.get(pool)
        if index is None:
            index = self._indexes[pool] = Index()
        if pool not in self._fresh:

            def words_of(shared_id: str) -> tuple[int, ...] | None:
                copy = table.copy(org, shared_id)
                return word_hashes(_form(copy.fixed).words) if copy else None

            index.refresh(table.read, lambda n: segment_key(org, space, n), words_of)
            self._fresh.add(pool)
        return index


def _form(wording: CandidateCleared | PoolState) -> Form:
    return form(wording.rule, wording.value, wording.tools)
