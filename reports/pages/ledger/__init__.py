"""The claim ledger: how every claim of config/claims/ stands on a machine, by the figures' own frames.

`standings_of` a view of a figure are one list for whoever shows them: `table` writes it for people, `to_json`
as config/schemas/ledger.json describes it; the page and the README take the same list.
"""

from reports.pages.ledger.document import to_json
from reports.pages.ledger.standing import standings_of
from reports.pages.ledger.text import table

__all__ = ["standings_of", "table", "to_json"]
