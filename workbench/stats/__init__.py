"""Intervals and tests on counts. Plain mathematics: no frames, no files, no clock."""
