"""Credential rules as data: one table, which a newcomer extends by one entry (SPEC 3.2)."""

from agents.scan.rules.cloud import CLOUD
from agents.scan.rules.code import CODE
from agents.scan.rules.rule import Rule
from agents.scan.rules.services import SERVICES
from agents.scan.rules.structures import STRUCTURES
from agents.scan.rules.tools import TOOLS

RULES: tuple[Rule, ...] = (*CODE, *CLOUD, *SERVICES, *TOOLS, *STRUCTURES)

__all__ = ["RULES", "Rule"]
