"""The claim ledger: the standing of every claim of config/claims/ on a machine, by the figures' frames."""
