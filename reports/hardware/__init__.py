"""Machines against each other: what each achieves at best, the same cases side by side, and rooflines."""
