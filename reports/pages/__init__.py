"""Documents made from the figures and claims: the page, the ledger, packs, comparisons."""
