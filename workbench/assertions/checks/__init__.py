"""One file per kind of check; :func:`workbench.assertions.kinds` finds them by listing this folder."""
