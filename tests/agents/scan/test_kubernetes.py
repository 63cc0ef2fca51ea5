"""Values of Kubernetes secrets (SPEC 3.2)."""

import base64

import pytest

from agents.scan.rules.rule import fill
from agents.scan.text import scan_text

_PLAIN = fill("{l4}{d4}")
_VALUE = base64.b64encode(_PLAIN.encode()).decode()


@pytest.mark.parametrize(
    "manifest",
    [
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  user: {}\n",
        "data:\n  user: '{}'\nkind: Secret\n",
        'kind: "Secret"\ntype: Opaque\ndata:\n\n    user.txt: "{}"\n    mode: {}\n',
        '{{"kind": "Secret", "data": {{"user": "{}"}}}}',
        "kind: ConfigMap\ndata:\n  a: b\n---\nkind: Secret\ndata:\n  user: {}",
    ],
)
def test_every_value_is_a_secret_whatever_its_name(manifest: str) -> None:
    text = manifest.replace("{}", _VALUE).replace("{{", "{").replace("}}", "}")
    done = scan_text(text)
    assert {h.kind for h in done.findings if h.hard} == {"k8s_secret"}
    assert _VALUE not in done.masked


def test_string_data_is_not_encoded() -> None:
    assert _PLAIN not in scan_text(f"kind: Secret\nstringData:\n  login: {_PLAIN}\n").masked


@pytest.mark.parametrize(
    "text",
    [
        f"kind: ConfigMap\ndata:\n  user: {_VALUE}\n",
        "kind: Secret\nmetadata:\n  name: db-credentials\n  namespace: billing\n",
        "kind: Secret\ndata:\n  user: ${DB_USER}\n",
        f"kind: Secret\nmetadata:\n  name: db\n---\nkind: ConfigMap\ndata:\n  user: {_VALUE}\n",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert scan_text(text).masked == text
