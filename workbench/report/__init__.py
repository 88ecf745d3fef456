"""What leaves the archive: research files, HTML reports, test results."""
