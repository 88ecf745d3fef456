"""Speed, measured against a named peer in the same run. `python -m benchmarks` prints every table."""
