"""How far behind each group is."""

import pytest

from pipelines.readers import READERS
from pipelines.status import Group, Lag, groups, lags
from tests.pipelines.conftest import Deployment
from tests.pipelines.test_wait import commit, put

pytestmark = pytest.mark.broker


def test_a_group_that_committed_nothing_has_all_that_is_there_left_to_read(deployment: Deployment) -> None:
    """INTERFACES, status: one row a group, topic and partition."""
    put(deployment, "runs", 0, 3)
    put(deployment, "recalls", 1, 2)
    commit(deployment, "scan", "runs", 0, 2)
    found = lags(deployment.offsets)
    assert len(found) == 2 * sum(len(topics) for topics in READERS.values())
    assert [row for row in found if row.lag] == [
        Lag("scan", "recalls", 1, 2, None, 2),
        Lag("scan", "runs", 0, 3, 2, 1),
        Lag("sink", "recalls", 1, 2, None, 2),
    ]
    commit(deployment, "scan", "runs", 0, 3)
    commit(deployment, "scan", "recalls", 1, 2)
    commit(deployment, "sink", "recalls", 1, 2)
    assert not [row for row in lags(deployment.offsets) if row.lag]


def test_groups_say_who_runs_and_what_is_left(deployment: Deployment) -> None:
    """One row a group; one that no process is in has no members."""
    assert deployment.offsets.members(READERS) == dict.fromkeys(READERS, 0)
    scan = [Lag("scan", "runs", 0, 3, 2, 1), Lag("scan", "runs", 1, 3, 1, 2), Lag("scan", "recalls", 0, 2, 2, 0)]
    found = [*scan, Lag("sink", "runs", 0, 3, 3, 0)]
    assert groups(found, {"scan": 2, "sink": 1}) == [
        Group("scan", 2, 3, ("runs",)),
        Group("aggregate", 0, 0, ()),
        Group("promote", 0, 0, ()),
        Group("journal", 0, 0, ()),
        Group("sink", 1, 0, ()),
    ]
