"""Text of turns: named normalisers and spoken numbers. Raw text is never replaced."""
