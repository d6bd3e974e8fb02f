"""What is written from the figures and claims: the page, the ledger, packs, comparisons."""
