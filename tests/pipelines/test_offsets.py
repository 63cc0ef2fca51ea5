"""Where topics end and groups stand."""

import pytest

from tests.pipelines.conftest import Deployment
from tests.pipelines.test_wait import commit, put

pytestmark = pytest.mark.broker


def test_a_group_that_nobody_knows_has_committed_nothing(deployment: Deployment) -> None:
    """Asked as the first thing of a broker, too, whose coordinator is not there yet: an admin client's process can die of that."""
    assert deployment.offsets.committed("nobody", [("runs", 0), ("outcomes", 1)]) == {}


def test_only_what_is_asked_for_is_told(deployment: Deployment) -> None:
    """INTERFACES, status: a partition where a group has committed nothing has no offset."""
    put(deployment, "runs", 0, 3)
    put(deployment, "runs", 1, 3)
    commit(deployment, "some", "runs", 0, 2)
    commit(deployment, "some", "runs", 1, 3)
    assert deployment.offsets.committed("some", [("runs", 0), ("outcomes", 0)]) == {("runs", 0): 2}
