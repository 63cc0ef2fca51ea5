"""SPEC 5.10: a learning counted again from one of its points is what it would have been, for any outcome among the latest 4,096."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.aggregate.evidence import NOTHING, Application, count
from agents.aggregate.kept import RETAINED, WINDOW
from agents.aggregate.recount import UNTESTED, again, now, start, take
from schemas.records import Figures

applications = st.builds(
    Application,
    result=st.sampled_from(["success", "failure"]),
    causal_confidence=st.just(1.0),
    entries=st.just(1),
    helpful=st.just("yes"),
    verified=st.booleans(),
    independent=st.booleans(),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3 * WINDOW // 2), applications), min_size=1, max_size=20), st.data())
def test_counted_again(gaps: list[tuple[int, Application]], data: st.DataObject) -> None:
    points, history, number = UNTESTED, {}, -1
    for gap, application in gaps:
        number += gap
        history[number] = application
        points = take(points, 0.7, number, application)
        assert len(points) <= 3
    newest = number + data.draw(st.integers(0, WINDOW))
    for _ in range(2):
        place = data.draw(st.integers(max(0, newest - WINDOW + 1), newest))
        changed = data.draw(st.none() | applications)
        history.pop(place, None)
        if changed is not None:
            history[place] = changed
        begin = start(points, place)
        kept = {n: a for n, a in sorted(history.items()) if n > newest - RETAINED}
        points = again(points, 0.7, place, [(n, a) for n, a in kept.items() if n > begin])
        whole: Figures = NOTHING
        for _, application in sorted(history.items()):
            whole = count(0.7, whole, application)
        assert now(points) == whole
