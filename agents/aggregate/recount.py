"""Counting a wording's evidence, and counting it again from a point before a verdict that changed (SPEC 5.10).

A learning keeps its evidence as it is now and at one or two points before. While it counts outcome n, the newest of those becomes the one
before, and the evidence before n the newest, as soon as the newest is 4,096 outcomes of the agent old. So for each outcome that is still
kept there is a point before it, all outcomes after which are still there (twice 4,096 are).
"""

from collections.abc import Iterable

from agents.aggregate.evidence import NOTHING, Application, count
from agents.aggregate.kept import WINDOW
from schemas.records import EvidencePoint, Figures

Points = tuple[EvidencePoint, ...]
UNTESTED: Points = (EvidencePoint(after=-1, figures=NOTHING),)


def now(points: Points) -> Figures:
    """The evidence now."""
    return points[-1].figures


def take(points: Points, prior: float, number: int, application: Application) -> Points:
    """The points after one more outcome; `number` is higher than any that counted."""
    after = EvidencePoint(after=number, figures=count(prior, now(points), application))
    if len(points) > 1 and points[-2].after > number - WINDOW:
        return (*points[:-1], after)
    return (*points[-2:], after)


def start(points: Points, place: int) -> int:
    """Number of the outcome after which to count again, so that the one at `place` is among those counted."""
    return points[_from(points, place)].after


def _from(points: Points, place: int) -> int:
    return next((i for i in reversed(range(len(points) - 1)) if points[i].after < place), 0)


def again(points: Points, prior: float, place: int, applications: Iterable[tuple[int, Application]]) -> Points:
    """The points as they would have been: `applications` are all that count after `start(points, place)`, in order."""
    begin = _from(points, place)
    out, (last, figures) = list(points[: begin + 1]), (points[begin].after, points[begin].figures)
    between = [p.after for p in points[begin + 1 : -1]]
    for number, application in applications:
        while between and number > between[0]:
            out.append(EvidencePoint(after=between.pop(0), figures=figures))
        figures, last = count(prior, figures, application), number
    out += [EvidencePoint(after=after, figures=figures) for after in between]
    return (*out, EvidencePoint(after=max(last, out[-1].after), figures=figures))
