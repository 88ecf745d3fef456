"""Sound in: decoding, frame levels, speech activity, and the pieces of sound that pages show."""
