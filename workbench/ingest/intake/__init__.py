"""What every input passes, whichever importer reads it: walking, sniffing, streaming, checks, hygiene."""
