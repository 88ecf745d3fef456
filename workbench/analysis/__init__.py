"""What notebooks and reports ask of an archive: archive or frame in, frame out."""
