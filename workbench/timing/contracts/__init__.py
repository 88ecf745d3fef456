"""Contracts: a labelled moment as portable evidence that measures itself again, and what may be said of it."""
