"""One report a file: `QUESTION`, and `build(archive, *, worst) -> str`."""
