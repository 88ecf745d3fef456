"""Files people have, as calls: one module a format, found by listing this folder."""
