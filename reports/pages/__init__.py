"""What is written from the figures and claims: the page, the ledger, the appendix, comparisons."""
