"""The claim ledger: how every claim of config/claims/ stands on a machine, by the figures' own frames."""
