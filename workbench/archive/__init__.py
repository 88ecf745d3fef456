"""The archive: a DuckLake of Parquet files with its media, opened, written, verified and forgotten here."""
