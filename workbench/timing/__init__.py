"""From frame levels to runs of speech and input health: a pure function of samples and config."""
