"""Playbooks: bullets with counts of how often each helped and harmed, as learnings.

ACE keeps them as text, `[str-00001] helpful=5 harmful=0 :: wording` under `## SECTION`
(https://github.com/ace-agent/ace, "Playbook Format"); Kayba as JSON, `bullets` or `skills` by id, each with `section`, `content`,
`helpful`, `harmful`, `neutral` (https://github.com/kayba-ai/agentic-context-engine, docs/concepts/skillbook.md).

The counts are what the playbook says of itself: nobody here saw one of those applications, and nobody says who checked them. So they make
no outcome, and no condition of the gate that counts (trust, applied, ratio) moves by them. They make the confidence as written, the prior
that outcomes then correct (SPEC 5.4): (helpful + 1) / (helpful + harmful + 2), Laplace's rule of succession, which is ½ where nothing is
stated. The counts themselves stand in the run that the import makes, a step for each bullet, in the private record of its agent; not in
the learning's value, where one that moves would make another wording of it, which starts untested (SPEC 2.9).
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from pipelines.importers.parsed import Author, Found, Imported, Skipped, Source, json_of, made_id
from pipelines.importers.steps import Steps
from schemas.problem import Problem
from schemas.records import LearningDraft, Run
from schemas.validate import PARTS, TEXT_BYTES

_BULLET = re.compile(
    r"\s*(?:[-*]\s+)?\[(?P<id>[^\]\s]+)\]\s*helpful=(?P<helpful>\d{1,9})\s+harmful=(?P<harmful>\d{1,9})\s*::\s*(?P<content>.*\S)\s*"
)
_LOOKS_LIKE_ONE = re.compile(r"\s*(?:[-*]\s+)?\[[^\]\s]+\]\s*helpful")
_SECTION = re.compile(r"\s*##+\s*(?P<name>.*\S)\s*")
_REMOVED = ("removed", "deleted", "inactive", "invalid")
_Wrong = tuple[int, str | None, str]
"""Line, field and reason of what can't be taken."""


@dataclass(frozen=True, slots=True)
class _Bullet:
    line: int
    id: str
    section: str
    content: str
    helpful: int
    harmful: int
    neutral: int = 0

    def key(self) -> str:
        """Its entry key below the playbook's area."""
        return f"{_slug(self.section)}/pattern-{_slug(self.id)}"

    def confidence(self) -> float:
        return (self.helpful + 1) / (self.helpful + self.harmful + 2)


def read(sources: Sequence[Source], author: Author) -> Imported:
    """Learnings of some playbooks, at most 256 in a run."""
    imported = Imported()
    for source in sources:
        value = json_of(source.data) if source.data.lstrip()[:1] == b"{" else None
        if isinstance(value, Problem):
            imported.skipped.append(Skipped(source.name, 1, value.field, value.detail))
            continue
        bullets: list[_Bullet] = []
        keys: set[str] = set()
        for bullet in _of_json(value) if isinstance(value, dict) else _of_text(source.data):
            wrong = bullet if not isinstance(bullet, _Bullet) else _refused(bullet, keys)
            if wrong is not None:
                imported.skipped.append(Skipped(source.name, *wrong))
            elif isinstance(bullet, _Bullet):
                keys.add(bullet.key())
                bullets.append(bullet)
        if not bullets:
            imported.skipped.append(Skipped(source.name, 1, None, "holds no bullet: neither lines of ACE nor bullets or skills of Kayba"))
        area = author.area or f"playbook/{_slug(PurePath(source.name).name.split('.')[0])}"
        for first in range(0, len(bullets), PARTS):
            some = bullets[first : first + PARTS]
            imported.runs.append(Found(source.name, some[0].line, _run(some, area, author)))
    return imported


def _refused(bullet: _Bullet, keys: set[str]) -> _Wrong | None:
    named = bullet.id if _plain(bullet.id) else None
    if bullet.key() in keys:
        return bullet.line, named, "the same id twice in a section: the first stands"
    if len(bullet.content.encode()) > TEXT_BYTES:
        return bullet.line, named, f"a wording of more than {TEXT_BYTES} bytes"
    return None


def _of_text(data: bytes) -> Iterator[_Bullet | _Wrong]:
    section = "general"
    for number, line in enumerate(data.decode(errors="replace").removeprefix("\ufeff").split("\n"), 1):
        if bullet := _BULLET.fullmatch(line):
            yield _Bullet(number, bullet["id"], section, bullet["content"], int(bullet["helpful"]), int(bullet["harmful"]))
        elif named := _SECTION.fullmatch(line):
            section = named["name"]
        elif _LOOKS_LIKE_ONE.match(line):
            yield number, None, "not a bullet: [id] helpful=0 harmful=0 :: wording"


def _of_json(value: dict[str, Any]) -> Iterator[_Bullet | _Wrong]:
    for name in ("bullets", "skills"):
        held = value.get(name)
        if held is None:
            continue
        if isinstance(held, list):
            held = {str(b.get("id")) if isinstance(b, dict) else str(i): b for i, b in enumerate(held)}
        if not isinstance(held, dict):
            yield 1, name, "neither bullets by their ids nor a list of them"
            continue
        for i, (key, bullet) in enumerate(held.items()):
            where = f"{name}.{key}" if _plain(key) else f"{name}[{i}]"
            if not isinstance(bullet, dict):
                yield 1, where, "not an object"
            elif str(bullet.get("status", "active")).lower() not in _REMOVED:
                yield _bullet(where, key, bullet)


def _bullet(where: str, key: str, bullet: dict[str, Any]) -> _Bullet | _Wrong:
    content = bullet.get("content")
    if not isinstance(content, str) or not content.strip():
        return 1, f"{where}.content", "is needed: the wording"
    counts: dict[str, int] = {}
    for name in ("helpful", "harmful", "neutral"):
        count = bullet.get(name, 0)
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 10**9:
            return 1, f"{where}.{name}", "not a count: a whole number from 0"
        counts[name] = count
    section = bullet.get("section")
    named = section if isinstance(section, str) and section.strip() else "general"
    return _Bullet(1, key, named, content.strip(), counts["helpful"], counts["harmful"], counts["neutral"])


def _run(bullets: Sequence[_Bullet], area: str, author: Author) -> Run:
    steps = Steps()
    for bullet in bullets:
        stated = {"helpful": bullet.helpful, "harmful": bullet.harmful, "neutral": bullet.neutral}
        steps.said("other", {"bullet": bullet.id, "stated": stated})
    told = [[b.id, b.section, b.content, b.helpful, b.harmful, b.neutral] for b in bullets]
    return Run(
        run_id=made_id("playbook", area, told),
        org=author.org,
        agent=author.agent,
        session=author.session,
        work_area=area,
        producer="tool",
        runtime="playbook",
        steps=steps.steps(),
        learnings=tuple(LearningDraft(entry_key=f"{area}/{b.key()}", rule=b.content, confidence=b.confidence()) for b in bullets),
    )


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).replace("&", " and ").replace("_", "-").lower()
    return re.sub(r"[^\w]+", "-", plain).strip("-")[:200] or "general"


def _plain(text: str) -> bool:
    """Whether a name may be said: an id as such programs make them, and no secret."""
    return bool(re.fullmatch(r"[a-z][a-z_-]{0,39}\d{0,6}", text))
